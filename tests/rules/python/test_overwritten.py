"""What is told of a Python layer in place is asked of the real Caffe: is its gradient another one?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint

LAYER = """
import caffe


class Own(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        top[0].data[...] = {forward}

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = {backward}
"""
NET = """
force_backward: true
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 } } }
layer { name: "x" type: "Power" bottom: "data" top: "x" }
layer { name: "own" type: "Python" bottom: "x" top: "%s" python_param { module: "own" layer: "Own" } }
layer { name: "sum" type: "Reduction" bottom: "%s" top: "sum" loss_weight: 1 }
"""
_ASK = """
import caffe
found = []
for name in ("in_place.prototxt", "apart.prototxt"):
    net = caffe.Net(name, caffe.TRAIN)
    net.blobs["data"].data[...] = [-2, -0.5, 0.5, 2]
    net.forward()
    net.backward()
    found.append(net.blobs["data"].diff.tolist())
print(found[0] != found[1])
"""


@pytest.mark.parametrize(
    ("forward", "backward", "differs"),
    [
        ("bottom[0].data ** 2", "2 * bottom[0].data * top[0].diff", True),
        ("bottom[0].data", "top[0].diff + 0.1 * bottom[0].data", False),
        ("bottom[0].data.copy()", "top[0].diff + 0.1 * bottom[0].data", False),
        ("bottom[0].data * (bottom[0].data > 0)", "top[0].diff * (bottom[0].data > 0)", False),
    ],
)
def test_the_gradient_in_place_is_another_one(
    forward: str,
    backward: str,
    differs: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caffe_python: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(LAYER.format(forward=forward, backward=backward))
    Path("in_place.prototxt").write_text(NET % ("x", "x"))
    Path("apart.prototxt").write_text(NET % ("y", "y"))
    Path("ask.py").write_text(_ASK)
    asked = subprocess.run([str(caffe_python), "ask.py"], capture_output=True, text=True, check=True)
    assert asked.stdout.splitlines()[-1] == str(differs)
    told = {one.file for one in caffelint.check(".").findings if one.name == "python-overwritten"}
    assert told == ({"in_place.prototxt"} if differs else set())
