"""What a check advises is tried where a net does not learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 8 } }
layer { name: "score" type: "Convolution" bottom: "data" top: "score"
  convolution_param { num_output: 4 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "up" type: "Deconvolution" bottom: "score" top: "up" param { lr_mult: 0 }
  convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 bias_term: false
    weight_filler { type: "bilinear" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "up" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_what_it_would_set(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """Without groups, an upsampling that is bilinear gives all classes the same score."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    classes = np.random.RandomState(1).randint(0, 4, (32, 4, 4))
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = np.eye(4, dtype="f")[classes].transpose(0, 3, 1, 2)
        file["label"] = classes.repeat(2, 1).repeat(2, 2).astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.5")
    session = in_engine(write(tmp_path, NET, solver), engine, iterations=60)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.told is not None
    assert best.hypothesis.told.name == "bilinear-misconfigured"
    assert "with group: 4 it learns" in verdict(session.run, session.report.findings)
