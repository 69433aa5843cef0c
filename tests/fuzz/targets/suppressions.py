"""Comments that silence findings: in a net, behind every field."""

import random

import caffelint

SEEDS = "suppressions"
NET = b"""layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 3 dim: 4 dim: 4 } } }%s
layer {%s
  name: "conv" type: "Convolution" bottom: "x" top: "y"%s
  convolution_param { num_output: 2 kernel_size: 1 stride: 5 }%s
}%s
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "y" bottom: "z" }%s
"""


def run(data: bytes) -> None:
    places = [b"", b"", b"", b"", b"", b""]
    chance = random.Random(len(data))
    for line in data.split(b"\n"):
        places[chance.randrange(6)] += b" " + line + b"\n"
    report = caffelint.check_text(NET % tuple(places))
    assert not report.failures, report.failures[0].message
