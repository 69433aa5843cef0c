"""What a Power makes of pixels is what the real Caffe makes of them, and is mended before rates are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint

POWER = 'layer { name: "x" type: "Power" bottom: "data" top: "x" power_param { scale: 0.0078125 shift: -128 } }\n'
NET = f"""
layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param {{ source: "a.txt" batch_size: 8 }} }}
{POWER}
layer {{ name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param {{ num_output: 4
  weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }}
"""
_ASK = """
import caffe
net = caffe.Net("net.prototxt", caffe.TEST)
net.blobs["data"].data[...] = [0, 255]
net.forward()
print(*net.blobs["x"].data)
"""


def found(net: str) -> list[str]:
    return [one.message for one in caffelint.check_text(net).findings if one.name == "mean-after-scale"]


@pytest.mark.parametrize(
    ("net", "told"),
    [
        (NET, 1),
        (NET.replace("shift: -128", "shift: -1"), 0),
        (NET.replace("scale: 0.0078125", "scale: 1"), 0),
        # Labels, and what a layer has learned.
        (NET.replace('top: "data" top: "label"', 'top: "label" top: "data"'), 0),
        (NET.replace(POWER, POWER.replace('"data"', '"fc"')), 0),
        (NET.replace('"x"', '"data"'), 1),
    ],
)
def test_of_data_only(net: str, told: int) -> None:
    assert len(found(net)) == told


def test_rates_come_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET.replace('"HDF5Data"', '"DummyData"').replace(
        'hdf5_data_param { source: "a.txt" batch_size: 8 }',
        "dummy_data_param { shape { dim: 8 dim: 900 } shape { dim: 8 }"
        ' data_filler { type: "uniform" min: 0 max: 255 } data_filler { type: "constant" } }',
    ))  # fmt: skip
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 100\n')
    severities = {one.name: one.severity for one in caffelint.check(".").findings}
    assert severities["mean-after-scale"] == "warning"
    assert severities["first-updates-too-large"] == "info"


def test_the_real_caffe_makes_the_same(tmp_path: Path, caffe_python: Path) -> None:
    data = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 } } }\n'
    (tmp_path / "net.prototxt").write_text(data + POWER)
    asked = subprocess.run([caffe_python, "-c", _ASK], cwd=tmp_path, capture_output=True, text=True, check=False)
    low, high = map(float, asked.stdout.split())
    assert (round(low), round(high)) == (-128, -126)
    assert f"become {low:.4g} to {high:.4g}," in found(NET)[0]
