"""Sources that are lists of files: of images (ImageData), of windows in images (WindowData), of HDF5 files (HDF5Data).

Each is planned as parts, which can be read one by one; a part is a list of plain values.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from caffelint.caffe.hdf5_links import elsewhere
from caffelint.evidence.data import values as kinds
from caffelint.evidence.data.columns import columns_of
from caffelint.evidence.data.digests import digests as marks
from caffelint.evidence.data.digests import joined
from caffelint.evidence.data.records import Records
from caffelint.evidence.data.rounding import rounded
from caffelint.evidence.data.seen import seen_images, seen_labels
from caffelint.evidence.data.values import FIRST, LABEL
from caffelint.lint.data_source import Unreadable
from caffelint.lint.reach import is_special

Part = list[Any]
_LIST_PART = 1 << 17
"""Bytes of a list of images: some thousand of them."""
_MOST_PARTS = 4096
_LONGEST_LINE = 1 << 16
_LARGEST_FILE = 1 << 28
_LONGEST_NUMBER = 100
_WHOLE = re.compile(r"\s*[+-]?\d+")
_MORE = re.compile(r"\s*[+-]?\d*\.\d*[1-9]")
_HDF5_PART = 1 << 26
_LARGEST_ROW = 1 << 28
_MOST_BAD = 200
"""Files of a list that cannot be read: after so many, nothing that it names is looked at any more."""
_BOMB, _OF_A_ROW = 1000, 256
"""So many times the size of a HDF5 file is more than any real data is compressed; a row takes the time of so many
bytes at least."""
_SMALL = 1 << 32
_MOST_SAMPLED = 1 << 44
"""Values that are cut into parts, so that some may be read of each."""


def image_parts(path: str) -> list[Part]:
    """Ranges of bytes; a line belongs to the part that it begins in."""
    size = os.path.getsize(path)
    if not size:
        raise Unreadable("is empty")
    step = max(_LIST_PART, -(-size // _MOST_PARTS))
    return [[start, min(start + step, size)] for start in range(0, size, step)]


def read_images(path: str, part: Part, records: Records, limit: int, tick: Callable[[], None]) -> None:
    """The images that the lines of a part name, and their labels (image_data_layer.cpp, DataLayerSetUp)."""
    labels: list[int] = []
    names: list[str] = []
    digests: list[int] = []
    facts = records.facts
    with open(path, "rb") as file:
        for line in _lines_of(file, part):
            name, found, label = _name_and_label(os.fsdecode(line))
            facts.records += 1
            number, is_part = _label(label if found else name)
            if number is None or not found:
                facts.fault(kinds.NO_LABEL, name)
            elif is_part:
                facts.fault(kinds.PART_LABEL, f"{name} {label.strip()}")
            labels.append(number or 0)
            names.append(name)
            digests.append(add_image(name, records))
            tick()
            if len(labels) == limit:
                break
    facts.first += [os.path.basename(name) for name in names[:FIRST]]
    facts.top(LABEL).join(seen_labels(np.array(labels, np.float64), lambda row: names[row]))
    records.digests.append(np.array([digests, labels], np.int64).T.reshape(-1, 2))


def image_name(path: str, number: int) -> str:
    """The file that a line of a list names."""
    with open(path, "rb") as file:
        return _name_and_label(os.fsdecode(next(islice(file, number, None)).removesuffix(b"\n")))[0]


def _lines_of(file: IO[bytes], part: Part) -> Iterator[bytes]:
    start, end = part
    if start:
        file.seek(start - 1)
        file.readline(end - start + 1)  # a line that goes on belongs to the part in which it begins
    while file.tell() < end and (line := file.readline(_LONGEST_LINE)):
        yield line.removesuffix(b"\n")


def _name_and_label(line: str) -> tuple[str, bool, str]:
    """The label is what follows the last blank; without one the line is all name, and Caffe reads it as label, too."""
    name, blank, label = line.rpartition(" ")
    return (name, True, label) if blank else (line, False, line)


def _label(text: str) -> tuple[int | None, bool]:
    """As C's atoi reads it, None where there is no number; and whether it has a fraction, which is dropped."""
    found = _WHOLE.match(text)
    number = int(found.group()) if found and len(found.group()) < _LONGEST_NUMBER else None
    return (number if number is None or abs(number) < 1 << 31 else None), bool(_MORE.match(text))


