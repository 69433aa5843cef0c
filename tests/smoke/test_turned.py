"""Maps of cells that are turned against their data: they are seen, and tried the right way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.rules.smoke.maps_turned import MapsTurned
from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

np = pytest.importorskip("numpy")

from caffelint.smoke.overlaid import Overlaid  # noqa: E402

WAYS = {
    "transposed": lambda maps: np.swapaxes(maps, -1, -2),
    "mirrored": lambda maps: maps[..., ::-1],
    "upside down": lambda maps: maps[..., ::-1, :],
    "turned round": lambda maps: maps[..., ::-1, ::-1],
    "turned to the left": lambda maps: np.swapaxes(maps, -1, -2)[..., ::-1],
    "turned to the right": lambda maps: np.swapaxes(maps, -1, -2)[..., ::-1, :],
}


def scenes(count: int, cells: int = 6, side: int = 4, seed: int = 1, textured: bool = False) -> tuple[Any, Any]:
    """Noise with a few bright, or rough, squares, and the map of their cells."""
    random = np.random.RandomState(seed)
    maps = (random.rand(count, 1, cells, cells) < 0.15).astype("f")
    there = maps.repeat(side, 2).repeat(side, 3)
    noise = random.normal(0, 1, there.shape)
    return (0.3 + there) * noise if textured else there + 0.3 * noise, maps


def overlaid(data: Any, maps: Any) -> dict[str, Any]:
    one: Any = Overlaid()  # type: ignore[no-untyped-call]
    one.add(data, maps)
    found: dict[str, Any] = one.result()
    return found


@pytest.mark.parametrize("textured", [False, True])
@pytest.mark.parametrize("how", WAYS)
def test_maps_of_cells(how: str, textured: bool) -> None:
    data, maps = scenes(60, textured=textured)
    assert overlaid(data, maps)["how"] == ""
    found = overlaid(data, WAYS[how](maps))
    assert found["how"] == how
    assert found["with_it"] > 0.5 > 0.2 > found["fits"]
    assert overlaid(data[:, 0:1, :-1, :-2], WAYS[how](maps))["how"] == how, "cells of several sizes"
    assert overlaid(data, WAYS[how](maps.repeat(20, 1)))["how"] == how
    several = np.concatenate([maps, 0.5 * maps, np.zeros_like(maps)], 1)
    assert overlaid(data, WAYS[how](several))["how"] == how


@pytest.mark.parametrize("how", ["mirrored", "upside down", "transposed"])
def test_maps_that_chance_does_not_turn(how: str) -> None:
    data, maps = scenes(80)
    some = np.arange(80) % 5 < 2
    both = np.where(some[:, None, None, None], WAYS[how](maps), maps)
    found = overlaid(data, both)
    assert found["how"] == how
    assert 0.3 < found["turns"] < 0.45
    assert found["with_it"] > 1.3 * found["fits"]
    few = np.where(np.arange(80)[:, None, None, None] < 4, WAYS[how](maps), maps)
    assert overlaid(data, few)["how"] == "", "a few records may look so"
    assert overlaid(data, scenes(80, seed=3)[1])["turns"] == overlaid(data, WAYS[how](maps))["turns"] == 0


def test_of_other_shapes() -> None:
    """Cells that are not square, and a map that is not."""
    data, maps = scenes(60)
    wide = data.repeat(2, 3)
    assert overlaid(wide, WAYS["transposed"](maps))["how"] == "transposed"
    assert overlaid(data[..., :-4], WAYS["upside down"](maps[..., :-1]))["how"] == "upside down"
    assert overlaid(data, maps[:, 0])["how"] == ""
    assert overlaid(data, maps[:, 0].swapaxes(1, 2))["how"] == "transposed"


def test_where_nothing_can_be_told() -> None:
    data, maps = scenes(60)
    other = scenes(60, seed=2)[1]
    assert overlaid(data, other)["how"] == ""
    assert overlaid(data, maps[:, :, :3, :3]) == {}
    assert overlaid(data, maps.reshape(60, -1)) == {}
    assert overlaid(data[:0], maps[:0]) == {}


NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "map" hdf5_data_param { source: "train.txt" batch_size: 20 } }
%s
layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "score" bottom: "map" top: "loss"
  loss_param { normalization: VALID } }
"""
CONVOLUTIONS = """
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 8 kernel_size: 4 stride: 4 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "score" type: "Convolution" bottom: "conv" top: "score"
  convolution_param { num_output: 1 kernel_size: 1 weight_filler { type: "xavier" } } }
"""
DENSE = """
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 36 weight_filler { type: "xavier" } } }
layer { name: "score" type: "Reshape" bottom: "fc" top: "score"
  reshape_param { shape { dim: 0 dim: 1 dim: 6 dim: 6 } } }
"""
_SOLVER = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "") + 'type: "Adam"\n'


def _run(in_engine: Callable[..., Session], engine: str, layers: str, how: str, folder: Path) -> Session:
    h5py = pytest.importorskip("h5py")
    data, maps = scenes(400)
    with h5py.File(folder / "train.h5", "w") as file:
        file["data"], file["map"] = data.astype("f"), (WAYS[how](maps) if how else maps).astype("f")
    (folder / "train.txt").write_text("train.h5\n")
    return in_engine(write(folder, NET % layers, _SOLVER), engine, iterations=60)


@pytest.mark.parametrize(
    ("engine", "how"), [*(("torch", how) for how in WAYS), ("caffe", "transposed"), ("caffe", "turned to the left")]
)
def test_the_run_tries_them_turned_back(
    engine: str, how: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    session = _run(in_engine, engine, CONVOLUTIONS, how, tmp_path)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.change.text == f'"map" {"transposed" if how == "transposed" else "turned"} back'
    assert 'the maps of "map" are' in verdict(session.run, session.report.findings)


def test_data_of_the_size_of_its_maps_is_not_turned_with_them() -> None:
    """Both turned, they fit as little as before."""
    rule = MapsTurned()
    text = rule.INVALID[0].text
    assert isinstance(text, dict)
    (found,) = rule.check(rule.subject(text))
    assert 'write "map" with rows and columns' in found.evidence


@pytest.mark.parametrize(("layers", "how"), [(CONVOLUTIONS, ""), (DENSE, "transposed")])
def test_what_is_no_fault(layers: str, how: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """Maps that lie on their data, and those of a net that may learn any order of its outputs."""
    session = _run(in_engine, "torch", layers, how, tmp_path)
    assert session.run is not None
    assert not [one for one in session.run.tried if one.hypothesis.field == "turned"]
    assert "the maps of" not in verdict(session.run, session.report.findings)


LAYER = """
import caffe


class Maps(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data.swapaxes(2, 3)

    def backward(self, top, propagate_down, bottom):
        pass
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_maps_that_a_python_layer_makes_of_the_data(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    (tmp_path / "own_maps.py").write_text(LAYER)
    layer = 'layer { name: "turns" type: "Python" bottom: "map" top: "turned"'
    layer += ' python_param { module: "own_maps" layer: "Maps" } }\nlayer { name: "loss"'
    net = NET.replace('layer { name: "loss"', layer).replace('"score" bottom: "map"', '"score" bottom: "turned"')
    h5py = pytest.importorskip("h5py")
    data, maps = scenes(400)
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"], file["map"] = data.astype("f"), maps.astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    session = in_engine(write(tmp_path, net % CONVOLUTIONS, _SOLVER), engine, iterations=40)
    assert session.run is not None
    assert 'the maps of "turned" are transposed' in verdict(session.run, session.report.findings)
