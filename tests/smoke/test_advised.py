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


_PLAIN = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "body" type: "InnerProduct" bottom: "data" top: "body"
  inner_product_param { num_output: 32 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "body" top: "body" }
layer { name: "head" type: "InnerProduct" bottom: "body" top: "head"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "head" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_decay_that_outweighs_the_gradients(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    labels = np.arange(64) % 4
    with h5py.File(tmp_path / "train.h5", "w") as file:
        noise = np.random.RandomState(1).randn(64, 8)
        file["data"], file["label"] = (np.eye(8)[labels] + 0.2 * noise).astype("f"), labels.astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.02")
    solver += 'weight_decay: 0.1 regularization_type: "L1"\n'
    session = in_engine(write(tmp_path, _PLAIN, solver), engine, iterations=120)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    told = best.hypothesis.told
    assert (told.name if told else best.hypothesis.kind) in ("decay-outweighs-gradients", "weight-decay")


_OWN = """
import numpy as np
import caffe


class Distance(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        self.off = bottom[0].data - bottom[1].data.reshape(bottom[0].data.shape)
        top[0].data[...] = np.mean(self.off**2)

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff[0] * 2 * self.off / self.off.size
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_loss_of_ones_own_that_counts_for_nothing(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    """Its backward never runs, so what stands in the gradient is no fault of its code."""
    (tmp_path / "own.py").write_text(_OWN)
    net = 'layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param { shape { dim: 8 dim: 4 }'
    net += ' shape { dim: 8 } data_filler { type: "gaussian" std: 1 } data_filler { type: "gaussian" std: 1 } } }\n'
    net += 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 1'
    net += ' weight_filler { type: "xavier" } } }\nlayer { name: "loss" type: "Python" bottom: "fc" bottom: "label"'
    net += ' top: "loss" python_param { module: "own" layer: "Distance" } }\n'
    session = in_engine(write(tmp_path, net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "")), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert said.startswith("it learns nothing: no weight gets a gradient")
    assert 'Python "loss" has no loss_weight' in said
    assert "wrong-gradient" not in {one.name for one in session.report.findings}


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_loss_that_falls_and_would_fall_further(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    """The half of the targets that is below 0 cannot come of a ReLU."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    random = np.random.RandomState(1)
    values = random.randn(600, 6)
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"], file["label"] = values, values[:, :3] + 0.5 * values[:, 3:] + 0.2
    (tmp_path / "train.txt").write_text("train.h5\n")
    net = _PLAIN.replace("SoftmaxWithLoss", "EuclideanLoss").replace("num_output: 4", "num_output: 3")
    loss = 'layer { name: "last" type: "ReLU" bottom: "head" top: "head" }\nlayer { name: "loss"'
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.02")
    session = in_engine(write(tmp_path, net.replace('layer { name: "loss"', loss), solver), engine, iterations=60)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    # By chance, more or fewer outputs are below 0 at first.
    if not said.startswith("it hardly learns: "):
        assert said.startswith("it trains, but the check objects: ")
        assert "; tried: with the fix of rectified-scores it ends at 0.0" in said


_STRAIGHT = _PLAIN.replace('layer { name: "relu" type: "ReLU" bottom: "body" top: "body" }\n', "")


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_an_activation_that_is_missing(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """No sum tells the sign of a product."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    data = np.random.RandomState(1).choice([-1.0, 1.0], (320, 2)).astype("f")
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = data
        file["label"] = (data.prod(axis=1) > 0).astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    head = _STRAIGHT[_STRAIGHT.index('layer { name: "head"') : _STRAIGHT.index('layer { name: "loss"')]
    middle = head.replace('"head"', '"middle"').replace("num_output: 4", "num_output: 32")
    net = _STRAIGHT.replace(head, middle + head.replace('"body"', '"middle"'))
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.1")
    session = in_engine(write(tmp_path, net, solver), engine, iterations=60)
    assert session.run is not None
    assert 'add a ReLU after "body"; with a ReLU after "body" it learns' in verdict(
        session.run, session.report.findings
    )
