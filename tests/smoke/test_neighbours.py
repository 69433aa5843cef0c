"""Whether targets go with the data: as numbers, and in the words of a run with both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import write

from caffelint.smoke.neighbours import MOST, Neighbours
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_RANDOM = np.random.RandomState(3)
_CLASSES = _RANDOM.randint(0, 4, 500)
_CENTRES = _RANDOM.randn(4, 12)
_MIXED = np.random.RandomState(1).permutation(_CLASSES)
_DATA = _CENTRES[_CLASSES] + 0.5 * _RANDOM.randn(500, 12)
_SOLVER = 'net: "net.prototxt"\nbase_lr: 0.02\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
_NET = """layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "files.txt" batch_size: 16 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


_FED = 'layer { name: "data" type: "Python" top: "data" top: "label"\n'
_FED += '  python_param { module: "feeder" layer: "Feeder" } }\n' + _NET.split("} }\n", 1)[1]
_FEEDER = """import caffe
import numpy as np


class Feeder(caffe.Layer):
    def setup(self, bottom, top):
        found = np.load("data.npz")
        self.data, self.label = found["data"], found["label"]

    def reshape(self, bottom, top):
        top[0].reshape(20, 12)
        top[1].reshape(20)

    def rows(self):
        return np.random.randint(0, len(self.data), 20)

    def forward(self, bottom, top):
        rows = self.rows()
        top[0].data[...] = self.data[rows]
        top[1].data[...] = self.label[SECOND]

    def backward(self, top, propagate_down, bottom):
        pass
"""


def told(data: Any, targets: Any, labels: bool = True, shift: int = 0) -> dict[str, Any]:
    one: Any = Neighbours(labels)  # type: ignore[no-untyped-call]
    for start in range(0, len(data), 20):
        one.add(data[start : start + 20], targets[start : start + 20])
    found: dict[str, Any] = one.result(shift)
    return found


def test_labels_that_go_with_the_data() -> None:
    found = told(_DATA, _CLASSES)
    assert (found["records"], found["equal"], found["labels"]) == (500, 1, True)
    assert found["agree"] > 0.8
    assert found["beyond"] > 30
    assert found["chance"] == pytest.approx(0.25, abs=0.03)


def test_labels_in_another_order() -> None:
    assert told(_DATA, _MIXED)["beyond"] < 3


def test_labels_of_the_next_record() -> None:
    wrong = np.roll(_CLASSES, -1)
    assert told(_DATA, wrong)["beyond"] < 3
    assert told(_DATA, wrong, shift=1)["beyond"] > 30


def test_what_wide_pictures_and_masks_share() -> None:
    pictures = np.repeat(np.repeat(_DATA.reshape(500, 1, 3, 4), 10, 2), 10, 3)
    found = told(pictures, np.where(pictures[:, 0] > 0, 1, 0))
    assert not found["labels"]
    assert found["agree"] > 0.3
    assert abs(found["chance"]) < 0.05
    assert found["beyond"] > 30


def test_words_by_their_number_and_not_their_place() -> None:
    numbers = np.sort(np.random.RandomState(2).randint(0, 60, (500, 20)), axis=1) + 40 * _CLASSES[:, None]
    mixed = np.array([np.random.RandomState(at).permutation(row) for at, row in enumerate(numbers)])
    assert told(mixed, _CLASSES)["agree"] > 0.8


def test_records_that_are_equal() -> None:
    blank = np.where(np.arange(500)[:, None] % 5 > 0, -1.6, _DATA)
    found = told(blank, _CLASSES)
    assert (found["equal"], found["kinds"], found["blank"]) == (400, 4, -1.6)
    assert told(np.zeros((500, 12)), _CLASSES)["equal"] == 500


def test_what_cannot_be_told() -> None:
    assert told(_DATA, _CLASSES[:10]) == {}
    assert told(np.zeros((0, 3)), np.zeros(0)) == {}
    for data, targets in ((_DATA, np.ones(500)), (np.full((500, 3), np.nan), _CLASSES), (_DATA[:5], _CLASSES[:5])):
        assert not told(data, targets)["beyond"] > 0


def test_equal_records_that_have_other_targets() -> None:
    rows = np.random.RandomState(4).randint(0, 100, 500)
    found = told(_DATA[rows], _CLASSES[rows])
    assert (found["again"] > 300, found["unlike"]) == (True, 0)
    apart = told(_DATA[rows], _CLASSES[np.random.RandomState(6).randint(0, 100, 500)])
    assert apart["again"] == found["again"]
    assert apart["unlike"] > found["again"] / 2