def add_image(name: str, records: Records) -> int:
    """The digest of an image file, 0 where it cannot be read."""
    path = os.path.join(records.options.folder, records.options.root + name) if name else ""
    data = _content(path)
    if data is None:
        records.facts.fault(kinds.MISSING, name)
        return 0
    records.facts.bytes += len(data)
    return records.encoded(data, name)


def _content(path: str) -> bytes | None:
    if "\0" in path or not os.path.isfile(path) or is_special(path) or os.path.getsize(path) > _LARGEST_FILE:
        return None
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def read_windows(path: str, records: Records, limit: int, tick: Callable[[], None]) -> None:
    """The images of a window file, and the classes of their windows (window_data_layer.cpp, DataLayerSetUp)."""
    facts = records.facts
    with open(path, "rb") as file:
        words = _words(file)
        for word in words:
            if word != b"#":
                raise Unreadable(f"is not a window file: image {facts.records} does not begin with # and a number")
            try:
                _, name = next(words), os.fsdecode(next(words))
                shape = [int(next(words)) for _ in range(3)]
                rows = [[float(next(words)) for _ in range(6)] for _ in range(int(next(words)))]
            except (StopIteration, ValueError, RuntimeError) as error:
                raise Unreadable(f"ends within image {facts.records}, or has a word where a number is due") from error
            facts.records += 1
            _window_image(name, shape, rows, records)
            tick()
            if facts.records == limit:
                return


def _window_image(name: str, shape: Sequence[int], rows: Sequence[Sequence[float]], records: Records) -> None:
    facts = records.facts
    labels = np.array([row[0] for row in rows], np.float64)
    facts.top(LABEL).join(seen_labels(labels, lambda _: name))
    data = _content(os.path.join(records.options.folder, records.options.root + name))
    if data is None:
        facts.fault(kinds.MISSING, name)
        return
    facts.bytes += len(data)
    image = records.decoded(data, name)
    if image is None:
        return
    records.picture(image, data, name)
    if [image.height, image.width] != list(shape[1:]):
        facts.fault(kinds.WRONG_SIZE, name)
    for row in rows:
        x1, y1, x2, y2 = row[2:]
        if x1 < 0 or y1 < 0 or x2 >= image.width or y2 >= image.height:
            facts.fault(kinds.BOX_OUTSIDE, name)
        elif x2 < x1 or y2 < y1:
            facts.fault(kinds.BOX_EMPTY, name)


