"""The files in a zip or tar archive, wherever it lies, by a table that takes one pass over its members.

fsspec opens archives, too, but goes over all names again for each folder, and over what is packed without an end.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import tarfile
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Iterator
from tempfile import NamedTemporaryFile
from typing import IO, Any, NamedTuple

from fsspec.implementations.local import LocalFileSystem
from fsspec.spec import AbstractFileSystem

from caffelint.cluster.links import ARCHIVES, refuse_archives, scheme_of
from caffelint.cluster.streams import file_system_of, pieces
from caffelint.lint.read import ReadError, opened

_MOST_BYTES = 4 << 30
_LEAST_UNPACKED, _LARGEST_RATIO = 64 << 20, 1000
"""Bytes that an archive may unpack to however few it has, and how many times these beyond."""
_MOST_MEMBERS, _MOST_CHARACTERS = 200_000, 16 << 20
"""Files of an archive, and all the characters of their names and of those of their folders."""
_FEW_FOLDERS, _FOLDERS_OF_A_FILE = 2000, 8
"""Folders that names may imply however few they are, and how many more for each."""
_DEEPEST, _LONGEST_NAME = 200, 4096
_LONGEST_HEADER, _LONGEST_GLOBAL, _MOST_GLOBAL = 16 << 10, 1 << 10, 16
"""Bytes of a header of tar, which older versions of Python read in the square of its length (CVE-2024-6232)."""
_PACKED: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\0", lzma.open),
)
"""How what a tar is packed with begins."""


_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods of zip by which no more is unpacked than is asked for."""


class _Member(NamedTuple):
    name: str
    size: int
    type: str
    """`file`, `directory`, or `other` for links, pipes, devices and files with holes, which are not read."""
    key: Any


