"""Goes through records one after the other and adds up what is in them. Needs numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caffelint.evidence.data import values as kinds
from caffelint.evidence.data.datum import Box, Datum, NotDatum, annotated_of, datum_of
from caffelint.evidence.data.digests import digest, digests, file_digest
from caffelint.evidence.data.images import Array, TooLarge, is_covered, picture
from caffelint.evidence.data.seen import seen_images, seen_labels, seen_pictures
from caffelint.evidence.data.values import FIRST, IMAGE, LABEL, Facts

if TYPE_CHECKING:
    from PIL.Image import Image

_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"BM", b"GIF8")
_MOST_LABELS = 1 << 16
_TYPES = ("float64", "int64", "float32", "int32")
"""Of numpy arrays whose bytes are written as they are; those of one size in the order in which they are tried."""
_FLOATING, _WHOLE = 1e6, 1 << 15
"""Values of images, and what is made of them, are below these."""
_MOST_PICTURES = 64
"""Labels and pictures are looked at together, so many at once."""


class Options(NamedTuple):
    """How records are to be read. color: of encoded images, as `decode` has it. size: to resize to, 0x0 for none.

    classes: tops whose values are classes, one by one. annotated: are the records of SSD's form? tops: names of HDF5
    datasets, `inputs` those of them that layers with weights read. root: what begins the paths in a list of images.
    """

    color: bool | None = None
    size: tuple[int, int] = (0, 0)
    classes: Sequence[str] = ()
    annotated: bool = False
    tops: Sequence[str] = ()
    inputs: Sequence[str] = ()
    root: str = ""
    folder: str = ""


class Records:
    """facts: what was seen, whole after `finish`. digests: of each record a number for its image, 0 for none, and its
    label.
    """

    def __init__(self, options: Options):
        self.options = options
        self.facts = Facts()
        self.digests: list[Array] = []
        self._labels: list[Array] = []
        self._keys: list[bytes] = []
        self._pictures: dict[tuple[int, ...], list[tuple[list[int], str]]] = {}

    def finish(self) -> None:
        """Look at what was put off until there is more of it."""
        self._look_at_labels()
        for shape in list(self._pictures):
            self._look_at_pictures(shape)

    def _look_at_labels(self) -> None:
        if self._labels:
            keys = self._keys
            self.facts.top(LABEL).join(seen_labels(np.concatenate(self._labels), lambda row: name_of(keys[row])))
            self._labels, self._keys = [], []

    def _look_at_pictures(self, shape: tuple[int, ...]) -> None:
        if found := self._pictures.pop(shape, None):
            counts, names = zip(*found, strict=True)
            seen = seen_pictures(np.array(counts), shape, names.__getitem__, IMAGE in self.options.classes)
            self.facts.top(IMAGE).join(seen)

    def add(self, keys: Sequence[bytes], values: Sequence[bytes]) -> None:
        """Records of a database, in their order."""
        count = len(values)
        self.facts.records += count
        self.facts.bytes += sum(map(len, values))
        self.facts.first += [name_of(key) for key in keys[: FIRST - len(self.facts.first)]]
        labels = np.zeros(count, np.int64)
        marks = np.zeros(count, np.int64)
        readable = np.ones(count, np.bool_)
        for rows in _by_length(values):
            some = values if len(rows) == count else [values[int(row)] for row in rows]
            found = None if self.options.annotated or len(rows) == 1 else self._alike(some, keys, rows)
            if found is not None:
                labels[rows], marks[rows] = found
                continue
            for row, value in zip(rows, some, strict=True):
                name = name_of(keys[row])
                label, marks[row] = self._one(value, name)
                readable[row] = label is not None
                labels[row] = label or 0
        if not self.options.annotated:
            everything = readable.all()
            self._labels.append(labels if everything else labels[readable])
            self._keys += keys if everything else [keys[int(row)] for row in np.flatnonzero(readable)]
            if len(self._keys) >= _MOST_LABELS:
                self._look_at_labels()
        self.digests.append(np.stack([marks, labels], axis=1))

    def _alike(self, values: Sequence[bytes], keys: Sequence[bytes], rows: Array) -> tuple[Array, Array] | None:
        """Labels and digests of records of bytes that differ in pixels, label and id alone; None where they are not so.

        rows: the numbers of their keys.
        """
        try:
            first = datum_of(values[0])
        except NotDatum:
            return None
        shape = (first.channels, first.height, first.width)
        start, end = first.start, first.end
        if first.encoded or first.floats or first.labels > 1 or min(shape) <= 0 or end - start != math.prod(shape):
            return None
        length = len(values[0])
        whole = _table(values, start)
        columns = [*range(start), *range(end, length)]
        label = _varint(first.label, first.label_at)
        own = _varint(first.record_id, first.record_id_at)
        fixed = [column for column in columns if column not in label and column not in own]
        if not (whole[:, fixed] == whole[0, fixed]).all():
            return None
        for digits in (whole[:, at.start : at.stop] for at in (label, own) if at):
            if (digits[:, :-1] < 0x80).any() or (digits[:, -1] >= 0x80).any():
                return None
        labels = np.zeros(len(values), np.int64)
        if label:
            digits = whole[:, label.start : label.stop]
            for place in range(min(len(label), 5)):
                labels |= (digits[:, place].astype(np.int64) & 0x7F) << (7 * place)
            labels = labels.astype(np.uint32).astype(np.int32).astype(np.int64)
        pixels = whole[:, start:end]
        images = pixels.reshape(len(values), *shape)
        seen = seen_images(images, lambda row: name_of(keys[rows[row]]), IMAGE in self.options.classes)
        self.facts.top(IMAGE).join(seen)
        found = digests(pixels)
        if kinds.CONSTANT in seen.faults:
            found[(pixels == pixels[:, :1]).all(axis=1)] = 0
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
        if self.options.annotated:
            self._boxes(boxes, name)
        if datum.encoded:
            self.facts.encoded += 1
            return datum.label, self.encoded(data, name)
        image = self._image(datum, value, data, name)
        return datum.label, 0 if image is None else self.image(image, data or image.tobytes(), name)

    def image(self, image: Array, data: bytes, name: str) -> int:
        """Look at an image, channels x height x width; the digest of its bytes, 0 if all of them are the same."""
        seen = seen_images(image[None], lambda _: name, IMAGE in self.options.classes)
        self.facts.top(IMAGE).join(seen)
        return 0 if kinds.CONSTANT in seen.faults else digest(data)

    def picture(self, image: Image, data: bytes, name: str) -> int:
        """The same of a decoded image file, by its histogram: Pillow counts faster than it gives its pixels away."""
        counts = image.histogram()
        height, width = self.options.size
        if not (height and width):
            width, height = image.size
        shape = (len(counts) // 256, height, width)
        waiting = self._pictures.setdefault(shape, [])
        waiting.append((counts, name))
        if len(waiting) >= _MOST_PICTURES or len(self._pictures) >= _MOST_PICTURES:
            self.finish()
        size = image.width * image.height
        of_one_value = counts.count(size) == shape[0] and len({at % 256 for at, n in enumerate(counts) if n}) == 1
        return 0 if of_one_value else file_digest(data)

    def _image(self, datum: Datum, value: bytes, data: bytes, name: str) -> Array | None:
        facts = self.facts
        shape = (datum.channels, datum.height, datum.width)
        size = shape[0] * shape[1] * shape[2]
        if min(shape) > 0 and datum.floats and not data and datum.floats == size:
            facts.floats += 1
            return _floats(datum, value).reshape(shape)
        if min(shape) > 0 and data and len(data) == size:
            return np.frombuffer(data, np.uint8).reshape(shape)
        typed = _typed(data, size) if min(shape) > 0 and not data.startswith(_MAGIC) else ""
        other = kinds.OTHER_TYPE + typed if typed else kinds.WRONG_SIZE
        facts.fault(kinds.UNFLAGGED if data.startswith(_MAGIC) else other, name)
        return None

    def encoded(self, data: bytes, name: str) -> int:
        """Look at an image file; its digest, 0 if it cannot be decoded or has one value alone."""
        image = self.decoded(data, name)
        if image is None:
            return 0
        found = self.picture(image, data, name)
        if not found and is_covered(data):
            self.facts.top(IMAGE).fault(kinds.COVERED, name)
        return found

    def decoded(self, data: bytes | str, name: str) -> Image | None:
        """An encoded image; None, and a fault, where it cannot be decoded."""
        try:
            return picture(data, self.options.color)
        except ImportError:
            raise
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
        picture(data, color)
    except Exception:
        return False
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    return True


def _typed(data: bytes, size: int) -> str:
    """The numpy type of so many values that the bytes are, where their size is no other than that; "" for none."""
    for name in _TYPES:
        kind = np.dtype(name)
        if len(data) != size * kind.itemsize:
            continue
        with np.errstate(all="ignore"):  # a nan may be one that only signals
            values = np.frombuffer(data, kind.newbyteorder("<")).astype(np.float64)
        known = np.isfinite(values).all() and bool(values.any())
        sizes = np.abs(values[values != 0]) if known else values
        # Bytes of another type make exponents of any size, and whole numbers of many digits.
        most = _WHOLE if kind.kind in "iu" else _FLOATING
        if known and sizes.max() < most and (kind.kind != "f" or np.median(sizes) > 1 / _FLOATING):
            return name
    return ""


def _floats(datum: Datum, value: bytes) -> Array:
    if datum.packed:
        return np.frombuffer(value, "<f4", datum.floats, datum.floats_at)
    tagged = np.frombuffer(value, np.uint8, 5 * datum.floats - 1, datum.floats_at)
    whole = np.append(tagged, np.uint8(0)).reshape(datum.floats, 5)[:, :4]
    found: Array = np.ascontiguousarray(whole).view("<f4").reshape(-1)
    return found


def _by_length(values: Sequence[bytes]) -> list[Array]:
    """The numbers of the records of each length, by the first of them."""
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    _, firsts, kinds = np.unique(lengths, return_index=True, return_inverse=True)
    if len(firsts) == 1:
        return [np.arange(len(values))]
    order = np.argsort(kinds, kind="stable")
    found = np.split(order, np.cumsum(np.bincount(kinds))[:-1])
    return [found[kind] for kind in np.argsort(firsts)]


def _table(values: Sequence[bytes], start: int) -> Array:
    """Records of one length, one a row, which lie in memory so that the byte `start` of each begins a word."""
    length = len(values[0])
    gap = bytes(-length % 8)
    begin = len(gap) + (-len(gap) - start) % 8
    data = gap.join([bytes(begin - len(gap)), *values, b""])
    width = length + len(gap)
    return np.frombuffer(data, np.uint8, len(values) * width, begin).reshape(len(values), width)[:, :length]


def _varint(value: int, end: int) -> range:
    """The bytes of a number that ends there; none where `end` is 0."""
    size = 10 if value < 0 else max(1, -(-value.bit_length() // 7))
    return range(end - size, end) if end else range(0)


def name_of(key: bytes) -> str:
    """A key as text."""
    return bytes(key).decode("utf-8", "backslashreplace")
