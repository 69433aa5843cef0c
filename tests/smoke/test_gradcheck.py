"""Wrong backwards are reported with what is wrong with them; right ones, even with kinks, are not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import CONV, DATA, LOSS, SOLVER, python_layer, write

from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.finding import INFO
from caffelint.smoke.events import Gradient
from caffelint.smoke.gradcheck import ALL, gradcheck
from caffelint.smoke.gradients import check
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher

MODULE = """import caffe
import numpy


class Tanh(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = numpy.tanh(bottom[0].data)

    def slope(self, bottom, top):
        return top[0].diff * (1 - top[0].data ** 2)

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = self.slope(bottom, top)


class Twice(Tanh):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 2 * self.slope(bottom, top)


class Turned(Tanh):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = -self.slope(bottom, top)


class Zero(Tanh):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 0


class Adds(Tanh):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] += self.slope(bottom, top)


class Rounds(Tanh):
    def forward(self, bottom, top):
        top[0].data[...] = numpy.round(8 * bottom[0].data) / 8

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff


class Writes(Tanh):
    def backward(self, top, propagate_down, bottom):
        pass


class Half(Tanh):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = self.slope(bottom, top)
        bottom[0].diff[0] = 0


class Clipped(Tanh):
    def forward(self, bottom, top):
        top[0].data[...] = numpy.maximum(bottom[0].data, 0)

    def slope(self, bottom, top):
        return top[0].diff * (top[0].data > 0)


class Chance(Tanh):
    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data * numpy.random.uniform(0.9, 1.1)


class Weighted(Tanh):
    def setup(self, bottom, top):
        self.blobs.add_blob(1)
        self.blobs[0].data[...] = 1.5

    def forward(self, bottom, top):
        top[0].data[...] = self.blobs[0].data[0] * bottom[0].data

    def slope(self, bottom, top):
        return top[0].diff * self.blobs[0].data[0]

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = self.slope(bottom, top)
        self.blobs[0].diff[0] += 3 * (top[0].diff * bottom[0].data).sum()


class Keeps(Tanh):
    def setup(self, bottom, top):
        self.kept = 0

    def forward(self, bottom, top):
        Tanh.forward(self, bottom, top)
        self.kept += 1 - top[0].data ** 2

    def slope(self, bottom, top):
        return top[0].diff * self.kept


class Learns(Tanh):  # as centers of classes: what it subtracts moves with each gradient, and the slope stays
    def setup(self, bottom, top):
        self.center = 0

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data - self.center

    def slope(self, bottom, top):
        return top[0].diff

    def backward(self, top, propagate_down, bottom):
        Tanh.backward(self, top, propagate_down, bottom)
        self.center = self.center + 0.01 * top[0].diff.mean()


class Square(Tanh):  # whose backward reads what a forward in place overwrites
    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data ** 2

    def slope(self, bottom, top):
        return top[0].diff * 2 * bottom[0].data


class Labelled(Tanh):
    def backward(self, top, propagate_down, bottom):
        assert not propagate_down[1]
        bottom[0].diff[...] = self.slope(bottom, top)
