"""Frozen layers whose weights nothing loads, and a file that holds them: beside, or under other names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.schema import NetParameter
from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "body" type: "InnerProduct" bottom: "data" top: "body" param { lr_mult: 0 } param { lr_mult: 0 }
  inner_product_param { num_output: 8 weight_filler { type: "gaussian" std: 1e-3 } } }
layer { name: "relu" type: "ReLU" bottom: "body" top: "body" }
layer { name: "head" type: "InnerProduct" bottom: "body" top: "head"
  inner_product_param { num_output: 4 weight_filler { type: "gaussian" std: 0.1 } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "head" bottom: "label" top: "loss" }
"""


_SOLVER = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.1")


def _store(folder: Path, name: str, outputs: int) -> None:
    """Data of four classes, and weights of a layer that tells them apart."""
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    labels = np.arange(64) % 4
    with h5py.File(folder / "train.h5", "w") as file:
        file["data"], file["label"] = 4 * np.eye(8, dtype="f")[labels], labels.astype("f")
    (folder / "train.txt").write_text("train.h5\n")
    base: Any = NetParameter()
    layer = base.layer.add(name=name, type="InnerProduct")
    for values in (np.eye(outputs, 8), np.zeros(outputs)):
        layer.blobs.add(data=values.ravel()).shape.dim.extend(values.shape)
    (folder / "base.caffemodel").write_bytes(base.SerializeToString())


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("outputs", [8, 6])
def test_the_file_is_named(engine: str, outputs: int, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """Of another size, it is no file for these layers."""
    _store(tmp_path, "body", outputs)
    session = in_engine(write(tmp_path, NET, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    if outputs == 8:
        assert best is not None
        assert best.change.text == '--weights "base.caffemodel"'
        assert 'with --weights "base.caffemodel" it learns' in verdict(session.run, session.report.findings)
    else:
        assert not [one for one in session.run.tried if one.hypothesis.field == "beside"]


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_layers_of_other_names_are_renamed(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """What shape their weights have is known once the data has been read."""
    _store(tmp_path, "trunk", 8)
    session = in_engine(write(tmp_path, NET, _SOLVER), engine, weights="base.caffemodel")
    assert session.run is not None
    assert "layer-renamed" in [one.name for one in session.report.findings]
    best = survivor(session.run.tried)
    assert best is not None
    assert best.change.text == 'name: "trunk"'
    assert 'with name: "trunk" at "body" it learns' in verdict(session.run, session.report.findings)
