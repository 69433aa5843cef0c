"""Python layers that make zeros of what they read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

CODE = """import caffe
import numpy as np


class Feed(caffe.Layer):
    def setup(self, bottom, top):
        self.random = np.random.RandomState(1)

    def reshape(self, bottom, top):
        top[0].reshape(8, 4)
        top[1].reshape(8)

    def forward(self, bottom, top):
        pixels = self.random.randint(0, 255, (8, 4))
        top[0].data[...] = {}
        top[1].data[...] = pixels[:, 0] > 127

    def backward(self, top, propagate_down, bottom):
        pass


class Above(caffe.Layer):
    def setup(self, bottom, top):
        self.least = float(self.param_str)

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data > self.least

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff
"""
NET = """layer { name: "feed" type: "Python" top: "data" top: "label" python_param { module: "own" layer: "Feed" } }
layer { name: "hidden" type: "InnerProduct" bottom: "data" top: "hidden"
  inner_product_param { num_output: 8 weight_filler { type: "xavier" } } }
layer { name: "above" type: "Python" bottom: "hidden" top: "above"
  python_param { module: "own" layer: "Above" param_str: "20" } }
layer { name: "fc" type: "InnerProduct" bottom: "above" top: "fc"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("gives", "said"),
    [
        ("pixels / 255.0", 'own.Above with param_str "20" makes 0 of "hidden", whose values are -'),
        (
            "(pixels / 255.0).astype(np.uint8)",
            'every value of "data", which Python "feed" brings, is 0; values below 1 become 0 where they are made whole'
            " numbers, as at own.py:15",
        ),
    ],
)
def test_who_makes_zeros_of_what(
    engine: str, gives: str, said: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(CODE.format(gives))
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    session = in_engine(solver, engine, iterations=8, diagnose="off")
    assert session.run is not None
    assert said in verdict(session.run, session.report.findings)
