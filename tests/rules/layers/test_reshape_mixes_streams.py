"""A Reshape moves nothing: what the rule says of sequences is what a real Caffe makes of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint import check_text

ITEMS, STEPS, VALUES = 3, 4, 2
NET = """
layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: {} dim: {} dim: 2 }} }} }}
layer {{ name: "mark" type: "Input" top: "mark" input_param {{ shape {{ dim: 4 dim: 3 }} }} }}
layer {{ name: "steps" type: "Reshape" bottom: "data" top: "steps"
  reshape_param {{ shape {{ dim: 4 dim: 3 dim: 2 }} }} }}
layer {{ name: "lstm" type: "LSTM" bottom: "steps" bottom: "mark" top: "lstm" recurrent_param {{ num_output: 3
  weight_filler {{ type: "uniform" min: -1 max: 1 }} }} }}
"""
ASK = """
import caffe, json, numpy, sys
net = caffe.Net(sys.argv[1], caffe.TEST)
data, mark = net.blobs["data"].data, net.blobs["mark"].data
mark[...] = 1
mark[0] = 0
items = 0 if sys.argv[2] == "items" else 1
data[...] = numpy.arange(3.0).reshape((3, 1, 1) if items == 0 else (1, 3, 1))
net.forward()
of_items = [sorted(set(net.blobs["steps"].data[:, stream].ravel().tolist())) for stream in range(3)]
before = net.blobs["lstm"].data[:, 0].copy()
data[(1,) if items == 0 else (slice(None), 1)] = 9
net.forward()
print(json.dumps([of_items, bool(numpy.array_equal(before, net.blobs["lstm"].data[:, 0]))]))
"""


@pytest.mark.parametrize("first", ["items", "steps"])
def test_sequences_of_items_in_a_row(caffe_python: Path, tmp_path: Path, first: str) -> None:
    text = NET.format(*((ITEMS, STEPS) if first == "items" else (STEPS, ITEMS)))
    said = [one for one in check_text(text, kind="net").findings if one.name == "reshape-mixes-streams"]
    path = tmp_path / "net.prototxt"
    path.write_text(text)
    done = subprocess.run([caffe_python, "-c", ASK, path, first], capture_output=True, check=True, timeout=60)
    of_items, first_is_alone = json.loads(done.stdout)
    assert bool(said) == (of_items != [[0], [1], [2]]) == (not first_is_alone) == (first == "items")
