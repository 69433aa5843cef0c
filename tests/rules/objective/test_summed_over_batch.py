"""A sum beside a mean is told where nothing else tells that it was meant; and the real Caffe weighs it as is said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """layer { name: "data" type: "Input" top: "data" top: "goal" input_param { shape { dim: 50 dim: 8 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "goal" top: "loss" }
layer { name: "kl" type: "Reduction" bottom: "fc" top: "kl" loss_weight: 0.5 }
"""
_HALF = 'layer { name: "half" type: "Power" bottom: "fc" top: "half" power_param { scale: 0.02 } }\n'
_ENTROPY = 'type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "goal" loss_param { normalization: NONE }'


@pytest.mark.parametrize(
    ("net", "told"),
    [
        (NET, True),
        (NET.replace("loss_weight: 0.5", "loss_weight: 0.5 reduction_param { coeff: 0.02 }"), False),
        (NET.replace('"Reduction" bottom: "fc"', '"Reduction" bottom: "half"') + _HALF, False),
        (NET.replace('type: "EuclideanLoss" bottom: "fc" bottom: "goal"', _ENTROPY), False),
        (NET.replace("loss_weight: 0.5", ""), False),
    ],
)
def test_what_else_divides(net: str, told: bool) -> None:
    lines = net.splitlines()
    lines.sort(key=lambda line: '"kl"' in line)  # what it reads comes before it
    config = Config()
    config.select = ["summed-over-batch"]
    report = caffelint.check_text("\n".join(lines), config=config)
    assert not report.failures
    assert len(report.findings) == told


_ASK = """
import caffe
net = caffe.Net("net.prototxt", caffe.TRAIN)
for name, value in (("a", 1), ("b", 1), ("goal", 0)):
    net.blobs[name].data[...] = value
net.forward()
net.backward()
print(float(net.blobs["b"].diff[0, 0]) / float(net.blobs["a"].diff[0, 0]))
"""


def test_real_caffe_counts_it_once_for_each_item(tmp_path: Path, caffe_python: Path) -> None:
    (tmp_path / "net.prototxt").write_text(
        'force_backward: true layer { name: "d" type: "Input" top: "a" top: "b" top: "goal"'
        " input_param { shape { dim: 50 dim: 8 } } }"
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "goal" top: "loss" }'
        ' layer { name: "sum" type: "Reduction" bottom: "b" top: "sum" loss_weight: 0.5 }'
    )
    done = subprocess.run([caffe_python, "-c", _ASK], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout.split()[-1]) == pytest.approx(25)


def test_a_loss_that_caffe_refuses_is_no_measure() -> None:
    report = caffelint.check_text(NET.replace("num_output: 8", "num_output: 1").encode())
    assert not report.failures
