"""Nets that cannot give what their loss asks for, and layers that make other orders of magnitude."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_SOLVER = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
_FC = """layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s"
  inner_product_param { num_output: %d weight_filler { type: "xavier" } } }
"""
_INPUT = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 16 dim: 20 } } }
layer { name: "below" type: "Power" bottom: "data" top: "below" power_param { shift: -3 } }
"""
_RELU = """layer { name: "last" type: "ReLU" bottom: "out" top: "%s" }
layer { name: "loss" type: "EuclideanLoss" bottom: "%s" bottom: "below" top: "loss" }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("top", ["out", "kept"])
def test_an_output_that_cannot_be_below_0(
    engine: str, top: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    net = _INPUT + _FC % ("hidden", "data", "hidden", 30) + _FC % ("out", "hidden", "out", 20) + _RELU % (top, top)
    session = in_engine(write(tmp_path, net, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.field, best.learned) == ("bounded", True)
    words = verdict(session.run, session.report.findings)
    assert 'ReLU "last" cannot give the targets of EuclideanLoss "loss", which are -' in words
    assert 'with no ReLU "last" it learns' in words


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_layer_that_expands_comes_before_the_weight_of_its_loss(
    engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    net = _INPUT + _FC % ("hidden", "data", "hidden", 30)
    net += 'layer { name: "exp" type: "Exp" bottom: "hidden" top: "exp" exp_param { scale: 20 } }\n'
    net += _FC % ("out", "exp", "out", 20)
    net += 'layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "below" top: "loss" }\n'
    net += _FC % ("other", "hidden", "other", 20)
    net += 'layer { name: "second" type: "EuclideanLoss" bottom: "other" bottom: "below" top: "second" }\n'
    session = in_engine(write(tmp_path, net, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.field == "expands"
    assert best.change.text.startswith("exp_param { scale: ")
    assert 'Exp "exp" makes values up to ' in verdict(session.run, session.report.findings)


@pytest.mark.parametrize(("engine", "top"), [("caffe", "out"), ("torch", "out"), ("caffe", "kept")])
def test_a_dropout_on_the_answers(engine: str, top: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    net = _INPUT + _FC % ("hidden", "data", "hidden", 30) + _FC % ("out", "hidden", "out", 20)
    net += f'layer {{ name: "drop" type: "Dropout" bottom: "out" top: "{top}" }}\n'
    net += f'layer {{ name: "loss" type: "EuclideanLoss" bottom: "{top}" bottom: "below" top: "loss" }}\n'
    session = in_engine(write(tmp_path, net, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.field == "answers"
    words = verdict(session.run, session.report.findings)
    assert 'Dropout "drop" sets some of the answers that EuclideanLoss "loss" reads to 0 by chance' in words
    assert 'with no Dropout "drop" it learns' in words


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_a_normalisation_of_the_answers(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """With a mean of 0 and a variance of 1 it gives none that are far from 0."""
    net = _INPUT + _FC % ("hidden", "data", "hidden", 30) + _FC % ("out", "hidden", "out", 20)
    net += 'layer { name: "shift" type: "Power" bottom: "below" top: "far" power_param { shift: 9 } }\n'
    net += 'layer { name: "norm" type: "BatchNorm" bottom: "out" top: "out" }\n'
    net += 'layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "far" top: "loss" }\n'
    session = in_engine(write(tmp_path, net, _SOLVER.replace("0.01", "0.002")), engine, iterations=200)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.field == "bounded"
    assert 'BatchNorm "norm" cannot give the targets of EuclideanLoss "loss"' in verdict(
        session.run, session.report.findings
    )