"""
IN_PLACE = ("Tanh", "Twice", "Square")
EXPECTED = {
    "Tanh": "",
    "Twice": "it is 2 times too large",
    "Turned": "its sign is wrong",
    "Zero": "it is 0 everywhere",
    "Adds": "keeps old values or adds to them",
    "Writes": 'backward writes no gradient of "Adds", so nothing before it learns',
    "Half": "but the slope of forward is ",
    "Clipped": "",
    "Clipped_again": "",
    "Chance": "",
    "Weighted": "the gradient of parameter blob 0 is wrong in the one value checked: at [0] backward gives ",
    "Labelled": "",
    "Keeps": "it adds to what earlier passes left in self",
    "Learns": "",
    "Rounds": 'forward does not change with "Learns", as what rounds or compares does not, but backward gives ',
}


def project(folder: Path) -> Path:
    """A net with each of the classes after the other, some of them also in place."""
    (folder / "mine.py").write_text(MODULE)
    layers, below = [], "fc"
    for name in [*EXPECTED, *(f"{kind}_in_place" for kind in IN_PLACE)]:
        top = below if name.endswith("_in_place") else name
        more = ' bottom: "label"' if name == "Labelled" else ""
        layers.append(
            f'layer {{ name: "{name}" type: "Python" bottom: "{below}"{more} top: "{top}"\n'
            f'  python_param {{ module: "mine" layer: "{name.partition("_")[0]}" }} }}\n'
        )
        below = top
    fc, loss = LOSS.split("layer { name", 1)
    net = DATA + CONV + fc + "".join(layers) + "layer { name" + loss.replace('bottom: "fc"', f'bottom: "{below}"')
    return write(folder, net, SOLVER)


def checked(solver: Path, target: str, engine: str, caffe_python: Path | None, monkeypatch: Any) -> Session:
    monkeypatch.chdir(solver.parent)
    config = Config()
    config.cache = False
    config.jobs = 1
    choice = Choice(engine, caffe_python=str(caffe_python) if caffe_python else None)
    return gradcheck(Request(solver.name, config, Wishes(timeout=60), choice, True), Watcher(), target)


def test_planted_backwards_in_caffe(tmp_path: Path, caffe_python: Path, monkeypatch: Any) -> None:
    session = checked(project(tmp_path), ALL, "caffe", caffe_python, monkeypatch)
    assert session.run is not None
    found = [finding for finding in session.report.findings if finding.code.startswith("X")]
    assert {finding.name for finding in found} == {"wrong-gradient"}
    said = {finding.layer: finding.message for finding in found}
    wrong = [name for name, words in EXPECTED.items() if words]
    assert sorted(said) == sorted([*wrong, "Twice_in_place", "Square_in_place"])
    for name in wrong:
        assert EXPECTED[name] in said[name], said[name]
    of_twice = 'Python "Twice" (mine.Twice): the gradient of "Tanh" is wrong in all 20 values checked: at ['
    assert of_twice in said["Twice"]
    assert "it is 2 times too large" in said["Twice_in_place"]
    assert "is wrong as the layer runs in place: backward computes with its output" in said["Square_in_place"]
    assert {finding.layer for finding in found if finding.severity == INFO} == {"Rounds"}
    event = next(one for one in session.run.all(Gradient) if one.layer == "Twice")
    assert "diff[...] = 2 *" in MODULE.splitlines()[event.line - 1]
    net = (tmp_path / "net.prototxt").read_text().splitlines()
    assert 'name: "Twice"' in net[next(one.line for one in found if one.layer == "Twice") - 1]
    events = {(event.layer, event.kind): event for event in session.run.all(Gradient)}
    assert events["Chance", "blob"].skipped == "its forward gives different values each time"
    assert events["Clipped_again", "blob"].kinks > 3
    assert events["Half", "blob"].wrong < events["Half", "blob"].checked == 20
    assert math.isnan(events["Half", "blob"].factor)
    assert ("Labelled", "blob") in events


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_layers_of_caffe_itself(engine: str, tmp_path: Path, caffe_python: Path, monkeypatch: Any) -> None:
    if engine == "torch":
        pytest.importorskip("torch")
    more = (
        'layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }\n'
        'layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { kernel_size: 2 stride: 2 } }\n'
        'layer { name: "norm" type: "LRN" bottom: "pool" top: "norm" }\n'
        'layer { name: "drop" type: "Dropout" bottom: "norm" top: "norm" }\n'
        'layer { name: "bn" type: "BatchNorm" bottom: "norm" top: "bn" }\n'
        'layer { name: "scale" type: "Scale" bottom: "bn" top: "bn" scale_param { bias_term: true } }\n'
        'layer { name: "hinge" type: "HingeLoss" bottom: "fc" bottom: "label" top: "hinge" }\n'
    )
    net = DATA + CONV + more[: more.index('layer { name: "hinge"')] + LOSS.replace('bottom: "conv"', 'bottom: "bn"')
    session = checked(
        write(tmp_path, net + more[more.index('layer { name: "hinge"') :]), ALL, engine, caffe_python, monkeypatch
    )
    assert session.run is not None
    events = list(session.run.all(Gradient))
    assert [event for event in events if event.wrong or event.stale or event.skipped] == []
    names = "conv 0, conv 1, relu conv, pool conv, norm pool, drop norm, bn norm, scale bn, scale 0, scale 1, fc bn"
    names += ", fc 0, fc 1, loss fc, hinge fc"
    assert [f"{event.layer} {event.name}" for event in events] == names.split(", ")
    assert min(event.checked for event in events) > 0


class Cubes:
    """y = w x^3 in float32, with a backward that is off by a factor."""

    def __init__(self, factor: float, size: float = 1.0) -> None:
        random = np.random.RandomState(1)
        self.bottoms = [(size * random.randn(3, 4)).astype(np.float32)]
        self.params = [np.full((1,), 2.0, np.float32)]
        self.factor = factor

    def forward(self) -> list[Any]:
        return [self.params[0][0] * self.bottoms[0] ** 3]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        x = self.bottoms[0]
        slope = np.float32(self.factor) * 3 * self.params[0][0] * x**2 * weights[0]
        return [slope], [np.array([(x**3 * weights[0]).sum()], np.float32)]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("factor", [1.0, 1.1, 0.0, -1.0])
def test_the_figures(factor: float, size: float) -> None:
    spec = {"layer": "a", "kind": "Python", "tops": [None], "bottoms": [0], "params": [0], "names": ["x"]}
    layer = Cubes(factor, size)
    kept = layer.bottoms[0].copy()
    of_bottom, of_param = (Gradient(**event) for event in check(layer, spec, 1))
    assert (of_param.wrong, of_param.checked, of_param.factor) == (0, 1, pytest.approx(1, abs=0.01)) or math.isnan(
        of_param.factor
    )
    assert of_param.wrong == 0
    assert (of_bottom.wrong > 4) == (factor != 1)
    assert (of_bottom.zero, of_bottom.stale) == (factor == 0, False)
    if factor:
        assert of_bottom.factor == pytest.approx(factor, rel=0.03)
        assert of_bottom.analytic == pytest.approx(factor * of_bottom.numeric, rel=0.05)
    assert np.array_equal(layer.bottoms[0], kept)


def test_wrong_use(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    for target, words in (
        ("convv", 'the TRAIN net has no such layer; did you mean "conv"?'),
        ("data", '--gradcheck "data": no gradient flows through this Data layer'),
    ):
        assert main(["smoke", str(solver), "--caffe-python", str(caffe_python), "--gradcheck", target]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["SoftmaxWithLoss", "Python"])
def test_a_loss_that_is_flat_where_it_is_clamped(kind: str) -> None:
    """Caffe's softmax loss takes the log of FLT_MIN at least, and its backward knows nothing of that."""

    class Loss(Cubes):
        def __init__(self) -> None:
            self.bottoms = [np.array([[200.0, 0.0], [0.5, 0.25]], np.float32)]
            self.params: list[Any] = []

        def _share(self) -> Any:
            scores = self.bottoms[0].astype(np.float64)
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            return (scores / scores.sum(axis=1, keepdims=True)).astype(np.float32)

        def forward(self) -> list[Any]:
            return [np.array(-np.log(np.maximum(self._share()[:, 1], 1.1754944e-38)).sum(), np.float32)]

        def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
            return [(self._share() - np.array([0, 1], np.float32)) * weights[0]], []

    spec = {"layer": "a", "kind": kind, "tops": [1.0], "bottoms": [0], "params": [], "names": ["x"]}
    (found,) = (Gradient(**event) for event in check(Loss(), spec, 1))
    assert (found.wrong > 0) == (kind == "Python")


