"""Targets that are far from what a net gives at first, as prices: the cure that is told makes the net learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session

np = pytest.importorskip("numpy")
NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "price" hdf5_data_param { source: "train.txt" batch_size: 50 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 32 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }
layer { name: "out" type: "InnerProduct" bottom: "fc" top: "out"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "price" top: "loss" }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_prices(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    random = np.random.RandomState(1)
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = data = random.randn(1000, 8).astype("f")
        file["price"] = (350_000 + 70_000 * data.sum(1, keepdims=True)).astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.001")
    session = in_engine(write(tmp_path, NET, solver), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.kind, best.hypothesis.also, best.learned) == ("target-scale", None, True)
    assert "values-out-of-scale" in {one.name for one in session.report.findings}
