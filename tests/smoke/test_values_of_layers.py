"""What a single layer does with its values is found as the cause, not the rate or the fillers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.loss import falls
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_SOLVER = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
_FC = """layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s"
  inner_product_param { num_output: %d weight_filler { type: "msra" } } }
"""
_INPUT = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 16 dim: 20 } } }
layer { name: "wide" type: "Power" bottom: "data" top: "wide" power_param { scale: 8 shift: -4 } }
layer { name: "target" type: "Power" bottom: "data" top: "target" power_param { scale: 2 shift: -1 } }
"""
_LOSS = _FC % ("out", "last", "out", 20)
_EUCLIDEAN = 'layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "target" top: "loss" }\n'
_HIDDEN = _FC % ("hidden", "wide", "hidden", 30)
_NETS = {
    "product": (
        "".join(_FC % (f"b{at}", "wide", f"b{at}", 24) for at in range(4))
        + 'layer { name: "mix" type: "Eltwise" bottom: "b0" bottom: "b1" bottom: "b2" bottom: "b3" top: "last"'
        + " eltwise_param { operation: PROD } }\n"
        + _LOSS
        + _EUCLIDEAN,
        'Eltwise "mix" multiplies 4 bottoms',
    ),
    "factor": (
        _HIDDEN
        + 'layer { name: "slopes" type: "PReLU" bottom: "hidden" top: "last" prelu_param { filler { type: "constant"'
        + " value: 600 } } }\n"
        + _LOSS
        + _EUCLIDEAN,
        'the slopes of PReLU "slopes" start at 600',
    ),
    "shrinks": (
        _HIDDEN
        + 'layer { name: "small" type: "Power" bottom: "hidden" top: "last" power_param { scale: 0.000001 } }\n'
        + _LOSS.replace('weight_filler { type: "msra" }', 'weight_filler { type: "msra" } bias_term: false')
        + _EUCLIDEAN,
        'Power "small" makes values of the size ',
    ),
    "dropped": (
        _HIDDEN
        + 'layer { name: "drop" type: "Dropout" bottom: "hidden" top: "last"'
        + " dropout_param { dropout_ratio: 0.999 } }\n"
        + _LOSS
        + _EUCLIDEAN,
        'dropout_ratio 0.999 of Dropout "drop" leaves one value in 1000',
    ),
}


def _blocks(param: str) -> str:
    """Residual blocks whose sums have these parameters."""
    net, last = "", "data"
    for at in range(4):
        net += (_FC % (f"b{at}", last, f"b{at}", 20)).replace("msra", "xavier")
        net += f'layer {{ name: "sum{at}" type: "Eltwise" bottom: "{last}" bottom: "b{at}" top: "sum{at}" {param} }}\n'
        last = f"sum{at}"
    return net + _FC % ("out", last, "out", 20) + _EUCLIDEAN


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("param", "what", "cured"),
    [
        ("eltwise_param { coeff: 20 coeff: -20 }", "coeff", "coeff: 1 coeff: -1"),
        ("eltwise_param { operation: PROD }", "operation PROD", "operation: SUM"),
    ],
)
def test_what_mixes_branches_is_named_not_the_fillers(
    param: str, what: str, cured: str, engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    session = in_engine(
        write(tmp_path, _INPUT + _blocks(param), _SOLVER.replace("0.01", "0.003")), engine, diagnose="full"
    )
    assert session.run is not None
    words = verdict(session.run, session.report.findings)
    assert f'{what} of Eltwise "sum0" and 3 more makes values ' in words
    assert cured in words
    assert "msra" not in words
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.field == "mixed"


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("field", _NETS)
def test_the_layer_is_named(field: str, engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    net, fact = _NETS[field]
    session = in_engine(write(tmp_path, _INPUT + net, _SOLVER), engine, diagnose="full")
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.field, falls(best.first, best.last)) == (field, True)
    assert fact in verdict(session.run, session.report.findings)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_loss_without_a_lower_bound_is_no_matter_of_the_rate(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    net = _FC % ("last", "wide", "last", 30) + _LOSS
    net += 'layer { name: "diff" type: "Eltwise" bottom: "out" bottom: "target" top: "diff"'
    net += " eltwise_param { coeff: 1 coeff: -1 } }\n"
    net += 'layer { name: "loss" type: "Reduction" bottom: "diff" top: "loss" loss_weight: 1 }\n'
    session = in_engine(write(tmp_path, _INPUT + net, _SOLVER), engine)
    assert session.run is not None
    words = verdict(session.run, session.report.findings)
    assert 'Reduction "loss" adds up values of either sign, so the loss falls without end' in words
    assert "too high" not in words


_LOADER = """import caffe
import numpy as np


class Load(caffe.Layer):
    def setup(self, bottom, top):
        self.random = np.random.RandomState(1)

    def reshape(self, bottom, top):
        top[0].reshape(16, 6)
        top[1].reshape(16)

    def forward(self, bottom, top):
        top[0].data[...] = self.random.rand(16, 6) DATA
        top[1].data[...] = self.random.randint(0, 4, 16) LABEL

    def backward(self, top, propagate_down, bottom):
        pass
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("data", "label", "fact"),
    [
        ("", "/ 255.0", "labels are fractions, 0 to 0.01176, which Caffe cuts to whole numbers"),
        ("* 0", "", 'every value of "data", which Python "load" brings, is 0'),
    ],
)
def test_what_a_loader_does(
    data: str, label: str, fact: str, engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    (tmp_path / "loads.py").write_text(
        _LOADER.replace(" DATA", data and f" {data}").replace(" LABEL", label and f" {label}")
    )
    net = 'layer { name: "load" type: "Python" top: "data" top: "label"'
    net += ' python_param { module: "loads" layer: "Load" } }\n'
    net += _FC % ("hidden", "data", "hidden", 30)
    net += 'layer { name: "relu" type: "ReLU" bottom: "hidden" top: "hidden" }\n'
    net += _FC % ("out", "hidden", "out", 4)
    net += 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "out" bottom: "label" top: "loss" }\n'
    session = in_engine(write(tmp_path, net, _SOLVER), engine)
    assert session.run is not None
    assert fact in verdict(session.run, session.report.findings)
