"""Reads the index of git: what it tracks (gitformat-index(5))."""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack_from

from caffelint.lint.read import ReadError, read
from caffelint.text.records import NamedTuple

_LONGEST = 4096
"""Of a name, as of a path in Linux."""
_SHARED = "sharedindex."
"""Of a split index: most of what git tracks, beside the index."""
_MOST_SHARED = 4
"""Bytes of names for each of an index: version 4 leaves out what a name shares with the one before it."""
_WORD = 64


class Tracked(NamedTuple):
    """A file in the index, by its path from the top with slashes, and how it was when it was last known to be the same.

    `time` is that of its last change in ns; `skipped`: git does not look at the file; not `merged`: a conflict is open.
    """

    name: str
    blob: str
    mode: int
    size: int
    time: int
    skipped: bool
    merged: bool


def read_index(path: str) -> list[Tracked]:
    """As many entries as can be read, of a split index those of the shared one, too. Raises `ReadError`."""
    data = read(path)
    for id_size in (20, 32):  # SHA-1, SHA-256
        found, end = _entries(data, id_size)
        link = _link(data, end, len(data) - id_size)
        shared = _shared(path, link[:id_size], id_size)
        if shared:
            return _joined(shared, found, link[id_size:])
        if found:
            return found
    return []


_HEADER = 12
"""Bytes of a signature, a version and a count (gitformat-index(5))."""


def is_whole(path: str) -> bool:
    """Whether all that an index holds is read, and none is beside it that others may share. Raises `ReadError`."""
    data = read(path)
    beside = os.listdir(os.path.dirname(path))
    found = max(len(_entries(data, id_size)[0]) for id_size in (20, 32))
    if not data.startswith(b"DIRC") or len(data) < _HEADER:
        return False
    return found >= _count(data) and not any(file.startswith(_SHARED) for file in beside)


def _count(data: bytes) -> int:
    """How many entries an index says that it has."""
    return int.from_bytes(data[8:12], "big")


def _link(data: bytes, at: int, end: int) -> bytes:
    """The extension of a split index that names the shared one; empty where there is none."""
    while at + 8 <= end:
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        if name == b"link":
            return data[at + 8 : min(at + 8 + size, end)]
        at += 8 + size
    return b""


def _shared(index: str, name: bytes, id_size: int) -> list[Tracked]:
    if not name.strip(b"\0"):
        return []
    try:
        return _entries(read(os.path.join(os.path.dirname(index), _SHARED + name.hex())), id_size)[0]
    except ReadError:
        return []


def _joined(shared: list[Tracked], own: list[Tracked], bitmaps: bytes) -> list[Tracked]:
    """What a split index means: the first of its own entries have no name and take the place of shared ones."""
    deleted, at = _bits(bitmaps, 0, len(shared))
    replaced, _ = _bits(bitmaps, at, len(shared))
    found = dict(enumerate(shared))
    unnamed = iter(own)
    for number in replaced:
        if entry := next(unnamed, None):
            found[number] = entry._replace(name=shared[number].name)
    for number in deleted:
        found.pop(number, None)
    added = [entry for entry in own if entry.name]
    names = {entry.name for entry in added}
    return [*(entry for entry in found.values() if entry.name not in names), *added]


def _bits(data: bytes, at: int, most: int) -> tuple[list[int], int]:
    """The places below `most` of the bits that are set in a bitmap (ewah/ewok_rlw.h), and where the bitmap ends.

    Words say how many words of equal bits follow, and how many as they are.
    """
    count = int.from_bytes(data[at + 4 : at + 8], "big")
    begin, end = at + 8, at + 8 + 8 * count
    read = min(count, max(len(data) - begin, 0) // 8, 2 * (most // _WORD) + 4)  # more there are only of no length
    words = unpack_from(f">{read}Q", data, begin) if read else ()
    found: list[int] = []
    place = number = 0
    while number < len(words) and place < most:
        bit, equal, literal = words[number] & 1, words[number] >> 1 & 0xFFFFFFFF, words[number] >> 33
        equal = min(place + _WORD * equal, most)
        found += range(place, equal) if bit else ()
        place, number = equal, number + 1
        for word in words[number : number + min(literal, (most - place) // _WORD + 1)]:
            found += [place + bit for bit in range(_WORD) if word >> bit & 1 and place + bit < most]
            place += _WORD
        number += literal
    return found, end + 4


def _entries(data: bytes, id_size: int) -> tuple[list[Tracked], int]:
    """What an index holds, in versions 2 to 4, as much as can be read, and where that ends."""
    found: list[Tracked] = []
    end = 12
    for entry, end in _each(data, id_size):  # noqa: B007
        found.append(entry)
    return found, end


def _each(data: bytes, id_size: int) -> Iterator[tuple[Tracked, int]]:
    version, count = int.from_bytes(data[4:8], "big"), _count(data)
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return
    at, name = 12, b""
    left = _MOST_SHARED * len(data)
    for _ in range(count):
        start = at
        at += 40 + id_size
        if at + 2 > len(data):
            return
        _, _, seconds, fraction, _, _, mode, _, _, size = unpack_from(">10I", data, start)
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 2
        skipped = bool(flags & 0x8000)
        if version > 2 and flags & 0x4000:
            if at + 2 > len(data):
                return
            skipped = skipped or bool(data[at] & 0x40)
            at += 2
        kept = 0
        if version == 4:
            cut, at = _varint(data, at)
            kept = len(name) - cut
        end = data.find(b"\0", at)
        if end < 0 or kept < 0:
            return
        name = name[:kept] + data[at:end]
        left -= len(name)
        if left < 0 or len(name) > _LONGEST:
            return
        if min(len(name), 0xFFF) != flags & 0xFFF:
            return
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8
        blob = data[start + 40 : start + 40 + id_size].hex()
        merged = not flags & 0x3000
        changed = seconds * 10**9 + fraction
        yield Tracked(os.fsdecode(name), blob, mode, size, changed, skipped, merged), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An offset of a pack (varint.c, decode_varint), and where it ends."""
    value = -1
    for byte in data[at : at + 5]:
        value = (value + 1) << 7 | byte & 0x7F
        at += 1
        if not byte & 0x80:
            break
    return value, at
