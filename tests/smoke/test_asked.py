"""What a net is asked that does not go with what it reads: pairs that are called otherwise, places in what is cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_sets import records, write_hdf5, write_lmdb
from project_files import SOLVER, write

from caffelint.smoke.alike import Pairs as Measured
from caffelint.smoke.pairs import LEAST, Pairs
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_RANDOM = np.random.RandomState(5)
_ALIKE = _RANDOM.randint(0, 2, 400)
_LEFT = _RANDOM.randn(400, 8)
_RIGHT = np.where(_ALIKE[:, None] == 1, _LEFT + 0.3 * _RANDOM.randn(400, 8), _RANDOM.randn(400, 8))
_SOLVER = "\n".join(line for line in SOLVER.splitlines() if not line.startswith("test"))
_TOWER = """layer {{ name: "hidden_{0}" type: "InnerProduct" bottom: "{0}" top: "hidden_{0}" param {{ name: "a" }}
  param {{ name: "b" }} inner_product_param {{ num_output: 16 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "relu_{0}" type: "ReLU" bottom: "hidden_{0}" top: "hidden_{0}" }}
layer {{ name: "out_{0}" type: "InnerProduct" bottom: "hidden_{0}" top: "out_{0}" param {{ name: "c" }}
  param {{ name: "d" }} inner_product_param {{ num_output: 3 weight_filler {{ type: "xavier" }} }} }}
"""
_PAIRS = (
    'layer { name: "data" type: "HDF5Data" top: "left" top: "right" top: "same"\n'
    '  hdf5_data_param { source: "files.txt" batch_size: 20 } }\n'
    + _TOWER.format("left")
    + _TOWER.format("right")
    + 'layer { name: "loss" type: "ContrastiveLoss" bottom: "out_left" bottom: "out_right" bottom: "same"\n'
    '  top: "loss" }\n'
)
_TRIPLET = """import caffe
import numpy as np


class Triplet(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        one, near, far = [bottom[number].data for number in range(3)]
        self.over = ((one - near) ** 2 - (one - far) ** 2).sum(axis=1) + 1
        top[0].data[0] = np.maximum(self.over, 0).mean()

    def backward(self, top, propagate_down, bottom):
        one, near, far = [bottom[number].data for number in range(3)]
        scale = (2 * top[0].diff[0] / len(one) * (self.over > 0))[:, None]
        for number, slope in enumerate((far - near, near - one, one - far)):
            bottom[number].diff[...] = scale * slope
"""
_PLACES = """layer { name: "data" type: "Data" top: "data" top: "none" transform_param { scale: 0.0078 crop_size: 12 }
  data_param { source: "images" backend: LMDB batch_size: 20 } }
layer { name: "place" type: "HDF5Data" top: "place" hdf5_data_param { source: "files.txt" batch_size: 20 } }
layer { name: "silence" type: "Silence" bottom: "none" }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 8
  kernel_size: 5 stride: 2 weight_filler { type: "msra" } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "out" type: "InnerProduct" bottom: "conv" top: "out"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "place" top: "loss" }
"""


def measured(**values: Any) -> Mapping[str, Any]:
    one: Any = Pairs({"name": "loss", "left": "left", "right": "right", "label": "same", "other": ""})  # type: ignore[no-untyped-call]
    for start in range(0, len(values["left"]), 50):
        one.add({name: every[start : start + 50] for name, every in values.items()}.__getitem__)
    found: Mapping[str, Any] = one.result()
    return found


def test_pairs_that_are_called_what_they_are() -> None:
    found = Measured(**measured(left=_LEFT, right=_RIGHT, same=_ALIKE))
    assert (found.name, found.pairs) == ("loss", 400)
    assert found.alike < 1 < found.other
    assert found.beyond > 15


def test_pairs_that_are_called_otherwise() -> None:
    right = measured(left=_LEFT, right=_RIGHT, same=_ALIKE)
    other = measured(left=_LEFT, right=_RIGHT, same=1 - _ALIKE)
    assert other["beyond"] == pytest.approx(-right["beyond"])
    assert (other["alike"], other["other"]) == (right["other"], right["alike"])


def test_pairs_of_which_nothing_can_be_told() -> None:
    assert abs(measured(left=_LEFT, right=_RIGHT, same=_RANDOM.permutation(_ALIKE))["beyond"]) < 3
    assert measured(left=_LEFT, right=_LEFT, same=_ALIKE) == {}
    assert measured(left=_LEFT, right=_RIGHT[:, :4], same=_ALIKE) == {}
    assert measured(left=_LEFT, right=_RIGHT, same=np.arange(400) < LEAST - 1) == {}
    assert measured(left=_LEFT, right=np.full_like(_RIGHT, np.nan), same=_ALIKE) == {}


def test_maps_of_things_that_are_moved_are_told_by_their_spectra() -> None:
    random = np.random.RandomState(7)
    kinds = random.randn(2, 1, 12, 12)

    def moved(kind: int) -> Any:
        return np.array([np.roll(kinds[kind], tuple(random.randint(0, 12, 2)), (1, 2)) for _ in range(60)])

    for swapped in (False, True):
        blobs = {"one": moved(0), "two": moved(int(swapped)), "three": moved(int(not swapped))}
        pair = {"name": "loss", "left": "one", "right": "two", "label": "", "other": "three"}
        one: Any = Pairs(pair)  # type: ignore[no-untyped-call]
        one.add(blobs.__getitem__)
        found = one.result()
        assert found["spectra"]
        assert (found["beyond"] < -5) is swapped
        assert (found["beyond"] > 5) is not swapped


@pytest.mark.parametrize(("engine", "swapped"), [("caffe", True), ("torch", True), ("caffe", False), ("torch", False)])
def test_the_run_tells_of_labels_of_pairs_the_other_way_round(
    engine: str, swapped: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    pytest.importorskip("h5py")
    told = {"left": _LEFT, "right": _RIGHT, "same": 1 - _ALIKE if swapped else _ALIKE}
    write_hdf5(tmp_path / "files.txt", **{name: values.astype(np.float32) for name, values in told.items()})
    session = in_engine(write(tmp_path, _PAIRS, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert session.run.first(Measured) is not None
    assert ("its labels seem to be the other way round: pairs of 1 are " in said) is swapped
    assert (" after 50 iterations. The cause was found by experiment." in said) is swapped


@pytest.mark.parametrize(("engine", "swapped"), [("caffe", True), ("torch", True), ("caffe", False)])
def test_the_run_tells_of_a_positive_and_a_negative_that_are_swapped(
    engine: str, swapped: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    pytest.importorskip("h5py")
    classes = _RANDOM.randint(0, 6, (2, 400))
    classes[1] = np.where(classes[0] == classes[1], (classes[1] + 1) % 6, classes[1])
    centres = _RANDOM.randn(6, 8)
    near, right, far = (centres[one] + 0.3 * _RANDOM.randn(400, 8) for one in (classes[0], classes[0], classes[1]))
    told = {"left": near, "right": far if swapped else right, "third": right if swapped else far}
    write_hdf5(tmp_path / "files.txt", **{name: values.astype(np.float32) for name, values in told.items()})
    (tmp_path / "triplet.py").write_text(_TRIPLET)
    net = _PAIRS.split('layer { name: "loss"')[0].replace('top: "same"', 'top: "third"') + _TOWER.format("third")
    net += (
        'layer { name: "loss" type: "Python" bottom: "out_left" bottom: "out_right" bottom: "out_third" top: "loss"\n'
    )
    net += '  loss_weight: 1 python_param { module: "triplet" layer: "Triplet" } }\n'
    session = in_engine(write(tmp_path, net, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ("so the second and third seem to be swapped; with bottom: " in said) is swapped
    assert ("it trains: " in said) is not swapped


@pytest.mark.parametrize(("engine", "size"), [("caffe", 12), ("torch", 12), ("caffe", 24)])
def test_the_run_tells_of_a_crop_that_positions_do_not_follow(
    engine: str, size: int, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    pytest.importorskip("h5py")
    pytest.importorskip("lmdb")
    places = np.random.RandomState(2).randint(2, 22, (400, 2))
    pictures = np.random.RandomState(3).randint(0, 9, (400, 1, 24, 24)).astype(np.uint8)
    for picture, (row, column) in zip(pictures, places, strict=True):
        picture[0, row - 2 : row + 2, column - 2 : column + 2] = 250
    write_lmdb(tmp_path / "images", records(pictures, [0] * 400))
    write_hdf5(tmp_path / "files.txt", place=((places - 12) / 7).astype(np.float32))
    session = in_engine(write(tmp_path, _PLACES.replace("12 }", f"{size} }}", 1), _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    crop = f'crop_size {size} of Data "data" cuts each record at a place that is drawn anew, and "place" of'
    assert (crop in said) is (size == 12)
    assert "with crop_size: 0 at" in said if size == 12 else "it trains: " in said


_SIDES = """layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.0078 mirror: true }
  data_param { source: "images" backend: LMDB batch_size: 20 } }
