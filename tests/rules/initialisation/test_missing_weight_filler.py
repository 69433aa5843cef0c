"""Which layers of zeros never learn, against a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

_NET = """
layer {{ name: "data" type: "DummyData" top: "data" top: "label"
    dummy_data_param {{ shape {{ dim: 8 dim: 3 dim: 8 dim: 8 }} shape {{ dim: 8 }}
        data_filler {{ type: "gaussian" std: 1 }} data_filler {{ value: 1 }} }} }}
layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1"
    convolution_param {{ num_output: 8 kernel_size: 3 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "relu1" type: "ReLU" bottom: "c1" top: "c1" }}
layer {{ name: "c2" type: "Convolution" bottom: "c1" top: "c2"
    convolution_param {{ num_output: 8 kernel_size: 3 {bias} }} }}
{between}
layer {{ name: "bend" bottom: "{last}" top: "{last}" {bend} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "{last}" top: "ip"
    inner_product_param {{ num_output: 4 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""
_NORM = """
layer { name: "bn" type: "BatchNorm" bottom: "c2" top: "c2" }
layer { name: "scale" type: "Scale" bottom: "c2" top: "c2" scale_param { bias_term: true } }
"""
_FC = """
layer { name: "fc" type: "InnerProduct" bottom: "c2" top: "fc"
    inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
"""
_STEPS = """
import json, os, sys
os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="2")
import caffe
solver = caffe.get_solver(sys.argv[1])
before = {name: blobs[0].data.copy() for name, blobs in solver.net.params.items()}
solver.step(5)
print(json.dumps([name for name, blobs in solver.net.params.items() if abs(blobs[0].data - before[name]).max() > 0]))
"""


@pytest.mark.parametrize(
    ("bias", "between", "bend"),
    [
        ("", "", 'type: "ReLU"'),
        ("", _NORM, 'type: "ReLU"'),
        ("", _FC, 'type: "ReLU"'),
        ("", 'layer { name: "drop" type: "Dropout" bottom: "c2" top: "c2" }', 'type: "ReLU"'),
        ("bias_filler { value: 0.1 }", "", 'type: "ReLU"'),
        ("", _NORM.replace("bias_term: true", "bias_term: true bias_filler { value: 0.1 }"), 'type: "ReLU"'),
        ("", "", 'type: "ReLU" relu_param { negative_slope: 0.1 }'),
        ("", "", 'type: "PReLU"'),
        ("", "", 'type: "ELU"'),
        ("", "", 'type: "TanH"'),
    ],
)
def test_told_where_nothing_moves(tmp_path: Path, caffe_python: Path, bias: str, between: str, bend: str) -> None:
    (tmp_path / "net.prototxt").write_text(
        _NET.format(bias=bias, between=between, bend=bend, last="fc" if between == _FC else "c2")
    )
    solver = tmp_path / "solver.prototxt"
    solver.write_text(f'net: "{tmp_path}/net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9 momentum: 0.9')
    (tmp_path / "steps.py").write_text(_STEPS)
    run = subprocess.run(
        [caffe_python, tmp_path / "steps.py", solver], capture_output=True, text=True, check=True, timeout=60
    )
    learned = {"c1", "c2"} & set(json.loads(run.stdout.splitlines()[-1]))
    found = [one for one in caffelint.check(tmp_path).findings if one.name == "missing-weight-filler"]
    assert [one.severity for one in found] == ["info" if learned else "warning"]


_HEAD = """
layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}
layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1" convolution_param {{ num_output: 8 kernel_size: 3 }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "c1" top: "ip" param {{ lr_mult: {rate} }}
    inner_product_param {{ num_output: 4 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""


@pytest.mark.parametrize(
    ("script", "frozen", "severity"),
    [
        ("caffe train -gpu all -solver solver.prototxt", "", "warning"),
        ("caffe train -gpu all -solver solver.prototxt -weights vgg.caffemodel", "", "info"),
        ("", "", "info"),
        # What is frozen has its weights from somewhere, unless a script says otherwise.
        ("caffe train -gpu all -solver solver.prototxt", "0", "warning"),
        ("caffe train -gpu all -solver solver.prototxt -weights vgg.caffemodel", "0", ""),
        ("", "0", ""),
    ],
)
def test_a_script_tells_whether_weights_are_loaded(tmp_path: Path, script: str, frozen: str, severity: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.sh").write_text(script)
    (tmp_path / "net.prototxt").write_text(_HEAD.format(rate=frozen or "1"))
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.0005 lr_policy: "fixed" max_iter: 900')
    found = [one for one in caffelint.check(tmp_path).findings if one.name == "missing-weight-filler"]
    assert [one.severity for one in found] == ([severity] if severity else [])
