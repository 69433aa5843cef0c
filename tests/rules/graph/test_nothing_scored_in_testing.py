"""What a test of a real Caffe prints where nothing is scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caffelint

NET = """
layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {
  shape { dim: 7 dim: 4 } shape { dim: 7 dim: 5 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 5 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" %s }
"""
SOLVER = (
    'net: "net.prototxt" test_iter: 2 test_interval: 5 base_lr: 0.01 lr_policy: "fixed" max_iter: 6 solver_mode: CPU'
)


@pytest.mark.parametrize("only", ["include { phase: TRAIN }", ""])
def test_each_value_is_printed(caffe_exec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: str) -> None:
    (tmp_path / "net.prototxt").write_text(NET % only)
    (tmp_path / "solver.prototxt").write_text(SOLVER + " snapshot_after_train: false")
    monkeypatch.chdir(tmp_path)
    said = [one for one in caffelint.check(["."]).findings if one.name == "nothing-scored-in-testing"]
    done = caffe_exec("caffe", "train", "-solver", "solver.prototxt")
    assert done.returncode == 0, done.stderr
    tests = done.stderr.decode().count("Testing net (#0)")
    printed = done.stderr.decode().count("Test net output #") / tests
    assert bool(said) == bool(only)
    assert printed == (2 * 7 * 5 if only else 1)
    assert all(f"the {int(printed)} values" in one.message for one in said)
