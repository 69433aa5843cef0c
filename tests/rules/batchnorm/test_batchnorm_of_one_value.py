"""Batches that scripts make larger than those of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

_NET = """
layer { name: "data" type: "Input" top: "data" top: "label" input_param { shape { dim: 1 dim: 64 } shape { dim: 1 } } }
layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "bn" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(
    ("script", "line", "expected"),
    [
        ("train.m", "solver.net.blobs('data').reshape([64 900]);", 0),
        ("train.py", "solver.net.blobs['data'].reshape(900, 64)", 0),
        ("train.m", "% solver.net.blobs('data').reshape([64 900]);", 1),
        ("train.m", "x = reshape(x, [64 900]);", 1),
        ("train.py", "x = solver.net.blobs['data'].data.reshape(64)", 1),
    ],
)
def test_a_script_may_reshape_the_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, line: str, expected: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(_NET)
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1')
    (tmp_path / script).write_text(f"solver = caffe.Solver('solver.prototxt');\n{line}\nsolver.step(1);\n")
    found = caffelint.check(["solver.prototxt", "net.prototxt"]).findings
    assert sum(one.code == "B004" for one in found) == expected
