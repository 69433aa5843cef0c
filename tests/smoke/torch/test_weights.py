"""Weights of a real Caffe and of the old formats go to the layers of their names; what does not fit is told."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.schema import NetParameter
from caffelint.smoke.torch.net import TorchNet
from caffelint.smoke.torch.weights import WrongWeights, load_weights

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 6 dim: 6 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } bias_filler { type: "uniform" } } }
layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "bn" }
layer { name: "ip" type: "InnerProduct" bottom: "bn" top: "ip"
  inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
layer { name: "prelu" type: "PReLU" bottom: "ip" top: "prelu" }
layer { name: "loss" type: "EuclideanLoss" bottom: "prelu" bottom: "ip" top: "loss" }
"""
SAVE = """
import sys, caffe
caffe.set_random_seed(1)
net = caffe.Net(sys.argv[1], caffe.TRAIN)
net.forward()
net.save(sys.argv[2])
net.save_hdf5(sys.argv[2] + ".h5")
import numpy
numpy.savez(sys.argv[2], **{f"{n}/{i}": b.data for n, bs in net.params.items() for i, b in enumerate(bs)})
"""


def net_of(text: str = NET, phase: str = "TRAIN") -> TorchNet:
    return TorchNet(build(text_format.Parse(text, NetParameter()), phase))


def numbers(net: TorchNet) -> dict[str, Any]:
    return {
        f"{name}/{index}": data.detach().numpy()
        for name, datas in net.layer_params.items()
        for index, data in enumerate(datas)
    }


@pytest.mark.parametrize("ending", ["", ".h5"])
def test_weights_of_caffe(caffe_python: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "save.py").write_text(SAVE)
    saved = tmp_path / "net.caffemodel"
    command = [caffe_python, tmp_path / "save.py", tmp_path / "net.prototxt", saved]
    subprocess.run(command, check=True, timeout=60, capture_output=True)
    nets = [net_of(), net_of(phase="TEST")]
    nets[1].share_trained_layers(nets[0])
    copied, ignored = load_weights(f"{saved}{ending}", nets)
    assert set(copied) == {"conv", "bn", "ip", "prelu"}
    assert ignored == []
    theirs = np.load(f"{saved}.npz")
    for net in nets:
        ours = numbers(net)
        assert set(ours) == set(theirs)
        for name, values in ours.items():
            assert (values == theirs[name]).all(), name


def model(tmp_path: Path, text: str) -> str:
    message: Any = text_format.Parse(text, NetParameter())
    (tmp_path / "old.caffemodel").write_bytes(message.SerializeToString())
    return str(tmp_path / "old.caffemodel")


def blob(shape: str, size: int) -> str:
    return f"blobs {{ {shape} {' '.join(f'data: {index}' for index in range(size))} }}"


OLD_BIAS = "num: 1 channels: 1 height: 1 width: 4"


GONE = "blobs { num: 1 channels: 1 height: 1 width: 1 data: 2 }"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        (
            'layers {{ name: "conv" type: CONVOLUTION {} {} }}',
            'layers {{ name: "gone" {} }} layers {{ name: "split" }}',
        ),
        ('layers {{ layer {{ name: "conv" type: "conv" {} {} }} }}', 'layers {{ layer {{ name: "gone" {} }} }}'),
        ('layer {{ name: "conv" type: "Convolution" {} {} }}', 'layer {{ name: "gone" {} }}'),
    ],
)
def test_old_formats(tmp_path: Path, text: str, gone: str) -> None:
    weights = blob("num: 4 channels: 3 height: 3 width: 3", 108)
    net = net_of()
    path = model(tmp_path, text.format(weights, blob(OLD_BIAS, 4)) + gone.format(GONE))
    assert load_weights(path, [net]) == (["conv"], ["gone"])
    assert numbers(net)["conv/1"].tolist() == [0, 1, 2, 3]
    assert numbers(net)["conv/0"].ravel().tolist() == list(range(108))


KERNELS = blob("shape { dim: 4 dim: 3 dim: 3 dim: 3 }", 108)
MISFITS = {
    f'layer {{ name: "conv" {KERNELS} }}': "have 1 blobs for it, but it has 2",
    f'layer {{ name: "ip" {blob("shape { dim: 2 dim: 3 }", 6)} {blob("shape { dim: 5 }", 5)} }}': "2x3 .* it is 5x64",
    f'layer {{ name: "prelu" {blob("shape { dim: 9 }", 5)} }}': "hold 5 values for a blob of 9",
}


@pytest.mark.parametrize(("text", "words"), MISFITS.items())
def test_what_does_not_fit_is_reported(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(WrongWeights, match=words) as raised:
        load_weights(model(tmp_path, text), [net_of()])
    assert raised.value.layer in text


def test_no_caffemodel(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("name: 'x'")
    for path, words in ((tmp_path / "text", "is text"), (tmp_path / "none", "no such file")):
        with pytest.raises(WrongWeights, match=words):
            load_weights(str(path), [net_of()])
