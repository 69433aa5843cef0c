"""Two faults at once: neither change cures without the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import write

from caffelint.cli.main import main
from caffelint.smoke.diagnosis.tried import CURED, survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_LAYER = """layer { name: "fc%d" type: "InnerProduct" bottom: "%s" top: "fc%d"
  inner_product_param { num_output: %d weight_filler { type: "gaussian" std: 60 } } }
layer { name: "relu%d" type: "ReLU" bottom: "fc%d" top: "fc%d" }
"""
_NET = """layer { name: "data" type: "Input" top: "data" top: "target"
  input_param { shape { dim: 16 dim: 20 } shape { dim: 16 dim: 4 } } }
"""
for _at in range(1, 6):
    _NET += _LAYER % (_at, f"fc{_at - 1}" if _at > 1 else "data", _at, 24, _at, _at, _at)
_NET += """layer { name: "out" type: "InnerProduct" bottom: "fc5" top: "out"
  inner_product_param { num_output: 4 weight_filler { type: "gaussian" std: 60 } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "target" top: "loss" }
"""
_SOLVER = 'net: "net.prototxt"\nbase_lr: 50\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_both_are_named(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    session = in_engine(write(tmp_path, _NET, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.outcome == CURED
    assert best.hypothesis.also is not None
    kinds = {best.hypothesis.kind, best.hypothesis.also.kind}
    assert "rate" in kinds
    assert kinds & {"depth", "fillers"}
    words = verdict(session.run, session.report.findings)
    assert "base_lr 50 with momentum 0.9 is too high" in words
    assert "; neither alone cures: with " in words
    assert "not the rate" not in words


def test_both_are_written(tmp_path: Path, caffe_python: Path, monkeypatch: Any, capfd: Any) -> None:
    write(tmp_path, _NET, _SOLVER)
    monkeypatch.chdir(tmp_path)
    main(["smoke", "solver.prototxt", "--caffe-python", str(caffe_python), "--fix", "--quiet"])
    assert "base_lr: 50" not in (tmp_path / "solver.prototxt").read_text()
    assert "gaussian" not in (tmp_path / "net.prototxt").read_text()
    assert "solver.prototxt" in capfd.readouterr().err
