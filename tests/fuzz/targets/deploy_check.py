"""`caffelint deploy --check`: a training net against a deploy net, either of which may be anything."""

from functools import lru_cache
from pathlib import Path

from caffelint.fix.deploy import deploy
from targets import command

SEEDS = "prototxt"
NET = b"""name: "trained"
layer { name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param { shape { dim: 8 dim: 3 dim: 9 dim: 9 } shape { dim: 8 } } }
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer { name: "pool1" type: "Pooling" bottom: "conv1" top: "pool1" pooling_param { kernel_size: 2 stride: 2 } }
layer { name: "ip1" type: "InnerProduct" bottom: "pool1" top: "ip1" inner_product_param { num_output: 5 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip1" bottom: "label" }
"""


@lru_cache
def _deployed() -> bytes:
    return deploy(NET).data


def run(data: bytes) -> None:
    trained, deployed = ((data, _deployed()), (NET, data), (data, data))[len(data) % 3]
    Path("train.prototxt").write_bytes(trained)
    Path("deploy.prototxt").write_bytes(deployed)
    command("deploy", "--isolated", "--check", "deploy.prototxt", "train.prototxt")