class Archive(AbstractFileSystem):  # type: ignore[misc]
    """What fsspec asks of a file system, of an archive that is open."""

    protocol = "archive"
    cachable = False

    def __init__(self, scheme: str, stream: IO[bytes]) -> None:
        super().__init__()
        self.size = stream.seek(0, 2)
        stream.seek(0)
        self._read, members = (_zip if scheme == "zip" else _tar)(stream)
        self._members = {member.name: member for member in members if member.name}
        unpacked = sum(member.size for member in self._members.values() if member.type == "file")
        if unpacked > _LEAST_UNPACKED + _LARGEST_RATIO * self.size:
            raise ReadError(f"holds {unpacked >> 20} MiB by its table, more than {self.size:,} bytes can")
        names = list(self._members)
        size, most = sum(map(len, names)), len(names) + _FEW_FOLDERS + _FOLDERS_OF_A_FILE * len(names)
        for name in names:
            while (name := name.rpartition("/")[0]) and name not in self._members:
                self._members[name] = _Member(name, 0, "directory", None)
                size += len(name)
                if size > _MOST_CHARACTERS or len(self._members) > most:
                    raise ReadError(f"holds more folders than {len(names):,} files need")
        self._names = sorted(self._members)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.rpartition("://")[2].strip("/")

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Name, size and type of a member. Raises `FileNotFoundError`."""
        name = self._strip_protocol(path)
        if not name and self._members:
            return {"name": "", "size": 0, "type": "directory"}
        if name not in self._members:
            raise FileNotFoundError(path)
        return self._members[name]._asdict()

    def isfile(self, path: str) -> bool:
        """Is it anything but a folder?"""
        try:
            return bool(self.info(path)["type"] != "directory")
        except FileNotFoundError:
            return False

    def find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **_: Any
    ) -> Any:
        """The files below a folder, or the file itself."""
        top = self._strip_protocol(path)
        below, depth = f"{top}/" if top else "", (top.count("/") + 1 if top else 0) + (maxdepth or _DEEPEST + 1)
        after = bisect_left(self._names, f"{top}0") if top else None  # the letter after "/" is "0"
        names = self._names[bisect_left(self._names, below) : after]
        found = {
            name: self._members[name]._asdict()
            for name in ([top, *names] if top in self._members else names)
            if name.count("/") < depth and (withdirs or self._members[name].type != "directory")
        }
        return found if detail else sorted(found)

    def open(self, path: str, *_: Any, **__: Any) -> Any:
        """A member as a stream to read. Raises `FileNotFoundError`, and what the library of its format does."""
        member = self._members.get(self._strip_protocol(path))
        if member is None or member.type != "file":
            raise FileNotFoundError(path)
        if isinstance(member.key, zipfile.ZipInfo) and member.key.compress_type not in _BOUNDED:
            raise ReadError("is packed by a method other than deflate, of which as much comes at once as there is")
        return self._read(member.key)


def opened_archive(url: str) -> Archive:
    """The archive that `zip://...::url` or `tar://...::url` leads into. Raises `ReadError`, `OSError` and others."""
    link, _, outer = url.partition("::")
    return Archive(scheme_of(link), _seekable(outer))


def _seekable(url: str) -> IO[bytes]:
    """What lies at a path, to go back and forth in: a file of this machine, or a copy."""
    links = url.split("::")
    if scheme_of(links[0]) in ARCHIVES and len(links) > 1:
        archive = opened_archive(url)
        return _copy(archive.open(links[0]), min(_MOST_BYTES, _LEAST_UNPACKED + _LARGEST_RATIO * archive.size))
    refuse_archives(links)
    file_system, path = file_system_of(url, links)
    if isinstance(file_system, LocalFileSystem):
        return opened(path)
    return _copy(file_system.open(path, "rb"), _MOST_BYTES)


def _copy(stream: Any, most: int) -> IO[bytes]:
    """A temporary file with all that a stream gives."""
    whole: Any = NamedTemporaryFile(prefix="caffelint-")  # noqa: SIM115 - for as long as it is read
    with stream:
        for data in pieces(stream, most):
            whole.write(data)
        if whole.tell() > most:
            raise ReadError(f"unpacks to more than {most >> 20} MiB")
    whole.seek(0)
    opened_whole: IO[bytes] = whole
    return opened_whole


def _zip(stream: IO[bytes]) -> tuple[Callable[[Any], Any], Iterator[_Member]]:
    archive = zipfile.ZipFile(stream)
    return archive.open, (
        _member(one.filename, one.file_size, _type_in_zip(one), one, number)
        for number, one in enumerate(archive.infolist())
    )


def _type_in_zip(one: zipfile.ZipInfo) -> str:
    if one.is_dir():
        return "directory"
    return "other" if stat.S_ISLNK(one.external_attr >> 16) else "file"


class _Header(tarfile.TarInfo):
    _OF_ANOTHER = (
        *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
        *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    )

    def _proc_member(self, archive: _Tar) -> tarfile.TarInfo:
        if self.type == tarfile.XGLTYPE:  # what it says is copied for each member
            archive.global_headers += 1
            if self.size > _LONGEST_GLOBAL or archive.global_headers > _MOST_GLOBAL:
                raise ReadError("has headers for all of its members that say more than any need")
        if self.size < 0:
            raise ReadError(f"says that a file has {self.size} bytes")
        if self.type in self._OF_ANOTHER and self.size > _LONGEST_HEADER:
            raise ReadError(f"has a header of {self.size:,} bytes; {_LONGEST_HEADER:,} hold the longest names")
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]

    def _proc_sparse(self, archive: _Tar) -> tarfile.TarInfo:
        """A file with holes, in the old format: its map, in blocks one after the other, is gone past and not read."""
        more = bool(self._sparse_structs[1])  # type: ignore[attr-defined]
        while more:
            more = archive.fileobj.read(tarfile.BLOCKSIZE)[504:505] not in (b"", b"\0")
        self.sparse = b""
        self.offset_data = archive.fileobj.tell()
        archive.offset = self.offset_data + self._block(self.size)  # type: ignore[attr-defined]
        return self

    def _without_map(self, member: tarfile.TarInfo, *_: Any) -> None:
        """The same in a newer format: the map is a text of any length, before what the file holds."""
        member.sparse = b""

    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _without_map


class _Tar(tarfile.TarFile):
    tarinfo = _Header
    global_headers = 0


def _tar(stream: IO[bytes]) -> tuple[Callable[[Any], Any], Iterator[_Member]]:
    begin = stream.read(8)
    size = stream.seek(0, 2)
    stream.seek(0)
    for sign, unpack in _PACKED:
        if begin.startswith(sign):
            stream = _copy(unpack(stream), min(_MOST_BYTES, _LEAST_UNPACKED + _LARGEST_RATIO * size))
    archive = _Tar(fileobj=stream)
    return archive.extractfile, (
        _member(one.name, one.size, _type_in_tar(one), one, number) for number, one in enumerate(archive)
    )


def _type_in_tar(one: tarfile.TarInfo) -> str:
    if one.isdir():
        return "directory"
    return "file" if one.isreg() and not one.issparse() else "other"


def _member(name: str, size: int, type: str, key: Any, number: int) -> _Member:
    if size < 0:
        raise ReadError(f"says that a file has {size} bytes")
    if number >= _MOST_MEMBERS:
        raise ReadError(f"holds more than {_MOST_MEMBERS:,} files")
    if name.count("/") > _DEEPEST or len(name) > _LONGEST_NAME:
        raise ReadError(f"holds a name of {len(name):,} characters and {name.count('/'):,} folders, as no path has")
    return _Member(re.sub("/+", "/", name).strip("/"), size, type, key)
