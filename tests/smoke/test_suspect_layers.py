"""A layer that is itself to blame is named with its reason: the user's own code by line, a domain with what cures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import CONV, DATA, LOSS, SOLVER, write

from caffelint.cli.main import main
from caffelint.smoke.diagnosis.tried import CURED, survivor
from caffelint.smoke.events import BLOB, Gradient, NonFinite
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

PYTHON = """layer {
  name: "mine"
  type: "Python"
  bottom: "conv"
  top: "mine"
  python_param { module: "mine" layer: "Mine" }
}
"""
CODE = """import caffe
import numpy as np


class Mine(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data{forward}

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = {backward}
"""
NET = DATA + CONV + PYTHON + LOSS.replace('bottom: "conv"', 'bottom: "mine"')


def project(folder: Path, net: str = NET, forward: str = "", backward: str = "top[0].diff") -> Path:
    (folder / "mine.py").write_text(CODE.format(forward=forward, backward=backward))
    return write(folder, net, SOLVER.replace("base_lr: 0.01", "base_lr: 0.001"))


def words(session: Session) -> str:
    assert session.run is not None
    return verdict(session.run, session.report.findings)


def test_a_wrong_backward_is_the_cause_not_the_rate(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    session = in_caffe(project(tmp_path, backward="-1e25 * top[0].diff"))
    assert session.run is not None
    assert [event.layer for event in session.run.all(Gradient) if event.wrong] == ["mine"]
    text = words(session)
    assert "its sign is wrong, and it is 1e+25 times too large; correct backward, at mine.py:16" in text
    assert "base_lr" not in text


def test_a_right_backward_is_not_accused(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    net = NET.replace('type: "xavier"', 'type: "gaussian" std: 1e15').replace(
        'bottom: "label"', 'bottom: "label" loss_weight: 1e25'
    )
    session = in_caffe(project(tmp_path, net))
    assert session.run is not None
    assert [event.wrong for event in session.run.all(Gradient)] == [0]
    assert "mine.py" not in words(session)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_what_numpy_says_of_code_that_gives_nan(
    tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any, engine: str
) -> None:
    if engine == "torch":
        pytest.importorskip("torch")
    solver = project(tmp_path, forward=" + bottom[0].data[bottom[0].data > 1e9].mean()")
    monkeypatch.chdir(tmp_path)
    more = ["--caffe-python", str(caffe_python)] if engine == "caffe" else []
    assert main(["smoke", solver.name, "--engine", engine, "--data", "synthetic", *more]) == 1
    assert "mine.Mine makes it from finite values: Mean of empty slice, at mine.py:13" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("layer", "change"),
    [
        ('type: "Log"', "log_param { shift: "),
        ('type: "Power" power_param { power: 0.5 }', "power_param { shift: "),
        ('type: "Power" power_param { power: -2 scale: 0 }', "power_param { shift: 1 }"),
        ('type: "Exp" exp_param { scale: 200 }', "exp_param { scale: "),
    ],
)
def test_the_safe_form_of_a_layer_is_tried(
    tmp_path: Path, in_caffe: Callable[..., Session], layer: str, change: str
) -> None:
    made = f'layer {{ name: "mine" bottom: "data" top: "mine" {layer} }}\n'
    net = DATA + made + CONV.replace('bottom: "data"', 'bottom: "mine"') + LOSS
    session = in_caffe(project(tmp_path, net), diagnose="full")
    assert session.run is not None
    broke = session.run.first(NonFinite)
    assert broke is not None
    assert broke.layer == "mine"
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.kind, best.outcome) == ("layer", CURED)
    assert best.change.text.startswith(change)
    assert f"with {best.change.text}" in words(session)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_what_was_read_is_known_where_the_first_pass_breaks(
    engine: str, tmp_path: Path, in_engine: Callable[..., Session]
) -> None:
    exp = 'layer { name: "exp" type: "Exp" bottom: "data" top: "exp" exp_param { scale: 200 } }\n'
    net = DATA + exp + CONV.replace('bottom: "data"', 'bottom: "exp"') + LOSS
    run = in_engine(project(tmp_path, net), engine, diagnose="off").run
    assert run is not None
    broke = run.first(NonFinite)
    assert broke is not None
    assert broke.iteration < 0
    assert run.statistics(-1, "data", BLOB, "data", "data") is not None


def test_an_exp_where_an_activation_is_usual_is_made_a_relu(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    exp = 'layer { name: "exp" type: "Exp" bottom: "conv" top: "conv" }\n'
    large = CONV.replace('type: "xavier"', 'type: "constant" value: 100', 1)
    text = words(in_caffe(project(tmp_path, DATA + large + exp + LOSS), diagnose="full"))
    assert 'with type: "ReLU" at "exp" it' in text
    assert "exp_param" not in text


def test_a_root_of_values_without_their_signs_is_tried(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    made = 'layer { name: "mine" bottom: "data" top: "mine" type: "Power" power_param { power: 0.5 } }\n'
    net = DATA + made + CONV.replace('bottom: "data"', 'bottom: "mine"') + LOSS
    session = in_caffe(project(tmp_path, net), diagnose="full")
    assert session.run is not None
    changed = (
        'layer { name: "data_abs" type: "AbsVal" bottom: "data" top: "data_abs" } and bottom: "data_abs" in "mine"'
    )
    changed += " and power_param { shift: 0.001 }"
    assert [one.outcome for one in session.run.tried if one.change.text == changed] == [CURED]
