"""A process that crashes takes the experiments with it: another one makes them, and the cause is found as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import CONV, DATA, LOSS, SOLVER, write

from caffelint.smoke.diagnosis.tried import CURED
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_GUARD = """import os
import signal

import caffe
import numpy as np


class Guard(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        if np.abs(bottom[0].data).max() > 100:
            os.kill(os.getpid(), signal.SIGSEGV)
        top[0].data[...] = bottom[0].data

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff
"""
_PYTHON = 'layer { name: "guard" type: "Python" bottom: "conv" top: "seen"'
_PYTHON += ' python_param { module: "guard" layer: "Guard" } }\n'


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_what_a_crash_came_of_is_found(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(_GUARD)
    net = DATA + CONV + _PYTHON + LOSS.replace('bottom: "conv"', 'bottom: "seen"')
    session = in_engine(write(tmp_path, net, SOLVER.replace("base_lr: 0.01", "base_lr: 1000")), engine)
    assert session.run is not None
    words = verdict(session.run, session.report.findings)
    assert 'Python "guard": the process crashed (signal 11, segmentation fault) in the forward pass' in words
    assert CURED in [one.outcome for one in session.run.tried if one.hypothesis.kind == "rate"]
    assert "base_lr 1000 with momentum 0.9 is too high for this synthetic data; with base_lr: 0.01" in words
