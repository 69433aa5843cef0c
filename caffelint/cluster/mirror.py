"""Files that lie elsewhere, copied into a folder to be read there: whatever fsspec opens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from caffelint.cluster.links import ARCHIVES, refuse_archives, scheme_of
from caffelint.cluster.streams import WEB, file_system_of, pieces, reason
from caffelint.lint.discover import Wanted
from caffelint.lint.reach import SUFFIXES, is_special
from caffelint.lint.read import ReadError, opened
from caffelint.text.writing import temporary_folder

_REMOTE = re.compile(r"[a-z][a-z0-9+.-]*://|[^:]*::")
_READ = (*SUFFIXES, ".pt", ".py", ".proto", ".cpp", ".cu", ".cc", ".hpp", ".h", ".sh", ".m", ".bash", ".ipynb")
"""What a check reads; of other files it asks at most whether they are there."""
_LARGEST = 64 << 20
_MOST_FILES = 100_000
_MOST_BYTES = 4 << 30
_LEAST_TOGETHER = 16
_OF_NAMES = {"reference", "generic"}
"""File systems of fsspec whose files are wherever a file in them says."""
_UP = frozenset([".", ".."])
_HIDDEN = {".git", ".hg", ".svn"}
"""Nothing is known there of what git ignores: half of a repository would tell lies of it."""


class Part(NamedTuple):
    """What is looked at by itself: a path of fsspec, or, if there are any, files and folders of these names in it."""

    url: str
    names: tuple[str, ...] = ()


class Mirror(NamedTuple):
    """A copy: what is to be checked in it, and what could not be copied, with the reason. Names begin at its top."""

    paths: tuple[str, ...]
    unreadable: list[tuple[str, str]]


def is_remote(path: str) -> bool:
    """Is it a path of fsspec: s3://bucket/nets, https://host/net.prototxt, zip://nets/*::/data/nets.zip?

    A file or folder of this machine may be called `a::b`.
    """
    return _REMOTE.match(path) is not None and not os.path.exists(path)


def matching(url: str, most: int) -> tuple[list[Part], list[str]]:
    """The folders and prototxt files that the wildcards in a path mean, in order; the path itself without wildcards.

    A folder in another one is a part of that. Files of one folder, and what is in one archive, are looked at together,
    since each part of it takes as long as the whole; but in `most` parts, for as many processes.

    Then those that cannot be paths, since what their names hold would be read as another protocol, host or file, or
    leads out of an archive.

    Raises `OSError`, `ValueError`, `ReadError` and what a library raises for its own reasons.
    """
    link, chained, rest = url.partition("::")
    if _is_of_web(url) or not any(char in link for char in "*?["):
        return [Part(url)], []
    scheme = link.partition("://")[0]
    file_system, path = _opened(url)
    found = file_system.glob(path, detail=True)
    names = [name for name, one in sorted(found.items()) if one.get("type") == "directory" or name.endswith(SUFFIXES)]
    links = [name if name.startswith(f"{scheme}://") else f"{scheme}://{name}" for name in names]
    plain = [link for link in links if link.count("://") == 1 and f"{link}::".partition("::")[0] == link]
    if scheme in ARCHIVES:  # fsspec makes folders of what leads up, which are those around the copy
        plain = [link for link in plain if _UP.isdisjoint(link.partition("://")[2].split("/"))]
    folders = {link.rstrip("/") for link in plain if not link.endswith(SUFFIXES)}
    together: dict[str, list[str]] = {}
    for link in plain:
        parent, name = split(link.rstrip("/"))
        if any(above in folders for above in _above(link)):
            continue
        is_together = scheme in ARCHIVES or link not in folders
        together.setdefault(parent if is_together else link, []).extend([name] * is_together)
    parts = [
        Part(f"{folder}{chained}{rest}", some) for folder, found in together.items() for some in _shared(found, most)
    ]
    return parts, sorted({*links} - {*plain})


def split(link: str) -> tuple[str, str]:
    """The folder that a path leads to, and the name in it."""
    scheme, _, path = link.partition("://")
    folder, _, name = path.rpartition("/")
    return f"{scheme}://{folder}", name


def _above(link: str) -> Iterator[str]:
    """The folders that a path leads through."""
    folder, name = split(link.rstrip("/"))
    while name and not folder.endswith("://"):
        yield folder
        folder, name = split(folder)


def _shared(names: list[str], most: int) -> Iterator[tuple[str, ...]]:
    """Names in parts of equal size; one part without a name for a path that is looked at as a whole."""
    size = max(_LEAST_TOGETHER, -(-len(names) // most))
    yield from (tuple(names[start : start + size]) for start in range(0, max(1, len(names)), size))


def named(url: str, name: str) -> str:
    """The path of a file in the mirror of `url`."""
    link, chained, rest = url.partition("::")
    return f"{link}{'' if link.endswith('/') else '/'}{name}{chained}{rest}"


def _opened(url: str) -> tuple[Any, str]:
    """The file system of a path, and the path in it. Of this machine, only what `read` reads is opened."""
    from fsspec.implementations.local import LocalFileSystem

    links = url.split("::")
    if of_names := _OF_NAMES.intersection(map(scheme_of, links)):
        raise ReadError(f"{of_names.pop()} leads to any file that it names")
    states = []
    for outer in links[1:]:
        path = LocalFileSystem._strip_protocol(outer)
        if os.path.exists(path):
            with opened(path) as file:
                here = os.fstat(file.fileno())
                states.append((here.st_dev, here.st_ino, here.st_size, here.st_mtime_ns))

    scheme, in_archive, _ = links[0].partition("://")
    if in_archive and scheme in ARCHIVES and len(links) > 1:
        file_system = _archive("::".join([f"{scheme}://", *links[1:]]), *states)
        path = file_system._strip_protocol(links[0])
    else:
        refuse_archives(links)
        file_system, path = file_system_of(url, links)
    is_local = isinstance(file_system, LocalFileSystem)
    if is_local and is_special(path):
        raise ReadError("shows the running system")
    if not is_local and ".." in path.split("/"):  # fsspec goes round for ever where an archive has such a name
        raise ReadError("leads out of the archive or the bucket")
    return file_system, path


@lru_cache(maxsize=4)
def _archive(url: str, *states: tuple[int, ...]) -> Any:
    """An archive: its table is read once as long as it is in the same state, not for each folder."""
    from caffelint.cluster.archives import opened_archive

    return opened_archive(url)


def _is_of_web(url: str) -> bool:
    """Is it a single file of the web, of which nothing can be listed, and in whose name a ? stands for no letter?"""
    links = url.split("::")
    return scheme_of(links[-1]) in WEB and scheme_of(links[0]) not in ARCHIVES


@contextmanager
def mirrored(part: Part, which: Wanted) -> Iterator[Mirror]:
    """A copy of a folder, or of files with those beside them, in the working directory until the end.

    Nothing in a name leads out of it. Raises as `matching`.
    """
    file_system, top = _opened(part.url)
    is_of_web = _is_of_web(part.url)
    is_file = not part.names and (is_of_web or file_system.isfile(top))
    begin = os.path.dirname(top) if is_file else top
    are_files = is_file or part.names and all(name.endswith(SUFFIXES) for name in part.names)
    if is_of_web:
        found = {os.path.basename(top.partition("?")[0]): _Found(top)}
    else:
        found = _listed(file_system, begin, 1 if are_files else None)
    if part.names:
        wanted = {*part.names}
        found = {name: one for name, one in found.items() if "/" not in name or name.partition("/")[0] in wanted}
    if not found:
        raise FileNotFoundError("no such file or folder, or an empty one")
    before = os.getcwd()
    with temporary_folder() as folder:
        os.chdir(folder)
        try:
            unreadable = list(_copied(file_system, found, which))
            yield Mirror(
                (os.path.basename(top.partition("?")[0] if is_of_web else top),) if is_file else part.names or (".",),
                unreadable,
            )
        finally:
            os.chdir(before)


class _Found(NamedTuple):
    path: str
    size: int = 0
    is_file: bool = True


def _listed(file_system: Any, begin: str, depth: int | None) -> dict[str, _Found]:
    """What is there, by its name from `begin`."""
    found = file_system.find(begin, maxdepth=depth, detail=True)
    start = len(begin.strip("/"))
    return {
        path.strip("/")[start:].lstrip("/"): _Found(path, one.get("size") or 0, _is_file(one))
        for path, one in sorted(found.items())
    }


def _is_file(one: dict[str, Any]) -> bool:
    """Is it one, and no link?"""
    return one.get("type", "file") == "file" and not one.get("linkname")


def _copied(file_system: Any, found: dict[str, _Found], which: Wanted) -> Iterator[tuple[str, str]]:
    total = 0
    for number, (name, (path, size, is_file)) in enumerate(found.items()):
        parts = name.split("/")
        if not _HIDDEN.isdisjoint(parts):
            continue
        if number >= _MOST_FILES:
            yield name, f"{len(found) - number} files from this one on were not read: a folder may hold {_MOST_FILES}"
            return
        is_read = name.endswith(_READ) or which.takes(name)
        if not is_file:
            if is_read:
                yield name, "is a link, a pipe, a device or a file with holes and was not read"
            continue
        if any(part in ("", ".", "..") or "\0" in part or (os.sep != "/" and os.sep in part) for part in parts):
            yield name, "leads out of its folder and was not read"
            continue
        data = bytearray()
        try:
            if is_read and size <= _LARGEST and total < _MOST_BYTES:
                try:
                    with file_system.open(path, "rb") as stream:
                        for piece in pieces(stream, _LARGEST):
                            data += piece
                finally:
                    total += max(size, len(data))  # zip checks what it unpacked before it gives any
                size = len(data)
            if is_read and (size > _LARGEST or total >= _MOST_BYTES):
                yield name, f"was not read: a file may hold {_LARGEST >> 20} MiB, a folder {_MOST_BYTES >> 30} GiB"
                continue
            Path(*parts).parent.mkdir(parents=True, exist_ok=True)
            with open(os.path.join(*parts), "xb") as file:
                file.write(data)
        except Exception as error:  # each library of fsspec has its own
            yield name, f"cannot be read: {reason(error).lower()}"
