"""The largest rate, by what tells it: updates, swings of scores, or how far layers are moved."""

from __future__ import annotations

import math

import pytest

from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.scales import rates
from caffelint.numerics.updates import step_of

_DATA = """layer {{ name: "data" type: "DummyData" top: "x" top: "y" top: "cont" dummy_data_param {{
  shape {{ dim: 8 dim: 4 dim: 50 }} shape {{ dim: 8 {label} }} shape {{ dim: 8 dim: 4 }}
  data_filler {{ type: "gaussian" std: {size} }} data_filler {{ type: "{target}" }}
  data_filler {{ type: "constant" }} }} }}
"""


def _layer(name: str, kind: str, bottoms: str, body: str = "") -> str:
    reads = " ".join(f'bottom: "{one}"' for one in bottoms.split())
    return f'layer {{ name: "{name}" type: "{kind}" {reads} top: "{name}" {body} }}\n'


def _inner(name: str, bottom: str, outputs: int, filler: str = 'type: "msra"') -> str:
    return _layer(
        name, "InnerProduct", bottom, f"inner_product_param {{ num_output: {outputs} weight_filler {{ {filler} }} }}"
    )


_HIDDEN = _inner("fc1", "x", 40) + _layer("relu", "ReLU", "fc1") + _inner("fc2", "relu", 5)


def _largest(
    net: str, kind: str, size: float = 1.0, loss: str = "SoftmaxWithLoss", label: str = "", more: str = ""
) -> float:
    target = "constant"
    if loss == "EuclideanLoss":
        label, target = "dim: 5", "gaussian"
    text = _DATA.format(size=size, label=label, target=target) + net + _layer("loss", loss, "fc2 y", more)
    built = load(text.encode(), "net.prototxt").net
    solver = load(f'base_lr: 1 type: "{kind}"'.encode(), "solver.prototxt", "solver").solver
    assert built is not None
    assert solver is not None
    return next(one.largest for one in rates(built.likely(State("TRAIN")), solver.message) if one.type == kind)


@pytest.mark.parametrize("kind", ["Adam", "RMSProp", "AdaGrad"])
def test_large_data_make_steps_large_that_do_not_grow_with_gradients(kind: str) -> None:
    """What both layers make of 100 times as much with their updates is as much larger: the root of it in each."""
    found = _largest(_HIDDEN, kind) / _largest(_HIDDEN, kind, size=100)
    assert found == pytest.approx(10, rel=0.5)


def test_scores_swing_around_targets_by_steps_that_do_not_shrink() -> None:
    """Adam remembers the first gradients, so its steps become small with them; RMSProp forgets them."""
    assert _largest(_HIDDEN, "RMSProp", loss="EuclideanLoss") < _largest(_HIDDEN, "Adam", loss="EuclideanLoss")


def test_steps_of_ada_delta_begin_by_its_empty_history() -> None:
    """On Caffe, its first steps are sqrt(delta / (1 - momentum)), and stay so (adadelta_solver.cpp)."""
    solver = load(b'type: "AdaDelta" momentum: 0.95 delta: 1e-6', "solver.prototxt", "solver").solver
    assert solver is not None
    assert step_of(solver.message, 1.0, 1.0) == pytest.approx(math.sqrt(1e-6 / 0.05), rel=0.01)
