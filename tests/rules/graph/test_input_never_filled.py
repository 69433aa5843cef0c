"""Inputs beside data that is read from files: what a real Caffe makes of them, and which scripts may fill them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

_NET = """
input: "clip" input_shape { dim: 5 dim: 2 }
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train" batch_size: 5 } }
layer { name: "lstm" type: "LSTM" bottom: "data" bottom: "clip" top: "h"
    recurrent_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "h" bottom: "label" top: "loss" }
"""
_DUMMY = """type: "DummyData" top: "data" top: "label" dummy_data_param {
    shape { dim: 5 dim: 2 dim: 4 } shape { dim: 5 dim: 2 } data_filler { type: "gaussian" } data_filler { } } }
layer {"""
_STEPS = """
import json, os, sys
os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="2")
import caffe
solver = caffe.get_solver(sys.argv[1])
solver.step(1)
net, last = solver.net, []
for clip in (None, 1):
    if clip:
        net.blobs["clip"].data[...] = clip
    for start in (0, 1):
        net.blobs["data"].data[...] = 1
        net.blobs["data"].data[0] = start
        net.forward(start="lstm")
        last.append(net.blobs["h"].data[4].tolist())
print(json.dumps([last[0] == last[1], last[2] == last[3]]))
"""


def test_what_caffe_forgets(tmp_path: Path, caffe_python: Path) -> None:
    text = _NET.replace(
        'type: "Data" top: "data" top: "label" data_param { source: "train" batch_size: 5 } }\nlayer {', _DUMMY
    ).replace('top: "loss"', 'top: "loss" softmax_param { axis: 2 }')
    (tmp_path / "net.prototxt").write_text(text)
    solver = tmp_path / "solver.prototxt"
    solver.write_text(f'net: "{tmp_path}/net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    (tmp_path / "steps.py").write_text(_STEPS)
    run = subprocess.run(
        [caffe_python, tmp_path / "steps.py", solver], capture_output=True, text=True, check=True, timeout=60
    )
    forgets, remembers_otherwise = json.loads(run.stdout.splitlines()[-1])
    assert forgets
    assert not remembers_otherwise


@pytest.mark.parametrize(
    ("scripts", "told"),
    [
        ({}, True),
        ({"train.sh": "caffe train --solver solver.prototxt"}, True),
        ({"train.py": "solver = caffe.get_solver('solver.prototxt')\nsolver.step(1)"}, False),
        ({"train.sh": "caffe train --solver solver.prototxt", "other.py": "solver.step(1)"}, True),
    ],
)
def test_who_may_fill_it(tmp_path: Path, scripts: dict[str, str], told: bool) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "net.prototxt").write_text(_NET)
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    assert any(one.name == "input-never-filled" for one in caffelint.check(tmp_path).findings) == told
