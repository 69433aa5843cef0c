"""What a filler for weights makes of a bias, on a real Caffe."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

_NET = """
layer {{ name: "d" type: "Input" top: "d" input_param {{ shape {{ dim: 2 dim: 50 }} }} }}
layer {{ name: "f" type: "InnerProduct" bottom: "d" top: "f"
  inner_product_param {{ num_output: 20000 bias_filler {{ type: "{}" value: 0.2 }} }} }}
"""
_ASK = """
import caffe
bias = caffe.Net("net.prototxt", caffe.TRAIN).params["f"][1].data
print(abs(bias).max(), bias.std())
"""


@pytest.mark.parametrize(("type_", "place", "drawn"), [("xavier", 0, 1.73), ("msra", 1, 1.41)])
def test_biases_are_drawn_as_for_one_input(
    type_: str, place: int, drawn: float, tmp_path: Path, caffe_python: Path
) -> None:
    (tmp_path / "net.prototxt").write_text(_NET.format(type_))
    done = subprocess.run([caffe_python, "-c", _ASK], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[-2 + place]) == pytest.approx(drawn, rel=0.03)
