"""Small data sets of each kind that Caffe reads, and the files of theirs that the fuzzer damages."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "evidence"))
from data_sets import datum, encoded, images, write_leveldb, write_lmdb

from caffelint.schema import BlobProto

LMDB = ("Data", 'data_param { source: "lmdb" backend: LMDB batch_size: 2 }')
LEVELDB = ("Data", 'data_param { source: "leveldb" backend: LEVELDB batch_size: 2 }')
ANNOTATED = ("AnnotatedData", 'data_param { source: "lmdb" backend: LMDB batch_size: 2 }')
HDF5 = ("HDF5Data", 'hdf5_data_param { source: "hdf5.txt" batch_size: 2 }')
IMAGES = ("ImageData", 'image_data_param { source: "images.txt" batch_size: 2 new_height: 6 new_width: 6 }')
WINDOWS = ("WindowData", 'window_data_param { source: "windows.txt" batch_size: 2 }')
RECORD = "record"
"""The path of what is no file, but is put into a database as its second record."""


class Case(NamedTuple):
    """layer: the type and the parameters of the layer that reads the files. damaged: which of them the fuzzer makes."""

    layer: tuple[str, str]
    files: dict[str, bytes]
    damaged: str


@lru_cache
def cases() -> tuple[Case, ...]:
    pictures, labels = images(6, (3, 7, 7)), [0, 1, 2, 3, 1, 2]
    records = [datum(image, label) for image, label in zip(pictures, labels, strict=True)]
    mean: Any = BlobProto(num=1, channels=3, height=7, width=7, data=[float(n) for n in range(147)])
    files = {"mean": mean.SerializeToString()}
    image_list = {"images.txt": b"image 0\nimage 1\nother.png 3\n"}
    windows = {"windows.txt": b"# 0\nimage\n3\n7\n7\n2\n1 0.9 0 0 5 5\n0 0.2 1 1 6 6\n"}
    kinds = [encoded(image, kind) for image, kind in zip(pictures, _KINDS, strict=True)]
    as_image = datum(np.zeros((1, 0, 0), np.uint8), 2, data=kinds[0], encoded=True)
    with TemporaryDirectory() as name:
        database = {**files, **_lmdb(Path(name), records)}
        tables, logs = (_leveldb(Path(name), records, is_compact) for is_compact in (True, False))
        numbers = _hdf5(Path(name), pictures, labels)
    found = [Case(LMDB, database, path) for path in database]
    found += [Case(LMDB, {**files, RECORD: one}, RECORD) for one in (records[0], _floats(pictures[0]), as_image)]
    found += [Case(ANNOTATED, {**files, RECORD: _annotated(as_image)}, RECORD)]
    found += [Case(LEVELDB, {**files, **tables}, path) for path in tables if tables[path]]
    found += [Case(LEVELDB, {**files, **logs}, path) for path in logs if path.endswith(".log")]
    found += [Case(HDF5, numbers, path) for path in numbers]
    found += [Case(IMAGES, {**image_list, "image": image}, "image") for image in kinds]
    found += [Case(layer, {**lists, "image": kinds[0]}, path) for layer, lists in
              ((IMAGES, image_list), (WINDOWS, windows)) for path in lists]  # fmt: skip
    return tuple(found)


_KINDS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "PPM")


def _lmdb(folder: Path, records: list[bytes]) -> dict[str, bytes]:
    return {"lmdb/data.mdb": (write_lmdb(folder / "lmdb", records) / "data.mdb").read_bytes()}


def _leveldb(folder: Path, records: list[bytes], is_compact: bool) -> dict[str, bytes]:
    """With its records in a table, or still in the log."""
    import plyvel

    path = write_leveldb(folder / f"leveldb{is_compact}", records)
    if is_compact:
        database = plyvel.DB(str(path))
        database.compact_range()
        database.close()
    files = [file for file in sorted(path.iterdir()) if not file.name.startswith("LO")]  # neither LOG nor LOCK
    return {f"leveldb/{file.name}": file.read_bytes() for file in files}


def _hdf5(folder: Path, pictures: Any, labels: list[int]) -> dict[str, bytes]:
    import h5py

    with h5py.File(folder / "set.h5", "w") as file:
        file["data"] = pictures.astype(np.float32)
        file.create_dataset("label", data=np.array(labels, np.int32), chunks=(2,), compression="gzip")
    return {"hdf5.txt": b"set.h5\nset.h5\n", "set.h5": (folder / "set.h5").read_bytes()}


def _floats(image: Any) -> bytes:
    return datum(image.astype(np.float32), 1)


def _annotated(record: bytes) -> bytes:
    """An AnnotatedDatum of SSD: its Datum, type 0, and one group of one box."""

    def message(number: int, data: bytes) -> bytes:
        size = len(data)
        return bytes([number << 3 | 2, *([size] if size < 128 else [size & 127 | 128, size >> 7])]) + data

    corners = b"".join(bytes([n << 3 | 5]) + np.float32(n / 10).tobytes() for n in (1, 2, 3, 4))
    return message(1, record) + b"\x10\x00" + message(3, b"\x08\x01" + message(2, b"\x08\x00" + message(2, corners)))
