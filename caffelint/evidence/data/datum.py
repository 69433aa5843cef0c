"""Records of databases, read from their bytes without building messages: most of a Datum is its pixels.

The fields are those of BVLC's `Datum` (caffe.proto) with NVCaffe's `record_id`, and of SSD's `AnnotatedDatum`, which
holds one in its field 1.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

CHANNELS, HEIGHT, WIDTH, DATA, LABEL, FLOATS, ENCODED, RECORD_ID = range(1, 9)
_FLOAT_TAG = FLOATS << 3 | 5


class NotDatum(Exception):
    """The bytes are no message of this form."""


class Datum(NamedTuple):
    """data: the bytes from `start` to `end` of the record. floats: how many, each after a tag unless `packed`.

    label_at, record_id_at: where the numbers end, 0 for none.
    """

    channels: int
    height: int
    width: int
    start: int
    end: int
    label: int
    label_at: int
    floats: int
    floats_at: int
    packed: bool
    encoded: bool
    labels: int
    record_id: int
    record_id_at: int


class Box(NamedTuple):
    """An annotated object: its class, and its corners as shares of the image."""

    label: int
    xmin: float
    ymin: float
    xmax: float
    ymax: float


def fields(record: bytes, start: int = 0, end: int | None = None) -> list[tuple[int, int, int, int]]:
    """Of each field in a message: its number, its wire type, and its value, or where its bytes begin and end.

    Of a varint the third is the value, the fourth where it ended. Raises NotDatum.
    """
    found = []
    at, end = start, len(record) if end is None else end
    while at < end:
        tag, at = varint(record, at, end)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(record, at, end)
            found.append((number, kind, value, at))
        elif kind == 2:
            size, at = varint(record, at, end)
            found.append((number, kind, at, at + size))
            at += size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            found.append((number, kind, at, at + size))
            at += size
            if tag == _FLOAT_TAG and at < end:  # thousands of them follow
                run = _run(record, at, end)
                found[-1] = (number, kind, at - size, at + 5 * run)
                at += 5 * run
        else:
            raise NotDatum(f"has a field of wire type {kind}")
        if not number or tag >> 32 or at > end:
            raise NotDatum("ends within a field")
    return found


def _run(record: bytes, at: int, end: int) -> int:
    """How many more floats with a tag each follow one after the other."""
    tags = record[at:end:5]
    count = len(tags) - len(tags.lstrip(bytes([_FLOAT_TAG])))
    return min(count, (end - at) // 5)


def varint(record: bytes, at: int, end: int) -> tuple[int, int]:
    """A varint and where it ends. Raises NotDatum."""
    value = shift = 0
    while at < end:
        byte = record[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            break
    raise NotDatum("ends within a number")


def signed(value: int) -> int:
    """An int32 of a varint (negative ones take ten bytes)."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def datum_of(record: bytes, start: int = 0, end: int | None = None) -> Datum:
    """What a Datum holds and where. Raises NotDatum."""
    sizes = [0, 0, 0, 0]
    data = (0, 0)
    label = label_at = labels = floats = floats_at = record_id = record_id_at = 0
    packed = encoded = False
    known = False
    for number, kind, first, last in fields(record, start, end):
        if number <= WIDTH and kind == 0:
            sizes[number] = signed(first)
            known = True
        elif number == DATA and kind == 2:
            data = first, last
            known = True
        elif number == LABEL and kind == 0:
            label, label_at = signed(first), last
            known = True
            labels += 1
        elif number == FLOATS and kind in (2, 5):
            packed = kind == 2
            count = (last - first) // 4 if packed else (last - first + 1) // 5
            if floats:
                raise NotDatum("has its floats in several places")
            floats, floats_at = count, first
            known = True
        elif number == ENCODED and kind == 0:
            encoded = bool(first)
            known = True
        elif number == RECORD_ID and kind == 0:
            record_id, record_id_at = first, last
        elif number <= ENCODED:
            raise NotDatum(f"has field {number} of wire type {kind}")
    if not known:
        raise NotDatum("has none of the fields of a Datum")
    _, channels, height, width = sizes
    start, end = data
    floating = floats, floats_at, packed
    numbers = labels, record_id, record_id_at
    return Datum(channels, height, width, start, end, label, label_at, *floating, encoded, *numbers)


def annotated_of(record: bytes) -> tuple[Datum, list[Box]] | None:
    """The Datum in an AnnotatedDatum, and its boxes; None if the record is not one. Raises NotDatum."""
    found = fields(record)
    inner = [(first, last) for number, kind, first, last in found if number == 1 and kind == 2]
    if len(inner) != 1:
        return None
    boxes = []
    for number, kind, first, last in found:
        if number == 3 and kind == 2:
            boxes += _group(record, first, last)
    return datum_of(record, *inner[0]), boxes


def _group(record: bytes, start: int, end: int) -> list[Box]:
    """The boxes of an AnnotationGroup: group_label 1, annotation 2 { instance_id 1, bbox 2 { xmin 1 ... ymax 4 } }."""
    parts = fields(record, start, end)
    label = next((signed(first) for number, kind, first, _ in parts if number == 1 and kind == 0), 0)
    boxes = []
    for number, kind, first, last in parts:
        if number != 2 or kind != 2:
            continue
        for inner, inner_kind, begin, stop in fields(record, first, last):
            if inner == 2 and inner_kind == 2:
                corners = [0.0] * 4
                for place, place_kind, at, _ in fields(record, begin, stop):
                    if 1 <= place <= 4 and place_kind == 5:
                        corners[place - 1] = struct.unpack_from("<f", record, at)[0]
                boxes.append(Box(label, *corners))
    return boxes
