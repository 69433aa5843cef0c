"""Reads real data batch by batch, as Caffe's data layers do. Needs the extra `caffelint[data]`; writes nothing.

These files may be damaged enough to end the process, so this runs in an engine, which is a separate process.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caffelint.caffe.hdf5_links import elsewhere
from caffelint.evidence.data.images import Array, decode, resize
from caffelint.evidence.data.transformer import Transform
from caffelint.lint.data_source import Unreadable, check_files, check_leveldb, stand_in
from caffelint.lint.read import ReadError, opened, read
from caffelint.schema import Datum
from caffelint.text.writing import temporary_folder

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer

__all__ = ["NotInstalled", "Source", "Unreadable", "open_source"]

LMDB = 1


class Record(NamedTuple):
    """name: what to look for in the source, and where. read: gives the values, by top name."""

    name: str
    read: Callable[[], dict[str, Array]]


class NotInstalled(Unreadable):
    """A library is missing, which is no fault of the data."""


class Source:
    """One data layer's files. shapes: of the tops by name. next: the next batch, float32, by top name."""

    def __init__(self, layer: BuiltLayer, seed: int) -> None:
        self.tops = list(layer.top_names)
        self.param: Any = layer.parameters
        self.batch_size: int = self.param.batch_size
        self.random = np.random.RandomState(seed)
        self.transform = Transform(layer.message.transform_param, layer.phase, self.random)
        self.waiting: dict[str, Array] | None = None
        self.open(layer)
        self.waiting = self.batch()
        self.shapes = {name: values.shape for name, values in self.waiting.items()}

    def open(self, layer: BuiltLayer) -> None:
        raise NotImplementedError

    def batch(self) -> dict[str, Array]:
        raise NotImplementedError

    def count(self) -> int:
        """How many records there are."""
        raise NotImplementedError

    def records(self) -> Iterator[Record]:
        """All of them once, in the order of the files, as they are before transform_param."""
        raise NotImplementedError

    def next(self) -> dict[str, Array]:
        found, self.waiting = self.waiting or self.batch(), None
        for name, values in found.items():
            if values.shape != self.shapes[name]:
                first, later = ("x".join(map(str, shape)) for shape in (self.shapes[name], values.shape))
                raise Unreadable(f'"{name}" is {first} at first and {later} later')
        return found

    def stack(self, images: Sequence[Array], labels: Sequence[float]) -> dict[str, Array]:
        """A batch of transformed images, and their labels where the layer has a top for them."""
        made = []
        for image in images:
            made.append(self.transform(image))
            if made[-1].shape != made[0].shape:
                raise Unreadable("the images of a batch differ in size; resize them, or set crop_size")
        return dict(zip(self.tops, [np.stack(made), np.array(labels, np.float32)], strict=False))


class Data(Source):
    """Records of a LMDB or LevelDB in the order of their keys, from the start again after the last one."""

    def open(self, layer: BuiltLayer) -> None:
        transform = layer.message.transform_param
        self.color = True if transform.force_color else False if transform.force_gray else None
        path = self.param.source
        open_records = _lmdb if self.param.backend == LMDB else _leveldb
        self.pairs = open_records(path)
        self.all = _for_ever(path, self.pairs)
        self.path = path

    def batch(self) -> dict[str, Array]:
        images, labels = [], []
        for _ in range(self.batch_size):
            datum: Any = Datum.FromString(next(self.all))
            images.append(_image_of(datum, self.color))
            labels.append(datum.label)
        return self.stack(images, labels)

    def count(self) -> int:
        return sum(1 for _ in self.pairs())

    def records(self) -> Iterator[Record]:
        for number, (key, value) in enumerate(self.pairs()):
            name = f'record {number} (key "{key.decode("utf-8", "backslashreplace")}") of {self.path}'
            yield Record(name, partial(self._record, value))

    def _record(self, value: bytes) -> dict[str, Array]:
        datum: Any = Datum.FromString(value)
        return dict(zip(self.tops, [_image_of(datum, self.color), np.array([datum.label], np.float32)], strict=False))


def _image_of(datum: Any, color: bool | None) -> Array:
    if datum.encoded:
        return decode(datum.data, color)
    shape = datum.channels, datum.height, datum.width
    values = np.frombuffer(datum.data, np.uint8) if datum.data else np.array(datum.float_data, np.float32)
    size = math.prod(shape)
    if min(shape) < 1 or values.size < size:
        raise Unreadable(f"a record of {'x'.join(map(str, shape))} holds {values.size} values")
    return values[:size].reshape(shape)  # Caffe, too, does not ask for more (data_transformer.cpp, Transform)


Pairs = Callable[[], Iterator[tuple[bytes, bytes]]]
"""Keys and values of a database, from the start."""


