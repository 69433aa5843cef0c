"""Faults in data sets that a real Caffe stops at are errors, and what it reads without complaint is none."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from data_sets import (
    data_layer,
    datum,
    encoded,
    hdf5_layer,
    images,
    list_layer,
    records,
    report_of,
    rest,
    write_hdf5,
    write_leveldb,
    write_list,
    write_lmdb,
)

from caffelint.schema import BlobProto

LABELS = [number % 10 for number in range(24)]
PASSES = 7
"""Of a batch of 4: more than all records."""

Make = Callable[[Path], str]


class Case(NamedTuple):
    """make: writes a data set, and gives its layer. rule: what finds the fault. stops: does Caffe?"""

    make: Make
    rule: str
    stops: bool


def _with(values: list[bytes], more: str = "") -> Make:
    return lambda folder: data_layer(write_lmdb(folder / "set", values), more)


def _plain(count: int = 24, shape: tuple[int, int, int] = (3, 8, 8)) -> list[bytes]:
    return records(images(count, shape), LABELS[:count])


def _mean(shape: tuple[int, int, int]) -> Make:
    def make(folder: Path) -> str:
        blob: Any = BlobProto(num=1, channels=shape[0], height=shape[1], width=shape[2])
        blob.data.extend([100.0] * int(np.prod(shape)))
        (folder / "mean.binaryproto").write_bytes(blob.SerializeToString())
        return _with(_plain(), f'transform_param {{ mean_file: "{folder}/mean.binaryproto" }}')(folder)

    return make


def _list(change: Callable[[list[str]], list[str]]) -> Make:
    def make(folder: Path) -> str:
        path = write_list(folder / "set.txt", images(24), LABELS)
        path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
        return list_layer(path)

    return make


def _hdf5(**tops: Any) -> Make:
    return lambda folder: hdf5_layer(write_hdf5(folder / "set.txt", **tops))


def _cut_jpeg(folder: Path) -> str:
    values = [datum(one, 1, data=encoded(one, "JPEG"), encoded=True) for one in images(24, (3, 32, 32))]
    one = images(1, (3, 32, 32))[0]
    values[9] = datum(one, 1, data=encoded(one, "JPEG")[:900], encoded=True)
    return _with(values)(folder)


_MORE = datum(images(1, (3, 9, 8))[0], 1)
_FLOATS = np.random.RandomState(2).rand(24, 5)
_ONES = np.array(LABELS, np.float32)

CASES = {
    "sound": Case(_with(_plain()), "", False),
    "label-ten": Case(_with(records(images(24), [*LABELS[:20], 10, 10, 0, 0])), "label-outside-classes", False),
    "not-a-datum": Case(_with([*_plain(20), b"\xff\xff\xff\xff\xff"]), "record-not-readable", True),
    "sizes-differ": Case(_with([*_plain(21), _MORE]), "record-shapes-differ", True),
    "channels-differ": Case(_with([*_plain(21), datum(images(1, (1, 8, 8))[0])]), "record-shapes-differ", True),
    "sizes-differ-cropped": Case(_with([*_plain(21), _MORE], "transform_param { crop_size: 8 }"), "", False),
    "crop-too-large": Case(_with(_plain(), "transform_param { crop_size: 9 }"), "crop-larger-than-record", True),
    "mean-of-other-size": Case(_mean((3, 9, 9)), "mean-unlike-data", True),
    "mean-of-one-channel": Case(_mean((1, 8, 8)), "mean-unlike-data", True),
    "mean-that-fits": Case(_mean((3, 8, 8)), "", False),
    "mean-values": Case(
        _with(_plain(), "transform_param { mean_value: 104 mean_value: 117 }"), "mean-unlike-data", True
    ),
    "undecodable": Case(_with([*_plain(22), datum(images(1)[0], 1, data=b"junk", encoded=True)]), "", True),
    "cut-jpeg": Case(_cut_jpeg, "record-not-readable", False),
    "no-pixels": Case(_with([*_plain(21), datum(images(1)[0], data=b"")]), "record-not-readable", True),
    "image-missing": Case(
        _list(lambda lines: [*lines[:20], lines[20].replace("_20", "_gone")]), "record-not-readable", True
    ),
    "line-without-label": Case(_list(lambda lines: [lines[0].split()[0], *lines[1:]]), "label-not-whole", False),
    "dataset-missing": Case(_hdf5(data=_FLOATS, labels=_ONES), "source-not-readable", True),
    "rows-differ": Case(_hdf5(data=_FLOATS, label=_ONES[:20]), "source-not-readable", True),
    "text-in-hdf5": Case(_hdf5(data=_FLOATS, label=np.array([b"a"] * 24)), "source-not-readable", True),
    "lmdb-as-leveldb": Case(
        lambda folder: data_layer(write_lmdb(folder / "set", _plain()), kind="LEVELDB"), "source-not-readable", True
    ),
    "leveldb-as-lmdb": Case(
        lambda folder: data_layer(write_leveldb(folder / "set", _plain())), "source-not-readable", True
    ),
    "nothing-there": Case(lambda folder: data_layer(folder / "gone"), "source-not-readable", True),
    "empty": Case(_with([]), "source-not-readable", True),
    "sorted": Case(_with(records(images(24), sorted(LABELS))), "", False),
}


@pytest.mark.parametrize("name", CASES)
def test_caffe_stops_where_an_error_is_found(name: str, tmp_path: Path, caffe_python: Path) -> None:
    case = CASES[name]
    net = case.make(tmp_path) + rest()
    found = report_of(tmp_path, net)["json"]["findings"]
    errors = {one["name"] for one in found if one["severity"] == "error"}
    assert case.rule in ({one["name"] for one in found} | {""})
    stops = _stops(caffe_python, tmp_path, net)
    assert stops == case.stops
    assert bool(errors - {"label-outside-classes"}) == stops, found


def _stops(python: Path, folder: Path, net: str) -> bool:
    """Does the real Caffe end before it has read everything?"""
    (folder / "net.prototxt").write_text(net)
    script = folder / "run.py"
    script.write_text(
        f"import caffe\ncaffe.set_mode_cpu()\nnet = caffe.Net({str(folder / 'net.prototxt')!r}, caffe.TRAIN)\n"
        f"for _ in range({PASSES}):\n    net.forward()\nprint('all read')\n"
    )
    command = [str(python), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    return "all read" not in done.stdout
