"""Which Caffe reads a file: the one that its repository holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from caffelint.lint.config import Config
from caffelint.lint.project.find import PROTO, Repository, top_of
from caffelint.lint.read import ReadError, read

if TYPE_CHECKING:
    from caffelint.lint.project.sources import Sources
    from caffelint.schema.project import ProjectCaffe, Registered

_LARGEST = 1 << 20
"""Of a caffe.proto; the largest known one has 120 KiB."""
_MOST_IMPORTS = 20


class Taken(NamedTuple):
    """The Caffe that was taken for a file, or why none was. `key` changes with all that is known of it."""

    caffe: ProjectCaffe | None
    note: str
    key: str


NONE = Taken(None, "", "")


class Caffes:
    """Finds the Caffe of each file, and reads each only once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._repositories: dict[str, Repository] = {}
        self._of_folder: dict[str, Taken] = {}
        self._read: dict[str, Taken] = {}

    def of(self, path: str) -> Taken:
        """What reads a file, if its repository tells."""
        if self._config.dialect is not None:
            return NONE
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._of_folder:
            self._of_folder[folder] = self._find(folder)
        return self._of_folder[folder]

    def _find(self, folder: str) -> Taken:
        top = top_of(folder)
        if top is None:
            return NONE
        repository = self._repositories.setdefault(top, Repository(top))
        roots = repository.caffes(folder)
        if not roots:
            return NONE
        found = [self._load(root, repository) for root in roots]
        taken = [one for one in found if one.caffe]
        if len({one.caffe.digest for one in taken if one.caffe}) > 1:
            names = ", ".join(f'"{_shown(root, top)}"' for root in roots[:3])
            return Taken(None, f"several Caffes are equally near ({names}), so none of them was taken", "several")
        return taken[0] if taken else found[0]

    def _load(self, root: str, repository: Repository) -> Taken:
        from caffelint.schema.proto2 import ProtoError

        if root not in self._read:
            try:
                self._read[root] = self._taken(root, repository)
            except (ReadError, ProtoError) as error:
                note = f'"{_shown(os.path.join(root, PROTO), repository.top)}" was not taken as the Caffe: {error}'
                self._read[root] = Taken(None, note, note)
        return self._read[root]

    def _taken(self, root: str, repository: Repository) -> Taken:
        from caffelint.lint.project.sources import sources
        from caffelint.schema.project import project_caffe

        proto = os.path.join(root, PROTO)
        data = read(proto, _LARGEST, repository.reach)
        all_sources = sources(repository.top, root)
        types = self._registered(all_sources)
        imports = _Imports(root, repository)
        shown = _shown(proto, repository.top)
        caffe = project_caffe(data.decode("utf-8", "replace"), shown, imports.text, types, all_sources.complete)
        return Taken(caffe, "", f"{caffe.digest}{list(map(sorted, types))}{shown}")

    def _registered(self, all_sources: Sources) -> Registered:
        import hashlib

        from caffelint.lint import cache
        from caffelint.lint.project.sources import registered
        from caffelint.schema.project import Registered

        name = ""
        if self._config.cache:
            digest = hashlib.sha1(cache.code_fingerprint(), usedforsecurity=False)
            digest.update(repr(all_sources.files).encode(errors="surrogateescape"))
            name = digest.hexdigest()
            stored = cache.load_value(name)
            if isinstance(stored, list) and len(stored) == len(Registered._fields):
                return Registered(*(frozenset(map(str, types)) for types in stored))
        found = registered(all_sources.files)
        if name:
            cache.store_value(name, [sorted(types) for types in found])
        return found


class _Imports:
    """The texts that a caffe.proto imports, by the names that protoc knows them by."""

    def __init__(self, root: str, repository: Repository) -> None:
        self._folders = [os.path.join(root, *parts) for parts in (("src",), ("src", "caffe", "proto"), ())]
        self._reach = repository.reach
        self._left = _MOST_IMPORTS

    def text(self, name: str) -> str | None:
        self._left -= 1
        if os.path.isabs(name) or self._left < 0:
            return None
        for folder in self._folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and self._reach.holds(path):
                return read(path, _LARGEST, self._reach).decode("utf-8", "replace")
        return None


def _shown(path: str, top: str) -> str:
    return os.path.relpath(path, top).replace(os.sep, "/")