def _lmdb(path: str) -> Pairs:
    import lmdb

    if not os.path.isfile(os.path.join(path, "data.mdb")):
        raise Unreadable(f"{path} is not an LMDB: it has no data.mdb")
    check_files(path)
    database = lmdb.open(path, readonly=True, lock=False, create=False, readahead=False)

    def pairs() -> Iterator[tuple[bytes, bytes]]:
        with database.begin() as transaction, transaction.cursor() as cursor:
            yield from cursor.iternext(keys=True, values=True)

    return pairs


def _leveldb(path: str) -> Pairs:
    import plyvel

    try:
        check_leveldb(path)
    except Unreadable as reason:
        raise Unreadable(f"{path} {reason}") from None
    folder = temporary_folder()
    stand_in(path, folder.name)
    database = plyvel.DB(folder.name, create_if_missing=False)

    def pairs() -> Iterator[tuple[bytes, bytes]]:
        # Named here, the folder lives as long as what reads it.
        assert folder is not None
        with database.iterator() as found:
            yield from found

    return pairs


def _for_ever(path: str, pairs: Pairs) -> Iterator[bytes]:
    while True:
        empty = True
        for _, value in pairs():
            empty = False
            yield value
        if empty:
            raise Unreadable(f"{path} is empty")


class ImageData(Source):
    """Images of a list; after the last one from the start again, in another order with `shuffle`."""

    def open(self, layer: BuiltLayer) -> None:
        self.lines = [_name_and_label(line) for line in _lines(self.param.source)]
        if not self.lines:
            raise Unreadable(f"{self.param.source} is empty")
        if self.param.shuffle:
            self.random.shuffle(self.lines)
        self.place = int(self.random.randint(self.param.rand_skip)) if self.param.rand_skip else 0
        if self.place >= len(self.lines):
            raise Unreadable(f"{self.param.source} has fewer lines than rand_skip skips")

    def batch(self) -> dict[str, Array]:
        images, labels = [], []
        for _ in range(self.batch_size):
            name, label = self.lines[self.place]
            images.append(self.image(self.param.root_folder + name))
            labels.append(label)
            self.place += 1
            if self.place == len(self.lines):
                self.place = 0
                if self.param.shuffle:
                    self.random.shuffle(self.lines)
        return self.stack(images, labels)

    def count(self) -> int:
        return len(self.lines)

    def records(self) -> Iterator[Record]:
        for number, line in enumerate(_lines(self.param.source), 1):
            yield Record(f'line {number} of {self.param.source} ("{line}")', partial(self._record, line))

    def _record(self, line: str) -> dict[str, Array]:
        name, label = _name_and_label(line)
        values = [self.image(self.param.root_folder + name), np.array([label], np.float32)]
        return dict(zip(self.tops, values, strict=False))

    def image(self, path: str) -> Array:
        try:
            with opened(path) as file:
                image = decode(file, self.param.is_color)
        except ReadError as reason:
            raise Unreadable(f'the list names "{path}", which {reason}') from None
        except OSError as error:
            why = error.strerror or str(error)
            raise Unreadable(f'the list names "{path}", which cannot be read: {why.lower()}') from None
        new = self.param.new_height, self.param.new_width
        return resize(image, *new) if all(new) else image


def _lines(path: str) -> list[str]:
    try:
        text = os.fsdecode(read(path))
    except ReadError as reason:
        raise Unreadable(f"{path} {reason}") from None
    return text.split("\n")[: -1 if text.endswith("\n") or not text else None]


def _name_and_label(line: str) -> tuple[str, int]:
    """The label is what follows the last blank, read as C's atoi does; a line without one is only a name."""
    name, blank, label = line.rpartition(" ")
    number = re.match(r"\s*[+-]?\d+", label)
    return name if blank else line, int(number.group()) if number else 0


