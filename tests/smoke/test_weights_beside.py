"""Frozen layers whose weights nothing loads, a file that holds them, beside or under other names, and a script."""

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


@pytest.mark.parametrize("scripted", [False, True])
def test_what_a_script_sets_is_not_to_learn(scripted: bool, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """As in a net that is trained through another one, whose weights it is given between steps."""
    _store(tmp_path, "body", 6)
    if scripted:
        lines = "solver = caffe.get_solver('solver.prototxt')", "other = caffe.get_solver('other.prototxt')"
        loop = "for a, b in zip(solver.net.params['body'], other.net.params['body']):\n    a.data[...] = b.data\n"
        (tmp_path / "train.py").write_text("\n".join(("import caffe", *lines, loop)))
    session = in_engine(write(tmp_path, NET, _SOLVER), "torch")
    assert session.run is not None
    tried = [one for one in session.run.tried if one.hypothesis.field == "frozen"]
    assert bool(tried) == (not scripted)
    assert not (scripted and "random weights" in verdict(session.run, session.report.findings))
