"""Which records layers of the user's own keep: sound ones of many kinds, and such as sort the wrong way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.smoke.session import Session

np = pytest.importorskip("numpy")

from caffelint.smoke.mined import mined  # noqa: E402

SCORES, LABELS = np.random.RandomState(0).randn(40, 4), np.arange(40) % 4
Choice = Callable[[Any, Any], Any]
"""Which records are kept, by their costs and labels."""


def costs(scores: Any, labels: Any) -> tuple[Any, Any]:
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    return -np.log(shares[np.arange(len(labels)), labels.astype(int)]), shares


class Own:
    """A layer as mined.py wants it: a loss of the records that are kept, or what makes labels of it."""

    params: tuple[()] = ()

    def __init__(self, keeps: Choice, form: str) -> None:
        self.keeps, self.form = keeps, form
        self.bottoms = [SCORES.astype(np.float32), LABELS.astype(np.float32)]

    def forward(self) -> list[Any]:
        labels = self.bottoms[1]
        cost, _ = costs(self.bottoms[0], labels)
        kept = self.keeps(cost, labels)
        if self.form == "weights":
            return [kept.astype(np.float32)]
        return [cost[kept].mean(keepdims=True)] if self.form == "loss" else [np.where(kept, labels, -1)]

    def backward(self, weights: list[Any], before: float) -> tuple[list[Any], list[Any]]:
        scores, labels = self.bottoms
        cost, gradient = costs(scores, labels)
        gradient[np.arange(len(labels)), labels.astype(int)] -= 1
        return [gradient * self.keeps(cost, labels)[:, None], None], []


def told(keeps: Choice, form: str = "loss") -> Any:
    layer = Own(keeps, form)
    spec = {"kind": "Python", "layer": "own", "tops": [1.0 if form == "loss" else None], "names": ["score", "label"]}
    event = mined(layer, spec, 1)
    assert (layer.bottoms[0] == SCORES.astype(np.float32)).all()
    return event


def easiest(cost: Any, labels: Any) -> Any:
    return cost <= np.sort(cost)[9]


def hardest(cost: Any, labels: Any) -> Any:
    return cost >= np.sort(cost)[-10]


@pytest.mark.parametrize("form", ["loss", "labels", "weights"])
def test_what_costs_least_or_most(form: str) -> None:
    found = told(easiest, form)
    assert (found["kept"], found["dropped"], found["harder"]) == (40, 120, 1.0)
    assert told(hardest, form)["harder"] == 0.0


def test_what_is_chosen_by_chance_or_label() -> None:
    random = np.random.RandomState(3)
    assert 0.3 < told(lambda cost, labels: random.rand(len(cost)) < 0.25)["harder"] < 0.7
    assert told(lambda cost, labels: labels == 1) is None  # none of a label is dropped and kept


def test_what_keeps_all() -> None:
    assert told(lambda cost, labels: cost > -1) is None


class Distance:
    """A loss of values, half the squared distance of those that are kept."""

    params: tuple[()] = ()

    def __init__(self, keeps: Callable[[Any], Any], by_record: bool = True) -> None:
        self.keeps, self.by_record = keeps, by_record
        self.bottoms = [np.zeros((20, 3), np.float32), np.random.RandomState(0).randn(20, 3).astype(np.float32)]

    def forward(self) -> list[Any]:
        return [np.ones(1)]

    def backward(self, weights: list[Any], before: float) -> tuple[list[Any], list[Any]]:
        apart = self.bottoms[0] - self.bottoms[1]
        cost = apart**2
        cost = cost.sum(1, keepdims=True) if self.by_record else cost
        return [apart * self.keeps(cost), None], []


@pytest.mark.parametrize("by_record", [True, False])
def test_values_that_cost_least_or_most(by_record: bool) -> None:
    def of(keeps: Callable[[Any], Any]) -> Any:
        names = ["answer", "target"]
        spec = {"kind": "Python", "layer": "own", "tops": [1.0], "names": names, "bottoms": [0]}
        return mined(Distance(keeps, by_record), spec, 1)

    found = of(lambda cost: cost <= np.sort(cost, axis=None)[4])
    assert (found["kept"], found["harder"], found["of_classes"]) == (20, 1.0, False)
    assert of(lambda cost: cost >= np.sort(cost, axis=None)[-5])["harder"] == 0.0
    assert of(lambda cost: cost < 1.0) is None  # what is far off is clipped, which is no sort
    assert of(lambda cost: cost > -1.0) is None


def test_code_that_raises_is_left_alone() -> None:
    def raises(cost: Any, labels: Any) -> Any:
        raise ValueError

    assert told(raises) is None


DATA = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "train.txt" batch_size: 64 } }
layer { name: "score" type: "InnerProduct" bottom: "data" top: "score"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
"""
AS_LOSS = """
layer { name: "loss" type: "Python" bottom: "score" bottom: "label" top: "loss" loss_weight: 1
  python_param { module: "own" layer: "Mines" } }
"""
AS_LABELS = """
layer { name: "hard" type: "Python" bottom: "score" bottom: "label" top: "hard"
  python_param { module: "own" layer: "Labels" } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "hard" top: "loss"
  propagate_down: true propagate_down: false loss_param { ignore_label: -1 } }
"""
CODE = """
import caffe
import numpy as np


class Mines(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def kept(self, bottom):
        scores, self.label = bottom[0].data, bottom[1].data.astype(int).ravel()
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        self.shares = shares / shares.sum(axis=1, keepdims=True)
        self.cost = -np.log(np.maximum(self.shares[np.arange(len(self.label)), self.label], 1e-20))
        return np.argsort(ORDER)[: len(self.label) // 4]

    def forward(self, bottom, top):
        self.inds = self.kept(bottom)
        top[0].data[...] = self.cost[self.inds].mean()

    def backward(self, top, propagate_down, bottom):
        diff = np.zeros_like(self.shares)
        diff[self.inds] = self.shares[self.inds]
        diff[self.inds, self.label[self.inds]] -= 1
        bottom[0].diff[...] = top[0].diff[0] * diff / len(self.inds)


class Labels(Mines):
    def reshape(self, bottom, top):
        top[0].reshape(*bottom[1].data.shape)

    def forward(self, bottom, top):
        inds = self.kept(bottom)
        top[0].data[...] = -1
        top[0].data[inds] = self.label[inds]

    def backward(self, top, propagate_down, bottom):
        pass
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("net", [AS_LOSS, AS_LABELS], ids=["loss", "labels"])
def test_in_a_run(
    engine: str, net: str, in_engine: Callable[..., Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    h5py = pytest.importorskip("h5py")
    random = np.random.RandomState(1)
    labels = random.randint(0, 4, 400)
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = (random.randn(4, 12)[labels] + random.randn(400, 12)).astype("f")
        file["label"] = labels.astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    solver = write(tmp_path, DATA + net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))

    def found(order: str) -> list[str]:
        (tmp_path / "own.py").write_text(CODE.replace("ORDER", order))
        session = in_engine(solver, engine, iterations=30)
        return [one.name for one in session.report.findings if one.name in ("easiest-kept", "wrong-gradient")]

    assert found("self.cost") == ["easiest-kept"]
    assert found("-self.cost") == []
