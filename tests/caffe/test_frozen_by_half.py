"""What a single `param { lr_mult: 0 }` leaves learning, asked of a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

_NET = (
    'layer {{ name: "data" type: "DummyData" top: "data" top: "to" dummy_data_param {{ shape {{ dim: 4 dim: 3 }}'
    ' shape {{ dim: 4 dim: 3 }} data_filler {{ type: "gaussian" }} data_filler {{ type: "constant" value: 1 }} }} }}\n'
    'layer {{ name: "first" type: "InnerProduct" bottom: "data" top: "first"'
    ' inner_product_param {{ num_output: 3 weight_filler {{ type: "xavier" }} }} }}\n'
    'layer {{ name: "scale" type: "Scale" bottom: "first" top: "scale" {} scale_param {{ bias_term: true }} }}\n'
    'layer {{ name: "loss" type: "EuclideanLoss" bottom: "scale" bottom: "to" top: "loss" }}\n'
)
_SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 5 snapshot_after_train: false\n'
_ASK = """
import json
import caffe
solver = caffe.SGDSolver("solver.prototxt")
blobs = solver.net.params["scale"]
before = [blob.data.copy() for blob in blobs]
solver.step(3)
json.dump([bool((blob.data != old).any()) for blob, old in zip(blobs, before)], open("moved.json", "w"))
"""


@pytest.mark.parametrize(
    ("params", "moved"),
    [
        ("param { lr_mult: 0 }", [False, True]),
        ("param { lr_mult: 0 } param { lr_mult: 0 }", [False, False]),
        ("", [True, True]),
    ],
)
def test_is_told_where_only_the_bias_moves(
    params: str, moved: list[bool], caffe_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"net.prototxt": _NET.format(params), "solver.prototxt": _SOLVER, "ask.py": _ASK}.items():
        (tmp_path / name).write_text(text)
    subprocess.run([caffe_python, "ask.py"], check=True, timeout=120, capture_output=True)
    assert json.loads((tmp_path / "moved.json").read_text()) == moved
    told = any(one.name == "frozen-by-half" for one in caffelint.check(["."]).findings)
    assert told == (moved == [False, True])
