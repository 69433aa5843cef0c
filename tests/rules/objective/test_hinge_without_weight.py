"""What a HingeLoss without a weight adds to the gradient of the scores, on a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import caffelint

NET = """
layer {{ name: "d" type: "Input" top: "x" top: "y" input_param {{ shape {{ dim: 2 dim: 3 }} shape {{ dim: 2 }} }} }}
layer {{ name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param {{ num_output: 3 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "y" top: "loss" }}
{}
"""
HINGE = 'layer {{ name: "m" type: "HingeLoss" bottom: "fc" bottom: "y" top: "m" loss_weight: 0 {} }}'
_ASK = """
import caffe, json
net = caffe.Net("net.prototxt", caffe.TRAIN)
net.blobs["x"].data[...] = 1
net.blobs["y"].data[...] = 1
net.forward()
net.backward()
print(json.dumps(net.params["fc"][1].diff.tolist()))
"""


@pytest.mark.parametrize(
    ("more", "adds"),
    [
        (HINGE.format(""), True),
        (HINGE.format("include { phase: TEST }"), False),
        ("force_backward: true " + HINGE.format(""), False),
        (HINGE.replace("HingeLoss", "EuclideanLoss").replace('bottom: "y"', 'bottom: "x"').format(""), False),
    ],
)
def test_only_margins_are_added(more: str, adds: bool, tmp_path: Path, caffe_python: Path) -> None:
    found = []
    for text in (NET.format(""), NET.format(more)):
        (tmp_path / "net.prototxt").write_text(text)
        done = subprocess.run([caffe_python, "-c", _ASK], cwd=tmp_path, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    assert (found[0] != found[1]) == adds
    told = [one.name for one in caffelint.check_text(NET.format(more).encode(), kind="net").findings]
    assert ("hinge-without-weight" in told) == adds