class HDF5Data(Source):
    """Rows of the datasets named as the tops, file by file; `shuffle` mixes the files, and the rows within each."""

    def open(self, layer: BuiltLayer) -> None:
        self.files = " ".join(_lines(self.param.source)).split()
        if not self.files:
            raise Unreadable(f"{self.param.source} names no HDF5 file")
        if self.param.shuffle:
            self.random.shuffle(self.files)
        self.file = 0
        self.row_shapes: list[tuple[int, ...]] = []
        self.load()
        self.row_shapes = [values.shape[1:] for values in self.datasets]

    def load(self) -> None:
        os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
        import h5py

        path = self.files[self.file]
        if path.startswith("\udc89HDF"):
            raise Unreadable(f'"{self.param.source}" cannot be read: it is an HDF5 file, not a list of them')
        if not os.path.exists(path):
            raise Unreadable(f'"{self.param.source}" names "{path}", which does not exist')
        try:
            with opened(path), h5py.File(path, "r") as file:
                self.datasets = [_dataset(file, name, path) for name in self.tops]
        except ReadError as reason:
            raise Unreadable(f"{path} {reason}") from None
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {' '.join(str(error).split()).lower()[:300]}") from None
        counts = [len(values) for values in self.datasets]
        if min(counts) < max(counts) or not counts[0]:
            raise Unreadable(f"{path} holds {' and '.join(map(str, counts))} rows; all tops need the same number")
        self.row = 0
        self.order = np.arange(counts[0])
        if self.param.shuffle:
            self.random.shuffle(self.order)

    def batch(self) -> dict[str, Array]:
        rows: list[list[Array]] = [[] for _ in self.tops]
        for _ in range(self.batch_size):
            number = int(self.order[self.row])
            for index, values in enumerate(self.datasets):
                rows[index].append(self._row(values, number, index))
            self.advance()
        return {name: np.stack(values) for name, values in zip(self.tops, rows, strict=True)}

    def count(self) -> int:
        import h5py

        total = 0
        for path in " ".join(_lines(self.param.source)).split():
            with opened(path), h5py.File(path, "r") as file:
                total += len(_found(file, self.tops[0], path))
        return total

    def records(self) -> Iterator[Record]:
        self.files = " ".join(_lines(self.param.source)).split()
        for file, path in enumerate(self.files):
            self.file = file
            self.load()
            for number in range(len(self.datasets[0])):
                yield Record(f"record {number} of {path}", partial(self._record, number))

    def _record(self, number: int) -> dict[str, Array]:
        return {
            name: self._row(values, number, index)
            for index, (name, values) in enumerate(zip(self.tops, self.datasets, strict=True))
        }

    def _row(self, values: Array, number: int, top: int) -> Array:
        """Caffe reads later files with the row length of the first."""
        shape = self.row_shapes[top] if self.row_shapes else values.shape[1:]
        if shape == values.shape[1:]:
            row: Array = values[number]
            return row
        size = math.prod(shape)
        found = values.reshape(-1)[number * size : (number + 1) * size]
        if found.size < size:
            raise Unreadable(f"{self.files[self.file]} has rows of a different shape than the first file")
        return found.reshape(shape)

    def advance(self) -> None:
        self.row += 1
        if self.row < len(self.order):
            return
        self.row = 0
        if len(self.files) > 1:
            self.file = (self.file + 1) % len(self.files)
            if self.file == 0 and self.param.shuffle:
                self.random.shuffle(self.files)
            self.load()
        elif self.param.shuffle:
            self.random.shuffle(self.order)


_LARGE, _MOST_TIMES = 1 << 30, 1000
"""More than real data is compressed, and what may be read into memory all the same."""


def _found(file: Any, name: str, path: str) -> Any:
    """A dataset of numbers, not read yet."""
    if reason := elsewhere(file, name):
        raise Unreadable(f"{path} {reason}")
    found = file.get(name)
    if found is None or not hasattr(found, "shape") or not found.shape:
        raise Unreadable(f'{path} has no dataset "{name}", the name of the top, with an axis')
    if found.dtype.kind not in "fiu":
        raise Unreadable(f'dataset "{name}" of {path} holds no numbers')
    return found


def _dataset(file: Any, name: str, path: str) -> Array:
    found = _found(file, name, path)
    size = 4 * math.prod(found.shape)
    if size > max(_LARGE, _MOST_TIMES * os.path.getsize(path)):
        raise Unreadable(f'dataset "{name}" of {path} unpacks to {size >> 30:,} GiB, {_MOST_TIMES:,} times its size')
    values: Array = found[()].astype(np.float32)
    return values


READERS: Mapping[str, type[Source]] = {"Data": Data, "ImageData": ImageData, "HDF5Data": HDF5Data}


def open_source(layer: BuiltLayer, seed: int) -> Source:
    """What reads a data layer's files; raises Unreadable, with the path and why, also for types that are not read."""
    reader = READERS.get(layer.type)
    if reader is None:
        raise Unreadable(f"the torch engine cannot read real data for {layer.type}; use --data synthetic")
    try:
        return reader(layer, seed)
    except Unreadable:
        raise
    except ImportError as missing:
        raise NotInstalled(f"reading the data needs {missing.name}: pip install 'caffelint[data]'") from None
    except Exception as error:
        # What these libraries raise is of many kinds; all of it means that the file is not what it should be.
        why = " ".join(str(error).split()) or type(error).__name__
        source = getattr(layer.parameters, "source", "")
        raise Unreadable(f"{source} cannot be read: {why[:1].lower()}{why[1:300]}") from None
