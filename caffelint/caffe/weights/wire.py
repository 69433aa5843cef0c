"""protobuf's wire format, walked in place: files of weights are gigabytes of numbers, of which no message is built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.text.records import NamedTuple

VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = range(6)
_SIZES = {FIXED64: 8, FIXED32: 4}
_MOST_GROUPS = 100
_RUN = 1 << 16

Buffer = Any
"""`bytes` or a memory map: sliced and indexed."""


class Damaged(Exception):
    """Bytes that are not in the wire format: where, and what is wrong there."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class Part(NamedTuple):
    """A field: its number, its wire type, where its tag begins, where its payload begins, and where it ends."""

    number: int
    kind: int
    start: int
    payload: int
    end: int


def varint(data: Buffer, at: int, end: int) -> tuple[int, int]:
    """A varint and the offset after it. Raises `Damaged`."""
    value = shift = 0
    for offset in range(at, min(at + 10, end)):
        byte = data[offset]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset + 1
        shift += 7
    raise Damaged(at, "the file ends inside of a number" if end - at < 10 else "a number has more than 10 bytes")


def parts(data: Buffer, start: int, end: int, *, outermost: bool = False) -> Iterator[Part]:
    """The fields of a message from `start` to `end`. Raises `Damaged`.

    outermost: a zero byte or the end of a group where a field should begin ends the message
    (message_lite.cc MergePartialFromCodedStream), and what follows is not read.
    """
    at = start
    while at < end:
        tag, payload = varint(data, at, end)
        number, kind = tag >> 3, tag & 7
        if outermost and (tag == 0 or kind == END_GROUP):
            return
        if not 0 < number < 1 << 29:
            raise Damaged(at, f"field number {number} does not exist")
        after, payload = _end(data, at, number, kind, payload, end)
        yield Part(number, kind, at, payload, after)
        at = after


def _end(data: Buffer, at: int, number: int, kind: int, payload: int, end: int, depth: int = 0) -> tuple[int, int]:
    """Where a field ends, and where its payload begins after its length."""
    if kind == VARINT:
        return varint(data, payload, end)[1], payload
    if kind in _SIZES:
        if payload + _SIZES[kind] > end:
            raise Damaged(at, "the file ends inside of a number")
        return payload + _SIZES[kind], payload
    if kind == BYTES:
        size, payload = varint(data, payload, end)
        if payload + size > end:
            raise Damaged(at, f"a field of {size} bytes begins, but only {end - payload} are left")
        return payload + size, payload
    if kind == GROUP and depth < _MOST_GROUPS:
        inner = payload
        while True:
            tag, after = varint(data, inner, end)
            if tag & 7 == END_GROUP:
                if tag >> 3 != number:
                    raise Damaged(inner, "a group ends that did not begin")
                return after, payload
            inner = _end(data, inner, tag >> 3, tag & 7, after, end, depth + 1)[0]
    raise Damaged(at, f"wire type {kind} does not exist here")


def repeats(data: Buffer, start: int, end: int, step: int) -> int:
    """How many fields of `step` bytes each, all with the one byte at `start` as their tag, follow each other."""
    first = data[start : start + 1]
    at, same, run = start, True, 1
    while same:
        run = min(4 * run, _RUN)  # few of them are looked at where few follow
        heads = data[at : min(at + step * run, end - step + 1) : step]
        own = len(heads) - len(heads.lstrip(first))
        at += own * step
        same = bool(heads) and own == len(heads)
    return (at - start) // step


def tag(number: int, kind: int) -> bytes:
    return encoded(number << 3 | kind)


def encoded(value: int) -> bytes:
    """A varint."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