class Sum(Cubes):
    """A large number and the squares of many small ones, in float32, the first `zeros` of them 0."""

    def __init__(self, factor: float, zeros: int = 0) -> None:
        self.bottoms = [np.linspace(0.5, 1, 4000, dtype=np.float32)]
        self.bottoms[0][:zeros] = 0
        self.params: list[Any] = []
        self.factor = np.float32(factor)

    def forward(self) -> list[Any]:
        return [np.array(1e4 + (self.bottoms[0].astype(np.float64) ** 2).sum(), np.float32)]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        return [self.factor * 2 * self.bottoms[0] * weights[0]], []


@pytest.mark.parametrize("factor", [1.0, 2.0, -1.0])
def test_what_is_lost_in_rounding_one_by_one_is_moved_together(factor: float) -> None:
    spec = {"layer": "a", "kind": "Python", "tops": [1.0], "bottoms": [0], "params": [], "names": ["x"]}
    (found,) = (Gradient(**event) for event in check(Sum(factor), spec, 1))
    assert (found.skipped, found.wrong, list(found.at)) == ("", int(factor != 1), [])
    assert found.numeric == pytest.approx(math.copysign(6000, factor), rel=0.02)
    assert factor == 1 or found.factor == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize("factor", [1.0, -1.0])
def test_values_without_a_slope_do_not_stand_for_those_lost_in_rounding(factor: float) -> None:
    spec = {"layer": "a", "kind": "Python", "tops": [1.0], "bottoms": [0], "params": [], "names": ["x"]}
    (found,) = (Gradient(**event) for event in check(Sum(factor, zeros=2000), spec, 1))
    assert (found.checked > 1, found.wrong) == (True, int(factor != 1))


