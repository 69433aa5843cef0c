"""Bounds on values against what a real Caffe computes."""

from __future__ import annotations

from math import inf
from pathlib import Path

from asking import ask
from google.protobuf import text_format
from random_nets import Generator, to_text
from seeds import SEED, draws

from caffelint.caffe.build import build
from caffelint.caffe.values import Values, value_facts
from caffelint.schema.messages import NetParameter

NETS = draws(200, 3000)
# Left out: what reads beyond its bottoms on labels and indices that are none, and what ends the run on the CPU.
TYPES = (  # noqa: SIM905
    "AbsVal BNLL BatchNorm Bias Clip Concat Convolution Crop Deconvolution Dropout ELU Eltwise Exp "
    "Flatten InnerProduct LRN Log MVN PReLU Pooling Power ReLU Reduction Reshape Scale Sigmoid Slice "
    "Softmax Split Swish TanH Threshold Tile"
).split()
EMPTY_WINDOW = -3e38


def values_of(text: str, blob: str) -> Values:
    net = build(text_format.Parse(text, NetParameter()), "TRAIN")
    return value_facts(net)[net.blobs[blob]]


def test_no_bound_is_crossed(caffe_python: Path) -> None:
    generator = Generator(SEED, TYPES)
    nets = [generator.net() for _ in range(NETS)]
    answers = ask(caffe_python, [{"net": to_text(net), "phase": phase, "forward": True} for net, phase in nets])
    wrong = []
    looked_at = bounded = 0
    for number, ((net, phase), real) in enumerate(zip(nets, answers, strict=True)):
        built = build(net, phase, dialect="bvlc")
        if not real.get("ranges") or any(layer.runs_in_place for layer in built.layers):
            continue
        facts = value_facts(built)
        for name, blob in built.blobs.items():
            found = real["ranges"][name]
            if found is None or found[0] < EMPTY_WINDOW:
                break
            least, most = found
            values = facts[blob]
            looked_at += 1
            bounded += values.low > -inf or values.high < inf
            slack = 1e-3 + 1e-3 * max(abs(least), abs(most))
            if least < values.low - slack or most > values.high + slack:
                maker = (
                    text_format.MessageToString(net.layer[blob.producer.index]) if blob.producer.message else "split"
                )
                wrong.append(f"net {number}: {name} in {found}, said to be {values}\n{maker}")
    assert looked_at > NETS
    assert bounded > 0.1 * looked_at
    assert not wrong, f"seed {SEED}:\n" + "\n".join(wrong[:5])


RECTIFIED = """
layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }
layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param { num_output: 16 } }
layer { name: "relu" type: "ReLU" bottom: "fc" top: "relu" }
layer { name: "root" type: "Power" bottom: "relu" top: "root" power_param { power: 0.5 shift: 1 } }
layer { name: "sum" type: "Eltwise" bottom: "relu" bottom: "root" top: "sum" }
"""


def test_facts_of_a_small_net() -> None:
    assert values_of(RECTIFIED, "x") == Values()
    assert values_of(RECTIFIED, "fc") == Values(signed=True)
    assert values_of(RECTIFIED, "relu") == Values(0, inf, zeros=True)
    assert values_of(RECTIFIED, "root") == Values(1, inf)
    assert values_of(RECTIFIED, "sum") == Values(1, inf)


def test_few_outputs_may_all_be_of_one_sign() -> None:
    """Of nets of three outputs on values above 0, a real Caffe drew 1 in 20 without any zero after the ReLU."""
    few = RECTIFIED.replace("num_output: 16", "num_output: 3")
    assert values_of(few, "fc") == Values()
    assert values_of(few, "relu") == Values(0, inf)


def test_a_bias_may_keep_a_relu_from_cutting_anything() -> None:
    lifted = RECTIFIED.replace("num_output: 16", 'num_output: 16 bias_filler { type: "constant" value: 5 }')
    assert values_of(lifted, "relu") == Values(0, inf)
