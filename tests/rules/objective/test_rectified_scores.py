"""An output that is below 0 for all items never moves on a real Caffe where a ReLU comes before the distance."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

_NET = """
layer {{ name: "{kind}" type: "{kind}" top: "data" top: "target" {block} }}
layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
    inner_product_param {{ num_output: 2 weight_filler {{ value: -1 }} bias_filler {{ value: {bias} }} }} }}
{bend}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "target" top: "loss" }}
"""
_RELU = 'layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }'
_ONES = """dummy_data_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 2 }
    data_filler { value: 1 } data_filler { value: 1 } }"""
_STEPS = """
import json, os, sys
os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="2")
import caffe
solver = caffe.get_solver(sys.argv[1])
solver.step(50)
print(json.dumps(float(solver.net.blobs["loss"].data)))
"""


@pytest.mark.parametrize(("bend", "bias", "told"), [(_RELU, 0, True), ("", 0, False), (_RELU, 4, False)])
def test_told_where_nothing_moves(tmp_path: Path, caffe_python: Path, bend: str, bias: float, told: bool) -> None:
    net = tmp_path / "net.prototxt"
    solver = tmp_path / "solver.prototxt"
    solver.write_text(f'net: "{net}" base_lr: 0.1 lr_policy: "fixed" max_iter: 99')
    net.write_text(_NET.format(kind="DummyData", block=_ONES, bend=bend, bias=bias))
    (tmp_path / "steps.py").write_text(_STEPS)
    run = subprocess.run(
        [caffe_python, tmp_path / "steps.py", solver], capture_output=True, text=True, check=True, timeout=60
    )
    assert (json.loads(run.stdout.splitlines()[-1]) > 0.5) == told
    net.write_text(_NET.format(kind="HDF5Data", block='hdf5_data_param { source: "a" }', bend=bend, bias=bias))
    found = [one for one in caffelint.check(tmp_path).findings if one.name == "rectified-scores"]
    assert len(found) == told
