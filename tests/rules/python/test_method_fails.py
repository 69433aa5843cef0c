"""What fails in a backward that Net::Init leaves out is not what Caffe ends by."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 2 dim: 3 } } }
layer { name: "fc" type: "InnerProduct" bottom: "d" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "Python" bottom: "fc" top: "loss" python_param { module: "m" layer: "L" } %s }
"""
MODULE = """import caffe

class L(caffe.Layer):
    def setup(self, bottom, top):
        pass
    def reshape(self, bottom, top):
        top[0].reshape(1)
    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data.sum()
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = 1 if true else 0
"""


@pytest.mark.parametrize(
    ("weight", "severity", "ends"),
    [("loss_weight: 1", "error", "ends in the first iteration"), ("", "warning", "ends there once it has")],
)
def test_a_backward_that_never_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weight: str, severity: str, ends: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(NET % weight)
    (tmp_path / "m.py").write_text(MODULE)
    config = Config()
    config.cache, config.select = False, ["python-method-fails"]
    [one] = caffelint.check(["."], config).findings
    assert one.severity == severity
    assert ends in one.message


HELPED = """import numpy as np

def outer(x):
    for _ in range(3):
        inner(x)
    return x.sum()

%s

"""


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("def inner(x):\n    gtMean = 1\n    return x - gtmean", 10),
        ("def inner(x):\n    if x.any():\n        return 1\n    return x - gtmean", 0),  # not in any case
        ("def inner(x):\n    yield gtmean", 0),
        ("@jit\ndef inner(x):\n    return gtmean", 0),
        ("def inner(x):\n    return 1\ninner = lambda x: gtmean", 0),
        ("def inner(x):\n    return [gtmean for gtmean in x]", 0),
    ],
)
def test_what_a_method_calls_fails_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caffe_python: Path, inner: str, line: int
) -> None:
    monkeypatch.chdir(tmp_path)
    module = HELPED % inner + MODULE.replace("bottom[0].data.sum()", "outer(bottom[0].data)").replace("true", "True")
    (tmp_path / "net.prototxt").write_text(NET % "")
    (tmp_path / "m.py").write_text(module)
    config = Config()
    config.cache, config.select = False, ["python-method-fails"]
    told = [one.message for one in caffelint.check(["."], config).findings]
    assert [f"uses gtmean, which nothing defines (m.py:{line})" in message for message in told] == [True] * bool(line)
    if line:
        run = "import caffe; caffe.Net('net.prototxt', caffe.TRAIN).forward()"
        done = subprocess.run([caffe_python, "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "NameError: name 'gtmean' is not defined" in done.stderr
