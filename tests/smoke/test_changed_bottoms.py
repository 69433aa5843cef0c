"""What a Python layer sets in a bottom is set for all that read the blob, in both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.session import Session

NET = """
layer { name: "data" type: "DummyData" top: "data" dummy_data_param {
  shape { dim: 4 dim: 6 } data_filler { type: "constant" value: 3 } } }
layer { name: "holes" type: "Python" bottom: "data" top: "holed" python_param { module: "holes" layer: "Holes" } }
layer { name: "fc" type: "InnerProduct" bottom: "holed" top: "fc"
  inner_product_param { num_output: 6 weight_filler { type: "constant" value: 0 } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "data" top: "loss" }
"""
HOLES = """
import caffe


class Holes(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        x = bottom[0].data
        x[:, :3] = 0
        top[0].data[...] = x

    def backward(self, top, propagate_down, bottom):
        pass
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(("copied", "first"), [(False, 13.5), (True, 27.0)])
def test_the_loss_compares_with_what_was_set(
    tmp_path: Path, in_engine: Callable[..., Session], engine: str, copied: bool, first: float
) -> None:
    """Of six values of 3, the squares of those that are left, halved."""
    (tmp_path / "holes.py").write_text(HOLES.replace(".data\n", ".data.copy()\n" if copied else ".data\n"))
    run = in_engine(write(tmp_path, NET, SOLVER), engine).run
    assert run is not None
    assert run.iterations[0].loss == pytest.approx(first)