class Dice(Sum):
    """1 - dice of pixels, of which every 32nd is of the object; `whole`: with the sum below in its gradient."""

    def __init__(self, whole: bool) -> None:
        self.bottoms = [np.full(4000, 0.5, np.float32)]
        self.params = []
        self.truth = (np.arange(4000) % 32 == 0).astype(np.float32)
        self.whole = whole

    def forward(self) -> list[Any]:
        values = self.bottoms[0].astype(np.float64)
        self.inside, self.sum = (values * self.truth).sum(), values.sum() + self.truth.sum()
        return [np.array(1 - 2 * self.inside / self.sum, np.float32)]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        below = self.whole * 2 * self.inside / self.sum**2
        return [(below - 2 * self.truth / self.sum).astype(np.float32) * weights[0]], []


class Hinge(Sum):
    """The part of each value above 0.75, which most have not."""

    def forward(self) -> list[Any]:
        return [np.array(np.maximum(self.bottoms[0].astype(np.float64) - 0.75, 0).sum(), np.float32)]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        return [(self.bottoms[0] > 0.75) * weights[0]], []


@pytest.mark.parametrize(("layer", "wrong"), [(Dice(True), 0), (Dice(False), 1), (Hinge(1), 0)])
def test_values_that_get_no_gradient_are_moved_together(layer: Sum, wrong: int) -> None:
    spec = {"layer": "a", "kind": "Python", "tops": [1.0], "bottoms": [0], "params": [], "names": ["x"]}
    (found,) = (Gradient(**event) for event in check(layer, spec, 1))
    assert (found.wrong, found.zero) == (wrong, False)
    if wrong:
        assert (found.analytic, list(found.at)) == (0, [])
        assert found.numeric == pytest.approx(2 * layer.inside / layer.sum**2 * 3875, rel=0.1)


class Sides(Cubes):
    """The distance of x from a target, which weighs `up` below it and `down` above it, and what backward takes for
    these."""

    def __init__(self, x: list[float], up: float, down: float, root: bool = False) -> None:
        self.bottoms = [np.array(x, np.float32), np.zeros(len(x), np.float32) + np.float32(2)]
        self.params: list[Any] = []
        self.taken = np.float32(up), np.float32(down)
        self.root = root

    def forward(self) -> list[Any]:
        x, target = self.bottoms
        if self.root and x.max() > 2:
            raise ValueError("no root")
        return [np.where(x < target, 0.9 * (target - x), 0.1 * (x - target)).astype(np.float32)]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        x, target = self.bottoms
        return [weights[0] * np.where(x < target, -self.taken[0], self.taken[1]), None], []


_BELOW, _BOTH = [0.1, 0.5, -1.0, 1.0], [0.1, 0.5, 3.0, 4.5]
_OF_SIDES = {"layer": "a", "kind": "Python", "tops": [None], "bottoms": [0], "params": [], "names": ["x", "t"]}


@pytest.mark.parametrize(
    ("x", "up", "down", "factor", "about", "ratios"),
    [
        (_BELOW, 0.9, 0.1, 1.0, "", []),
        (_BELOW, 1.8, 0.2, 2.0, "", []),
        (_BELOW, 0.1, 0.9, None, "t", [1 / 9, 9]),
        (_BELOW, 0.1, 0.1, None, "t", [1 / 9, 1]),
        (_BOTH, 0.1, 0.9, None, "", [1 / 9, 9]),
        (_BOTH, -0.9, -0.1, -1.0, "", []),
    ],
)
def test_two_sides(
    x: list[float], up: float, down: float, factor: float | None, about: str, ratios: list[float]
) -> None:
    layer = Sides(x, up, down)
    (found,) = (Gradient(**event) for event in check(layer, _OF_SIDES, 1))
    assert layer.bottoms[0].tolist() == np.array(x, np.float32).tolist()
    assert found.about == about
    if factor is None:
        assert math.isnan(found.factor)
        both = found.analytic / found.numeric, found.also[0] / found.also[1]
        assert sorted(both) == pytest.approx(ratios, rel=0.05)
    else:
        assert found.factor == pytest.approx(factor, rel=0.02)
        assert not found.also


def test_the_other_side_need_not_be_there() -> None:
    (found,) = (Gradient(**event) for event in check(Sides([0.1, 0.2, 0.3], 0.1, 0.9, root=True), _OF_SIDES, 1))
    assert found.factor == pytest.approx(1 / 9, rel=0.05)
