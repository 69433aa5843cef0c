"""A Python layer whose data goes away from where it began."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import SOLVER, write

from caffelint.smoke.diagnosis.tried import cure
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

NET = """
layer { name: "data" type: "Python" top: "data" top: "label" python_param { module: "feed" layer: "Feed" } }
layer { name: "body" type: "InnerProduct" bottom: "data" top: "body"
  inner_product_param { num_output: 8 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "body" top: "body" }
layer { name: "head" type: "InnerProduct" bottom: "body" top: "head"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "head" bottom: "label" top: "loss" }
"""
MODULE = """
import numpy as np
import caffe


class Feed(caffe.Layer):
    def setup(self, bottom, top):
        self.labels = np.arange(64) % 4
        self.rows = 4 * np.eye(8)[self.labels] + np.random.RandomState(1).randn(64, 8)
        self.at = 0

    def reshape(self, bottom, top):
        top[0].reshape(16, 8)
        top[1].reshape(16)

    def forward(self, bottom, top):
        rows = self.taken(self.at, self.at + 16)
        np.subtract(rows, 3, out=rows)
        top[0].data[...] = rows
        top[1].data[...] = self.labels[self.at : self.at + 16]
        self.at = (self.at + 16) % 64

    def taken(self, start, end):
        return self.rows[start:end]COPIED

    def backward(self, top, propagate_down, bottom):
        pass
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("copied", ["", ".copy()"])
def test_it_is_named_before_the_rate(
    engine: str, copied: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    (tmp_path / "feed.py").write_text(MODULE.replace("COPIED", copied))
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.05")
    session = in_engine(write(tmp_path, NET, solver), engine, iterations=60)
    assert session.run is not None
    found = [one.name for one in session.report.findings]
    said = verdict(session.run, session.report.findings)
    if copied:
        assert "drifting-data" not in found
        assert said.startswith("it trains")
    else:
        assert "drifting-data" in found
        assert said.startswith("its data drifts away: ")
        assert cure(session.run) is None
