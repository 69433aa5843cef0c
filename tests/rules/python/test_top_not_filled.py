"""A top that the class of a Python layer never takes, in a real Caffe."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

MODULE = """import caffe


class Data(caffe.Layer):
    def setup(self, bottom, top):
        self._tops = {"a": 0}
        top[self._tops["a"]].reshape(1, 5)

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        pass

    def backward(self, top, propagate_down, bottom):
        pass
"""
DATA = 'layer { name: "data" type: "Python" top: "a" top: "b" python_param { module: "own" layer: "Data" } }\n'
# Not forward(), which returns the data of all outputs.
ASK = "import sys, caffe; net = caffe.Net(sys.argv[1], caffe.TEST); net._forward(0, 1); print('done')"


@pytest.mark.parametrize(
    ("reader", "stops"),
    [
        ('type: "Eltwise" bottom: "a" bottom: "b" top: "r"', True),
        ('type: "Power" bottom: "b" top: "r"', True),
        ('type: "Power" bottom: "a" top: "r"', False),
        ('type: "Silence" bottom: "b"', False),
        ('type: "Silence" bottom: "b" } layer { name: "s" type: "Silence" bottom: "b"', True),
        ('type: "HDF5Output" bottom: "a" bottom: "b" hdf5_output_param { file_name: "o.h5" }', True),
        ('type: "Silence" bottom: "b" } layer { name: "s" type: "Power" bottom: "b" top: "r"', True),
    ],
)
def test_what_caffe_makes_of_it(tmp_path: Path, caffe_python: Path, reader: str, stops: bool) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text(DATA + f'layer {{ name: "r" {reader} }}')
    (tmp_path / "own.py").write_text(MODULE)
    config = Config()
    config.cache = False
    found = [one.name for one in caffelint.check(tmp_path, config).findings]
    assert ("python-top-not-filled" in found) == stops
    done = subprocess.run([caffe_python, "-c", ASK, net], capture_output=True, text=True, cwd=tmp_path)
    assert ("done" not in done.stdout) == stops
    assert ("Check failed" in done.stderr) == stops
