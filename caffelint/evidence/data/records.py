"""Goes through records one after the other and adds up what is in them. Needs numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from caffelint.evidence.data import values as kinds
from caffelint.evidence.data.datum import Box, Datum, NotDatum, annotated_of, datum_of
from caffelint.evidence.data.digests import digest, digests
from caffelint.evidence.data.images import Array, TooLarge, decode
from caffelint.evidence.data.seen import seen_images, seen_labels
from caffelint.evidence.data.values import IMAGE, LABEL, Facts

_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"BM", b"GIF8")
_LARGEST_DATUM = 1 << 28


class Options(NamedTuple):
    """How records are to be read. color: of encoded images, as `decode` has it. size: to resize to, 0x0 for none.

    classes: tops whose values are classes, one by one. annotated: are the records of SSD's form? tops: names of HDF5
    datasets. root: what begins the paths in a list of images.
    """

    color: bool | None = None
    size: tuple[int, int] = (0, 0)
    classes: Sequence[str] = ()
    annotated: bool = False
    tops: Sequence[str] = ()
    root: str = ""
    folder: str = ""


class Records:
    """facts: what was seen so far. digests: of each record a number for its image, 0 for none, and its label."""

    def __init__(self, options: Options):
        self.options = options
        self.facts = Facts()
        self.digests: list[Array] = []

    def add(self, keys: Sequence[bytes], values: Sequence[bytes]) -> None:
        """Records of a database, in their order."""
        count = len(values)
        self.facts.records += count
        self.facts.bytes += sum(map(len, values))
        labels = np.zeros(count, np.int64)
        marks = np.zeros(count, np.int64)
        readable = np.ones(count, np.bool_)
        for rows in _by_length(values):
            some = values if len(rows) == count else [values[row] for row in rows]
            found = None if self.options.annotated or len(some) == 1 else self._alike(some, [keys[row] for row in rows])
            if found is not None:
                labels[rows], marks[rows] = found
                continue
            for row, value in zip(rows, some, strict=True):
                name = name_of(keys[row])
                label, marks[row] = self._one(value, name)
                readable[row] = label is not None
                labels[row] = label or 0
        if not self.options.annotated:
            known = np.flatnonzero(readable)
            self.facts.top(LABEL).join(seen_labels(labels[known], lambda row: name_of(keys[known[row]])))
        self.digests.append(np.stack([marks, labels], axis=1))

    def _alike(self, values: Sequence[bytes], keys: Sequence[bytes]) -> tuple[Array, Array] | None:
        """Labels and digests of records of bytes that differ in pixels and label alone; None where they are not so."""
        try:
            first = datum_of(values[0])
        except NotDatum:
            return None
        shape = (first.channels, first.height, first.width)
        start, end = first.start, first.end
        if first.encoded or first.floats or first.labels > 1 or min(shape) <= 0 or end - start != np.prod(shape):
            return None
        length = len(values[0])
        whole = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), length)
        columns = [*range(start), *range(end, length)]
        width = _varint_size(first.label) if first.labels else 0
        at = range(first.label_at - width, first.label_at)
        fixed = [column for column in columns if column not in at]
        if not (whole[:, fixed] == whole[0, fixed]).all():
            return None
        labels = np.zeros(len(values), np.int64)
        if width:
            digits = whole[:, at.start : at.stop]
            if (digits[:, :-1] < 0x80).any() or (digits[:, -1] >= 0x80).any():
                return None
            for place in range(min(width, 5)):
                labels |= (digits[:, place].astype(np.int64) & 0x7F) << (7 * place)
            labels = labels.astype(np.uint32).astype(np.int32).astype(np.int64)
        rows = whole[:, start:end].reshape(len(values), *shape)
        seen = seen_images(rows, lambda row: name_of(keys[row]), IMAGE in self.options.classes)
        self.facts.top(IMAGE).join(seen)
        found = digests(whole[:, start:end])
        if kinds.CONSTANT in seen.faults:
            found[(whole[:, start:end] == whole[:, start : start + 1]).all(axis=1)] = 0
        return labels, found

    def _one(self, value: bytes, name: str) -> tuple[int | None, int]:
        """The label and the digest of a record of any form; no label where it cannot be read."""
        boxes: list[Box] = []
        try:
            if self.options.annotated:
                found = annotated_of(value)
                if found is None:
                    raise NotDatum("is no AnnotatedDatum")
                datum, boxes = found
            else:
                datum = datum_of(value)
        except NotDatum:
            self.facts.fault(kinds.NOT_DATUM, name)
            return None, 0
        data = value[datum.start : datum.end]
        image = self._image(datum, value, data, name)
        if self.options.annotated:
            self._boxes(boxes, name)
        if image is None:
            return datum.label, 0
        return datum.label, self.image(image, data or image.tobytes(), name)

    def image(self, image: Array, data: bytes, name: str) -> int:
        """One image, channels x height x width, and the digest of its bytes."""
        seen = seen_images(image[None], lambda _: name, IMAGE in self.options.classes)
        height, width = self.options.size
        if height and width:
            seen.shapes = {f"{len(image)}x{height}x{width}": fault for fault in seen.shapes.values()}
        self.facts.top(IMAGE).join(seen)
        return 0 if kinds.CONSTANT in seen.faults else digest(data)

    def _image(self, datum: Datum, value: bytes, data: bytes, name: str) -> Array | None:
        facts = self.facts
        shape = (datum.channels, datum.height, datum.width)
        if datum.encoded:
            facts.encoded += 1
            return self.decoded(data, name)
        size = shape[0] * shape[1] * shape[2]
        if min(shape) > 0 and datum.floats and not data and datum.floats == size:
            facts.floats += 1
            return _floats(datum, value).reshape(shape)
        if min(shape) > 0 and data and len(data) == size:
            return np.frombuffer(data, np.uint8).reshape(shape)
        facts.fault(kinds.UNFLAGGED if data.startswith(_MAGIC) else kinds.WRONG_SIZE, name)
        return None

    def decoded(self, data: bytes | str, name: str) -> Array | None:
        """An encoded image; None, and a fault, where it cannot be decoded."""
        try:
            return decode(data, self.options.color)
        except TooLarge:
            self.facts.fault(kinds.TOO_LARGE, name)
            return None
        except Exception:
            pass  # Pillow raises many kinds of exceptions for images that are damaged
        self.facts.fault(kinds.CUT if _is_cut(data, self.options.color) else kinds.UNDECODABLE, name)
        return None

    def _boxes(self, boxes: Sequence[Box], name: str) -> None:
        facts = self.facts
        labels = np.array([box.label for box in boxes], np.float64)
        facts.top(LABEL).join(seen_labels(labels, lambda _: name))
        for box in boxes:
            corners = box[1:]
            if not all(-0.01 <= corner <= 1.01 for corner in corners):
                facts.fault(kinds.BOX_OUTSIDE, name)
            elif box.xmax <= box.xmin or box.ymax <= box.ymin:
                facts.fault(kinds.BOX_EMPTY, name)


def _is_cut(data: bytes | str, color: bool | None) -> bool:
    """Is it an image whose end is missing? OpenCV decodes what is there."""
    from PIL import ImageFile

    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        decode(data, color)
    except Exception:
        return False
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    return True


def _floats(datum: Datum, value: bytes) -> Array:
    if datum.packed:
        return np.frombuffer(value, "<f4", datum.floats, datum.floats_at)
    tagged = np.frombuffer(value, np.uint8, 5 * datum.floats - 1, datum.floats_at)
    whole = np.append(tagged, np.uint8(0)).reshape(datum.floats, 5)[:, :4]
    found: Array = np.ascontiguousarray(whole).view("<f4").reshape(-1)
    return found


def _by_length(values: Sequence[bytes]) -> list[list[int]]:
    """The numbers of the records of each length."""
    if len(set(map(len, values))) == 1:
        return [[*range(len(values))]]
    rows: dict[int, list[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(len(value), []).append(row)
    return list(rows.values())


def _varint_size(value: int) -> int:
    return 10 if value < 0 else max(1, -(-value.bit_length() // 7))


def name_of(key: bytes) -> str:
    """A key as text."""
    return bytes(key).decode("utf-8", "backslashreplace")