def test_no_more_records_are_kept_than_needed() -> None:
    assert told(np.tile(_DATA, (4, 1)), np.tile(_CLASSES, 4))["records"] == MOST


def _project(folder: Path, data: Any, labels: Any) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "data.h5", "w") as file:
        file["data"], file["label"] = data.astype(np.float32), labels.astype(np.float32)
    (folder / "files.txt").write_text("data.h5\n")
    return write(folder, _NET, _SOLVER)


@pytest.mark.parametrize(
    ("engine", "labels", "said"),
    [
        ("caffe", _CLASSES, "it trains: "),
        ("torch", np.roll(_CLASSES, -1), "with that of the record before it is "),
        ("caffe", np.roll(_CLASSES, -1), 'the "label" of each record is that of another (net.prototxt:2)'),
        ("torch", _MIXED, "so the labels may be those of other records"),
    ],
)
def test_the_run_tells_of_labels_of_other_records(
    engine: str, labels: Any, said: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    session = in_engine(_project(tmp_path, _DATA, labels), engine)
    assert session.run is not None
    assert said in verdict(session.run, session.report.findings)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_the_run_tells_of_a_layer_that_is_a_batch_late_with_its_labels(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    np.savez(tmp_path / "data.npz", data=_DATA, label=_CLASSES)
    late = _FEEDER.replace("def setup", "last = slice(0, 20)\n\n    def setup").replace("SECOND", "self.last")
    late = late.replace("    def backward", "        self.last = rows\n\n    def backward")
    (tmp_path / "feeder.py").write_text(late)
    session = in_engine(write(tmp_path, _FED, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert "; with that of the record 20 after it is " in said
    assert "; that is a batch: take data and labels of the same one. This is certain." in said


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_the_run_tells_of_labels_that_fit_in_test_alone(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    h5py = pytest.importorskip("h5py")
    others = _CENTRES[_CLASSES] + 0.5 * np.random.RandomState(9).randn(500, 12)
    with h5py.File(tmp_path / "test.h5", "w") as file:
        file["data"], file["label"] = others.astype(np.float32), _CLASSES.astype(np.float32)
    (tmp_path / "test.txt").write_text("test.h5\n")
    solver = _project(tmp_path, _DATA, _MIXED)
    data, rest = _NET.split("} }\n", 1)
    train = data.replace('top: "label"', 'top: "label" include { phase: TRAIN }') + "} }\n"
    test = train.replace("TRAIN", "TEST").replace("files.txt", "test.txt")
    write(tmp_path, train + test + rest, f"{_SOLVER}test_iter: 20\ntest_interval: 1000\n")
    session = in_engine(solver, engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert 'the "label" of each record is that of another (net.prototxt:2)' in said
    assert "; in TEST it is " in said
    assert 'write the data and the "label" of TRAIN again, in the same order. This is certain.' in said


@pytest.mark.parametrize(("engine", "apart"), [("caffe", True), ("torch", True), ("caffe", False)])
def test_the_run_tells_of_a_layer_that_draws_labels_by_themselves(
    engine: str, apart: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    np.savez(tmp_path / "data.npz", data=_DATA[:150], label=_CLASSES[:150])
    (tmp_path / "feeder.py").write_text(_FEEDER.replace("SECOND", "self.rows()" if apart else "rows"))
    session = in_engine(write(tmp_path, _FED, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ("; take both with the same index in feeder.Feeder. This is certain." in said) is apart
    assert ("it trains: " in said) is not apart


def test_the_run_tells_of_equal_records(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    blank = np.where(np.arange(500)[:, None] % 9 > 0, -1.6, _DATA)
    session = in_caffe(_project(tmp_path, blank, _MIXED))
    assert session.run is not None
    said = 'records that were read are equal in all values of "data", all -1.6, and have'
    assert said in verdict(session.run, session.report.findings)


@pytest.mark.parametrize("where", ["targets", "data", ""])
def test_one_value_far_from_all_others(where: str) -> None:
    """As -9999 for what is missing: it does not hide that targets that are numbers go with the data."""
    random = np.random.RandomState(5)
    data = random.randn(400, 12)
    targets = data[:, :3].sum(axis=1, keepdims=True)
    for values in {"targets": [targets], "data": [data]}.get(where, []):
        values[37, 0] = -9999
    seen = Neighbours(False)  # type: ignore[no-untyped-call]
    seen.add(data, targets)  # type: ignore[no-untyped-call]
    found = seen.result()  # type: ignore[no-untyped-call]
    assert found["agree"] > 0.3
    assert found["beyond"] > 10
