"""The matrix of an InfogainLoss is read, and named where it breaks a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_sets import write_hdf5

from caffelint.schema import BlobProto
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_NET = """
layer { name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param { shape { dim: 8 dim: 6 } shape { dim: 8 } data_filler { type: "gaussian" std: 1 }
    data_filler { type: "constant" value: 1 } } }
layer { name: "score" type: "InnerProduct" bottom: "data" top: "score"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "InfogainLoss" bottom: "score" bottom: "label" top: "loss"
  infogain_loss_param { source: "H.binaryproto" } }
"""
_SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 100 snapshot_prefix: "s"'


def project(folder: Path, values: list[float]) -> Path:
    blob = BlobProto(num=1, channels=1, height=3, width=3)
    blob.data.extend(values)
    (folder / "H.binaryproto").write_bytes(blob.SerializeToString())
    (folder / "net.prototxt").write_text(_NET)
    (folder / "solver.prototxt").write_text(_SOLVER)
    return folder / "solver.prototxt"


def told(session: Session) -> str:
    assert session.run is not None
    return verdict(session.run, session.report.findings)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_matrix_that_is_not_finite(value: float, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    words = told(in_caffe(project(tmp_path, [1, 0, 0, 0, value, 0, 0, 0, 1])))
    assert f'"H.binaryproto", the H of InfogainLoss "loss", holds {value} in the row of class 1' in words
    assert 'with type: "SoftmaxWithLoss" at "loss" it' in words


def test_a_row_that_multiplies_its_gradient(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    words = told(in_caffe(project(tmp_path, [1, 0, 0, 5e4, 9e4, 0, 0, 0, 1])))
    assert 'the row of class 1 in "H.binaryproto", the H of InfogainLoss "loss", adds up to 1.4e+05' in words
    assert "base_lr" not in words.split(" A check")[0].replace("with base_lr", "")


def test_a_usual_one(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    found = in_caffe(project(tmp_path, [1, 0, 0, 0, 1, 0, 0, 0, 1])).report.findings
    assert {finding.name for finding in found if finding.code.startswith("X")} <= {"constant-labels"}


@pytest.mark.parametrize(("second", "is_told"), [(0, True), (1, False)])
def test_rows_that_are_empty(second: float, is_told: bool, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    """As a division of integers makes them; one alone may be a class that nobody cares for."""
    found = in_caffe(project(tmp_path, [0, 0, 0, 1, 1, 0, 0, 0, second])).report.findings
    empty = "the rows of classes 0, 2 are all 0, so labels of these give no gradient"
    assert any(empty in one.message for one in found) == is_told


def test_rows_that_are_all_the_same(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    words = told(in_caffe(project(tmp_path, [1, 1, 1, 1, 1, 1, 1, 1, 1])))
    assert 'all rows of "H.binaryproto", the H of InfogainLoss "loss", are equal' in words


_READ = """layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "set.txt" batch_size: 40 } }
"""
_SCORED = _NET[_NET.index('layer { name: "score"') :]
_COUNTED = """layer { name: "acc" type: "Accuracy" bottom: "score" bottom: "label" top: "acc" include { phase: TEST } }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("values", "head"),
    [
        ([0, 1, 1, 1, 0, 1, 1, 1, 0], "it learns to answer wrongly: "),
        ([1, 0, 0, 0, 1, 0, 0, 0, 1], "it trains"),
    ],
)
def test_a_matrix_of_costs(
    values: list[float], head: str, engine: str, in_engine: Callable[..., Any], tmp_path: Path
) -> None:
    """It rewards all answers but the right one."""
    pytest.importorskip("h5py")
    labels = np.arange(200) % 3
    data = 2 * np.eye(6)[labels] + np.random.RandomState(0).normal(0, 0.3, (200, 6))
    write_hdf5(tmp_path / "set.txt", data=data.astype(np.float32), label=labels.astype(np.float32))
    solver = project(tmp_path, values)
    solver.write_text(f"{_SOLVER} momentum: 0.9 test_iter: 5 test_interval: 100")
    (tmp_path / "net.prototxt").write_text(f"{_READ}{_SCORED}{_COUNTED}")
    words = told(in_engine(solver, engine))
    assert words.startswith(head)
    wrong = 'so what InfogainLoss "loss" rewards is not what "acc" counts as right'
    assert (wrong in words) is (values[0] == 0)
