"""One of several losses keeps another from falling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" top: "zero"
  hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "body" type: "InnerProduct" bottom: "data" top: "body"
  inner_product_param { num_output: 8 weight_filler { type: "xavier" } } }
layer { name: "head" type: "InnerProduct" bottom: "body" top: "head"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "head" bottom: "label" top: "loss" }
layer { name: "near" type: "EuclideanLoss" bottom: "body" bottom: "zero" top: "near" loss_weight: WEIGHT }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("weight", ["8", "0.01"])
def test_the_loss_that_draws_all_together(
    engine: str, weight: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    labels = np.arange(64) % 4
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"], file["label"] = np.eye(8, dtype="f")[labels], labels.astype("f")
        file["zero"] = np.zeros((64, 8), "f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.02")
    session = in_engine(write(tmp_path, NET.replace("WEIGHT", weight), solver), engine, iterations=60)
    assert session.run is not None
    best = survivor(session.run.tried)
    said = verdict(session.run, session.report.findings)
    if weight == "8":
        assert best is not None
        assert best.hypothesis.field == "holds"
        assert 'with loss_weight 8, EuclideanLoss "near" may keep SoftmaxWithLoss "loss" from falling' in said
        assert '"loss" 1.' in said  # it is judged on the loss that is held back, not on the sum
        assert 'iterations, and "near" ends at ' in said
        assert best.held == "loss"
        assert best.left < 0.9
    else:
        assert not [one for one in session.run.tried if one.hypothesis.field == "holds"]


SIDES = """layer { name: "sides" type: "InnerProduct" bottom: "body" top: "sides"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
"""
DROWNED = (
    NET.replace('layer { name: "near"', SIDES + 'layer { name: "near"')
    .replace('bottom: "body" bottom: "zero"', 'bottom: "sides" bottom: "zero"')
    .replace("WEIGHT", "1")
)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_rate_that_was_lowered_for_the_larger_loss(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    """At that rate the smaller one learns where it weighs more; with less of the larger one, neither does."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    labels = np.arange(64) % 4
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"], file["label"] = np.eye(8, dtype="f")[labels], labels.astype("f")
        file["zero"] = np.stack([100 + 50 * labels, 300 - 60 * labels], 1).astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.0002")
    session = in_engine(write(tmp_path, DROWNED, solver), engine, iterations=60)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.field, best.change.layer) == ("drowns", "loss")
    said = verdict(session.run, session.report.findings)
    assert "so that next to nothing of the latter is learned; with loss_weight: " in said
