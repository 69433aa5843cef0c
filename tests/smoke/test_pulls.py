"""What losses of the user's own do to scores that are all alike: sound ones of many kinds, and such as lead astray."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.smoke.session import Session

np = pytest.importorskip("numpy")

from caffelint.smoke.pulls import pulls  # noqa: E402


class Own:
    """A layer as pulls.py wants it, of a function that gives the loss and its gradient."""

    params: tuple[()] = ()

    def __init__(self, function: Callable[[Any, Any], tuple[float, Any]], scores: Any, labels: Any) -> None:
        self.function = function
        self.bottoms = [scores.astype(np.float32), labels.astype(np.float32)]

    def forward(self) -> list[Any]:
        return [np.array([self.function(*self.bottoms)[0]])]

    def backward(self, weights: list[Any], before: float) -> tuple[list[Any], list[Any]]:
        return [weights[0][0] * self.function(*self.bottoms)[1], None], []


def pulled(function: Callable[[Any, Any], tuple[float, Any]], scores: Any, labels: Any) -> Any:
    layer = Own(function, scores, labels)
    event = pulls(
        layer, {"kind": "Python", "layer": "loss", "tops": [1.0], "bottoms": [0], "names": ["score", "label"]}, 1
    )
    assert (layer.bottoms[0] == scores.astype(np.float32)).all()
    return event


def softmax(axis: int = 1, shift: int = 0, sign: int = 1) -> Callable[[Any, Any], tuple[float, Any]]:
    def function(scores: Any, labels: Any) -> tuple[float, Any]:
        shares = np.exp(scores - scores.max(axis, keepdims=True))
        shares /= shares.sum(axis, keepdims=True)
        wanted = np.eye(scores.shape[1])[(labels.reshape(len(labels), *labels.shape[-2:]) + shift).astype(int) % 5]
        wanted = np.moveaxis(wanted, -1, 1).reshape(scores.shape)
        return sign * -float((wanted * np.log(shares + 1e-20)).sum()), sign * (shares - wanted)

    return function


SCORES, LABELS = np.random.RandomState(0).randn(20, 5, 1, 1), np.arange(20).reshape(20, 1, 1, 1) % 5


def test_of_a_sound_softmax() -> None:
    found = pulled(softmax(), SCORES, LABELS)
    assert found["nearer"] < found["value"] < found["farther"]
    assert abs(found["places"] - found["value"]) < 1e-3 < abs(found["columns"] - found["value"])
    assert [kind[2] for kind in found["kinds"]] == [0, 1, 2, 3, 4]


def test_of_maps() -> None:
    labels = np.random.RandomState(0).randint(0, 5, (2, 1, 3, 4))
    found = pulled(softmax(), np.zeros((2, 5, 3, 4)), labels)
    assert [kind[2] for kind in found["kinds"]] == [0, 1, 2, 3, 4]
    assert sum(kind[1] for kind in found["kinds"]) == 24


def test_over_the_batch() -> None:
    found = pulled(softmax(axis=0), SCORES, LABELS)
    assert abs(found["columns"] - found["value"]) < 1e-3 < abs(found["places"] - found["value"])


def test_of_classes_that_are_shifted() -> None:
    found = pulled(softmax(shift=1), SCORES, LABELS)
    assert [kind[2] for kind in found["kinds"]] == [1, 2, 3, 4, 0]
    assert found["nearer"] > found["value"]


def test_of_a_sign_that_is_turned() -> None:
    found = pulled(softmax(sign=-1), SCORES, LABELS)
    assert found["nearer"] > found["value"] > found["farther"]
    assert [kind[3] for kind in found["kinds"]] == [0, 1, 2, 3, 4]


def test_of_features_that_are_drawn_to_a_centre() -> None:
    centres = np.random.RandomState(2).randn(5, 5)

    def function(features: Any, labels: Any) -> tuple[float, Any]:
        apart = features.reshape(20, 5) - centres[labels.reshape(-1).astype(int)]
        return float((apart**2).sum()), 2 * apart.reshape(features.shape)

    assert [kind[2] for kind in pulled(function, SCORES, LABELS)["kinds"]] == [-1] * 5


def test_of_shares_in_place_of_scores() -> None:
    def function(shares: Any, labels: Any) -> tuple[float, Any]:
        wanted = np.eye(5)[labels.reshape(-1).astype(int)].reshape(shares.shape)
        return -float((wanted * np.log(shares)).sum()), -wanted / shares

    found = pulled(function, np.full((20, 5, 1, 1), 0.2), LABELS)
    assert found["nearer"] < found["value"] < found["farther"]
    assert np.isnan(found["columns"])


@pytest.mark.parametrize(("scores", "labels"), [(SCORES, SCORES), (SCORES[:, :1], LABELS), (SCORES, LABELS * 0.5)])
def test_what_is_not_asked(scores: Any, labels: Any) -> None:
    assert pulled(lambda one, other: (0.0, one), scores, labels) is None


def test_code_that_raises_is_left_alone() -> None:
    def function(scores: Any, labels: Any) -> tuple[float, Any]:
        raise ValueError

    assert pulled(function, SCORES, LABELS) is None


NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "train.txt" batch_size: 200 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "Python" bottom: "fc" bottom: "label" top: "loss" loss_weight: 1
  python_param { module: "own" layer: "Loss" } }
"""
CODE = """
import caffe
import numpy as np


class Loss(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        self.weight = np.where(bottom[1].data > 0.5, RARE, OFTEN)
        top[0].data[...] = (self.weight * BODY).mean()

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff[0] * self.weight * SLOPE / bottom[0].data.size
"""
SIGMOID = "np.log1p(np.exp(-bottom[0].data * (2 * bottom[1].data - 1)))"
SLOPE = "(1 / (1 + np.exp(-bottom[0].data)) - bottom[1].data)"


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_in_a_run(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    h5py = pytest.importorskip("h5py")
    random = np.random.RandomState(1)
    labels = (np.arange(400) % 10 == 0).astype("f").reshape(400, 1)
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = (labels + 0.3 * random.randn(400, 6)).astype("f")
        file["label"] = labels
    (tmp_path / "train.txt").write_text("train.h5\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))

    def told(rare: int, often: int) -> list[str]:
        code = CODE.replace("RARE", str(rare)).replace("OFTEN", str(often))
        (tmp_path / "own.py").write_text(code.replace("BODY", SIGMOID).replace("SLOPE", SLOPE))
        found = in_engine(solver, engine, iterations=30).report.findings
        return [one.message for one in found if one.name == "loss-leads-astray"]

    assert told(9, 1) == []
    assert told(1, 4) == []  # as a focal loss may
    assert told(1, 9) == [
        'Python "loss" (own.Loss) weighs label 0, 180 of 200 labels, 9 times as much as label 1, 20 of them'
    ]
