"""Weights that are too large in several layers, in some of them by less."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session

_LAYER = """layer { name: "fc%d" type: "InnerProduct" bottom: "%s" top: "fc%d"
  inner_product_param { num_output: %d weight_filler { type: "gaussian" std: 1 } } }
layer { name: "relu%d" type: "ReLU" bottom: "fc%d" top: "fc%d" }
"""
_NET = """layer { name: "data" type: "Input" top: "data" top: "target"
  input_param { shape { dim: 16 dim: 24 } shape { dim: 16 dim: 4 } } }
"""
for _at, _size in ((1, 400), (2, 400)):
    _NET += _LAYER % (_at, f"fc{_at - 1}" if _at > 1 else "data", _at, _size, _at, _at, _at)
_NET += """layer { name: "out" type: "InnerProduct" bottom: "fc2" top: "out"
  inner_product_param { num_output: 4 weight_filler { type: "gaussian" std: 1 } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "target" top: "loss" }
"""
_SOLVER = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_all_of_them_are_mended(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """24 inputs with a deviation of 1 are 3.5 times too large, 400 are 14 times."""
    session = in_engine(write(tmp_path, _NET, _SOLVER), engine)
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.hypothesis.kind == "fillers"
    assert {layer.name for layer in best.hypothesis.layers} == {"fc1", "fc2", "out"}
