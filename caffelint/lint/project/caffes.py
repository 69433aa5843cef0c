"""Which Caffe reads a file: one that the settings name, else the one that its repository holds or names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from caffelint.lint.config import Config
from caffelint.lint.project.border import top_of
from caffelint.lint.project.find import PROTO, Repository
from caffelint.lint.reach import is_below
from caffelint.lint.read import ReadError, read
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.project.named import NamedForks
    from caffelint.lint.project.sources import SourceFile, SourceTree, Told
    from caffelint.schema.project import ProjectCaffe

_LARGEST = 1 << 20
"""Of a caffe.proto; the largest known one has 120 KiB."""
_MOST_IMPORTS = 20
_MOST_CAFFES = 16
"""That are read where they are equally near; of more, none is taken."""
_LONGEST = 200


class Taken(NamedTuple):
    """What is to read a file: the Caffe of its project, or a dialect that the settings name.

    `forks` are those that the repository names, of which the file may be for one. `why` is it that, and
    `note` why nothing was taken; both empty if there is nothing to tell. `key` changes with all that is known. `root`
    is the folder of the Caffe; empty if only its caffe.proto is there. `other` tells of a schema that is another
    program's. `unknown` is a fork that the repository names and that nobody knows.
    """

    caffe: ProjectCaffe | None = None
    dialect: str | None = None
    forks: NamedForks | None = None
    why: str = ""
    note: str = ""
    key: str = ""
    root: str = ""
    other: str = ""
    unknown: NamedForks | None = None

    @property
    def name(self) -> str:
        """The path of its caffe.proto, or the repository of its forks."""
        return self.caffe.path if self.caffe else self.forks.repository if self.forks else ""


NONE = Taken()


class Caffes:
    """Finds the Caffe of each file, and reads each only once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._repositories: dict[str, Repository] = {}
        self._of_folder: dict[str, Taken] = {}
        self._read: dict[str, Taken] = {}
        self._trees: dict[str, SourceTree] = {}
        self._sources: dict[tuple[SourceFile, ...], Told] = {}
        self._lacks_its_caffe: dict[str, bool] = {}
        self._given: Taken | None = None

    def of(self, path: str) -> Taken:
        """What is to read a file, as far as the settings or its repository tell."""
        if self._config.dialect is not None:
            return Taken(dialect=self._config.dialect)
        if self._config.proto or self._config.caffe:
            if self._given is None:
                self._given = self._named(self._config.proto, self._config.caffe)
            return self._given
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._of_folder:
            self._of_folder[folder] = self._find(folder)
        return self._of_folder[folder]

    def _named(self, proto: str | None, root: str | None) -> Taken:
        """The Caffe that the settings name, by its caffe.proto or by its folder."""
        setting = "proto" if proto else "caffe"
        proto = os.path.abspath(proto or os.path.join(root or "", PROTO))
        root = os.path.abspath(root) if root else proto.removesuffix(os.sep + PROTO)
        if root == proto:
            root = os.path.dirname(proto)
        why = f"{setting} in {self._config.sources.get(setting, 'the settings')}"
        return self._load(proto, root, Repository(top_of(root) or root), why)

    def _find(self, folder: str) -> Taken:
        top = top_of(folder)
        if top is None:
            return NONE
        repository = self._repositories.setdefault(top, Repository(top))
        roots = repository.caffes(folder)
        if roots and self._is_left_over(repository, roots, folder):
            return self._named_by(repository)
        if not roots:
            return self._loose_in(repository, folder) or self._named_by(repository)
        if len(roots) > _MOST_CAFFES:
            return _several(str(len(roots)), roots)
        why = "it is in the repository"
        found = [self._load(os.path.join(root, PROTO), root, repository, why) for root in roots]
        taken = [one for one in found if one.caffe]
        if len({one.caffe.digest for one in taken if one.caffe}) > 1:
            return _several("several", roots)
        return taken[0] if taken else found[0]

    def _is_left_over(self, repository: Repository, roots: tuple[str, ...], folder: str) -> bool:
        """Does the project around say that it runs another Caffe, which is not fetched?"""
        if any(is_below(folder, root) for root in roots):
            return False
        if repository.top not in self._lacks_its_caffe:
            from caffelint.lint.project.named import lacks_its_caffe

            self._lacks_its_caffe[repository.top] = lacks_its_caffe(repository.top, repository.reach)
        return self._lacks_its_caffe[repository.top]

    def _loose_in(self, repository: Repository, folder: str) -> Taken | None:
        """What a fork's caffe.proto declares, by whatever name, that is the only one of a repository without a Caffe.

        Converters carry BVLC's along, of which nothing follows for the files that they read; nor does anything follow
        for files elsewhere from a schema that is not whole: of a program that only reads texts, or to be pasted.
        """
        if len(repository.loose) != 1:
            return None
        (proto,) = repository.loose
        taken = self._load(proto, os.path.dirname(proto), repository, "it is the only one in the repository")
        if taken.caffe is None:
            return taken if taken.other else None
        if not taken.caffe.holds_weights:
            why = f'"{_shown(proto)}" declares no BlobProto, so it is no whole schema of a Caffe'
            return Taken(other=why, key=why) if is_below(folder, os.path.dirname(proto)) else None
        return taken._replace(root="") if taken.caffe.is_of_a_fork else None

    def _named_by(self, repository: Repository) -> Taken:
        """The forks that the repository names: it holds no Caffe."""
        if repository.top not in self._read:
            from caffelint.lint.project.named import named_forks, unknown_fork

            forks = named_forks(repository.top, repository.reach)
            taken = Taken(forks=forks, why=f"named in {forks.where}", key=str(forks)) if forks else NONE
            if not forks and (unknown := unknown_fork(repository.top, repository.reach)):
                taken = Taken(unknown=unknown, key=str(unknown))
            self._read[repository.top] = taken
        return self._read[repository.top]

    def _load(self, proto: str, root: str, repository: Repository, why: str) -> Taken:
        from caffelint.schema.project import OtherPackageError
        from caffelint.schema.proto2 import ProtoError

        if proto not in self._read:
            try:
                self._read[proto] = self._taken(proto, root, repository, why)
            except (ReadError, ProtoError) as error:
                note = f'"{_shown(proto)}" was not taken as the Caffe of the project: {error}'
                other = _of_package(error.package) if isinstance(error, OtherPackageError) else ""
                self._read[proto] = Taken(note=note, key=note, other=other)
        return self._read[proto]

    def _taken(self, proto: str, root: str, repository: Repository, why: str) -> Taken:
        from caffelint.lint.project.sources import SourceTree, registered
        from caffelint.schema.project import project_caffe

        data = read(proto, _LARGEST, repository.reach)
        if repository.top not in self._trees:
            self._trees[repository.top] = SourceTree(repository.top)
        all_sources = self._trees[repository.top].of(root)
        types = registered(self._told(all_sources.own), self._told(all_sources.common))
        imports = _Imports(proto, root, repository)
        text = data.decode("utf-8", "replace")
        caffe = project_caffe(text, _shown(proto), imports.text, types, all_sources.complete)
        why += "" if all_sources.complete else ", too large for all of its sources to be read"
        return Taken(caffe, why=why, key=f"{caffe.digest}{types.as_json()}{caffe.path}", root=root)

    def _told(self, files: tuple[SourceFile, ...]) -> Told:
        """What some sources tell; those of several Caffes are read once."""
        if files not in self._sources:
            self._sources[files] = self._cached(files)
        return self._sources[files]

    def _cached(self, files: tuple[SourceFile, ...]) -> Told:
        import hashlib

        from caffelint.lint.cache import code_fingerprint, load_value, store_value
        from caffelint.lint.project.sources import Told, told

        name = ""
        if self._config.cache and files:
            digest = hashlib.sha1(code_fingerprint(), usedforsecurity=False)
            digest.update(repr(files).encode(errors="surrogateescape"))
            name = digest.hexdigest()
            if stored := Told.of_json(load_value(name)):
                return stored
        found = told(files)
        if name:
            store_value(name, found.as_json())
        return found


class _Imports:
    """The texts that a caffe.proto imports, by the names that protoc knows them by."""

    def __init__(self, proto: str, root: str, repository: Repository) -> None:
        self._folders = [os.path.join(root, "src"), os.path.dirname(proto), root]
        self._reach = repository.reach
        self._left = _MOST_IMPORTS

    def text(self, name: str) -> str | None:
        self._left -= 1
        if os.path.isabs(name) or "\0" in name or self._left < 0:
            return None
        for folder in self._folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and self._reach.holds(path):
                return read(path, _LARGEST, self._reach).decode("utf-8", "replace")
        return None


def _of_package(package: str) -> str:
    return f'the schema of the project is of the package "{package}", which may be another program'


def _several(many: str, roots: tuple[str, ...]) -> Taken:
    names = ", ".join(f'"{_shown(root)}"' for root in roots[:3])
    return Taken(note=f"{many} Caffes are equally near ({names}), so none of them was taken", key="several")


def _shown(path: str) -> str:
    from caffelint.lint.discover import relative

    shown = relative(path).replace(os.sep, "/")
    return shown if len(shown) <= _LONGEST else f"...{shown[-_LONGEST:]}"