def _words(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(_LONGEST_LINE):
        yield from line.split()


def beside(options: Any, name: str) -> str:
    """The path of a file that a list names."""
    return os.path.join(options.folder, name)


def hdf5_parts(path: str, options: Any, sampled: bool) -> tuple[list[Part], int, int]:
    """Ranges of rows of each file that the list names, how many rows there are, and how many bytes they take."""
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    import h5py

    parts: list[Part] = []
    total = values = stored = 0
    seen: set[str] = set()
    bad: set[str] = set()
    with open(path, "rb") as file:
        names = [os.fsdecode(word) for word in _words(file)]
    if not names:
        raise Unreadable("names no HDF5 file")
    for name in names:
        if name in bad or len(bad) == _MOST_BAD:
            continue
        where = beside(options, name)
        try:
            if not os.path.isfile(where) or is_special(where):
                raise Unreadable(where)
            with h5py.File(where, "r") as data:
                rows, size = _rows(data, options.tops)
        except (OSError, Unreadable):
            parts.append([name, 0, 0])
            bad.add(name)
            continue
        values += rows * max(size, _OF_A_ROW)
        stored += 0 if where in seen else os.path.getsize(where)
        seen.add(where)
        if values > max(_SMALL, _BOMB * stored) and not (sampled and values < _MOST_SAMPLED):
            raise Unreadable(
                f'names "{name}", with which {stored:,} bytes hold {total + rows:,} rows of {size:,} bytes;'
                " to read a part of it, give --sample"
            )
        step = max(1, _HDF5_PART // max(size, 1))
        parts += ([name, start, min(start + step, rows)] for start in range(0, rows, step)) if rows else [[name, 0, 0]]
        total += rows
    return parts, total, values


def row_name(path: str, number: int, options: Any) -> str:
    """The file and the row of a record, by its number in all files."""
    file, row = row_of(number, hdf5_parts(path, options, sampled=True)[0])
    return f"row {row} of {file}"


def row_of(number: int, parts: Sequence[Part]) -> tuple[str, int]:
    """The file and the row of a record, by its number in all parts."""
    for name, start, stop in parts:
        if number < stop - start:
            return name, start + number
        number -= stop - start
    raise Unreadable(f"has no record {number}")


def _rows(file: Any, tops: Sequence[str]) -> tuple[int, int]:
    """How many rows the datasets have, and the bytes of a row as Caffe holds it. Raises Unreadable."""
    shapes = [dataset_of(file, top).shape for top in tops]
    counts = {shape[0] for shape in shapes}
    if len(counts) > 1:
        listed = " and ".join(f'{shape[0]} in "{top}"' for top, shape in zip(tops, shapes, strict=True))
        raise Unreadable(f"has {listed}; all tops need the same number of rows")
    size = 4 * sum(math.prod(shape[1:]) for shape in shapes)
    if size > _LARGEST_ROW:
        raise Unreadable(f"has rows of {size >> 20:,} MiB, too large to read")
    return counts.pop() if counts else 0, size


def dataset_of(file: Any, top: str) -> Any:
    """The dataset of that name. Raises Unreadable where Caffe's hdf5_load_nd_dataset refuses it."""
    import h5py

    if reason := elsewhere(file, top):
        raise Unreadable(reason)
    found = file.get(top)
    if not isinstance(found, h5py.Dataset):
        there = ", ".join(list(file)[:10])
        raise Unreadable(f'has no dataset "{top}", the name of the top; its datasets are {there or "none"}')
    if not found.shape:
        raise Unreadable(f'has a dataset "{top}" without axes')
    if found.dtype.kind not in "fiu":
        raise Unreadable(f'has a dataset "{top}" of {found.dtype}; Caffe takes numbers')
    return found


def read_hdf5(part: Part, records: Records, limit: int, tick: Callable[[], None]) -> None:
    """Rows of a file, as the float32 that Caffe makes of them."""
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    import h5py

    name, start, stop = part
    options, facts = records.options, records.facts
    path = os.path.join(options.folder, name)
    if not os.path.isfile(path) or is_special(path):
        facts.fault(kinds.MISSING, name)
        return
    stop = min(stop, start + limit) if limit else stop
    with h5py.File(path, "r") as file:
        try:
            rows, size = _rows(file, options.tops)
        except Unreadable as reason:
            raise Unreadable(f'names "{name}", which {reason}') from None
        if not rows:
            raise Unreadable(f'names "{name}", which holds no rows')
        step = max(1, (1 << 22) // max(size, 1))
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            facts.records += end - begin
            facts.bytes += (end - begin) * size
            digests = np.zeros((end - begin, 2), np.int64)
            for top in options.tops:
                stored = dataset_of(file, top)[begin:end]
                with np.errstate(over="ignore"):
                    values = stored.astype(np.float32, copy=False)
                _add(records, top, values, name, begin, digests)
                if lost := rounded(stored, name):
                    records.facts.top(top).join_rounded(lost)
            records.digests.append(digests)
            tick()


def _add(records: Records, top: str, values: Any, name: str, begin: int, digests: Any) -> None:
    def named(row: int) -> str:
        return f"row {begin + row} of {name}"

    if values[0].size == 1:
        seen = seen_labels(values.reshape(-1), named)
        seen.shapes = {"x".join(map(str, values.shape[1:])) or kinds.SCALAR: fault for fault in seen.shapes.values()}
        if digests[:, 1].any() or top in records.options.classes:
            digests[:, 1] = np.nan_to_num(values.reshape(-1), nan=0, posinf=0, neginf=0).astype(np.int64)
    else:
        seen = seen_images(values, named, top in records.options.classes)
        if top in (records.options.inputs or records.options.tops):
            flat = values.reshape(len(values), -1)
            found = marks(np.ascontiguousarray(flat).view(np.uint8))
            if not {kinds.CONSTANT, kinds.NAN, kinds.INF, kinds.BELOW}.isdisjoint(seen.faults):
                found[(flat == flat[:, :1]).all(axis=1)] = 0
            digests[:, 0] = joined(np.ascontiguousarray(digests[:, 0]), found)  # a pair is repeated if both of it are
    seen.files = {name: columns_of(values)}
    records.facts.top(top).join(seen)