layer { name: "out" type: "InnerProduct" bottom: "data" top: "out"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "out" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(("engine", "sided"), [("caffe", True), ("torch", True), ("caffe", False)])
def test_the_run_tells_of_images_whose_sides_matter(
    engine: str, sided: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    pytest.importorskip("lmdb")
    labels = np.random.RandomState(2).randint(0, 2, 400)
    pictures = np.random.RandomState(3).randint(0, 90, (400, 1, 8, 8)).astype(np.uint8)
    for picture, label in zip(pictures, labels, strict=True):
        (picture[0, :, 4 * label : 4 * label + 4] if sided else picture[0, 4 * label : 4 * label + 4])[:] += 120
    write_lmdb(tmp_path / "images", records(pictures, labels.tolist()))
    session = in_engine(write(tmp_path, _SIDES, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ('Data "data" mirrors half of its images, and what is asked of them differs in its sides' in said) is sided
    assert ("it trains: " in said) is not sided


_ONE = """layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "files.txt" batch_size: %d } }
layer { name: "hidden" type: "InnerProduct" bottom: "data" top: "hidden"
  inner_product_param { num_output: 20 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "hidden" top: "hidden" }
layer { name: "out" type: "InnerProduct" bottom: "hidden" top: "out"
  inner_product_param { num_output: 8 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "out" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(
    ("engine", "size", "rate", "told"),
    [("caffe", 1, 0.1, True), ("torch", 1, 0.1, True), ("caffe", 1, 0.002, False), ("caffe", 32, 0.1, False)],
)
def test_the_run_tells_of_updates_of_a_single_record(
    engine: str, size: int, rate: float, told: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    pytest.importorskip("h5py")
    labels = np.random.RandomState(2).randint(0, 8, 500)
    data = np.random.RandomState(4).randn(8, 12)[labels] + 0.7 * np.random.RandomState(3).randn(500, 12)
    write_hdf5(tmp_path / "files.txt", data=data.astype(np.float32), label=labels.astype(np.float32))
    solver = f'net: "net.prototxt"\nbase_lr: {rate}\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
    session = in_engine(write(tmp_path, _ONE % size, solver), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ('batch_size 1 of HDF5Data "data" makes each update of a single record' in said) is told
