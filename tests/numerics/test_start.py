"""What is predicted of a net before its first update, against the real Caffe."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.start import start, steepness

_DATA = (
    'layer {{ name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {{'
    " shape {{ dim: 64 dim: 3 dim: {side} dim: {side} }} shape {{ dim: 64 {label} }}"
    ' data_filler {{ type: "gaussian" std: {std} }} data_filler {{ type: "{kind}" min: 0 max: {most} }} }} }}\n'
)
_LOSS = 'layer { name: "loss" type: "%s" bottom: "score" bottom: "label" top: "loss" %s }\n'


def _layer(name: str, type_: str, bottom: str, top: str = "", more: str = "") -> str:
    return f'layer {{ name: "{name}" type: "{type_}" bottom: "{bottom}" top: "{top or name}" {more} }}\n'


def _conv(name: str, bottom: str, outputs: int, filler: str, more: str = "kernel_size: 3 pad: 1") -> str:
    given = f"convolution_param {{ num_output: {outputs} {more} weight_filler {{ {filler} }} }}"
    return _layer(name, "Convolution", bottom, more=given)


def _fc(name: str, bottom: str, outputs: int, filler: str, bias: str = "") -> str:
    given = f"num_output: {outputs} weight_filler {{ {filler} }} {bias}"
    return _layer(name, "InnerProduct", bottom, more=f"inner_product_param {{ {given} }}")


def _data(side: int = 16, std: float = 1, label: str = "", kind: str = "uniform", most: float = 9.99) -> str:
    return _DATA.format(side=side, std=std, label=label, kind=kind, most=most)


def _lenet(filler: str, bend: str, std: float = 1) -> str:
    return (
        _data(std=std)
        + _conv("c1", "data", 32, filler, "kernel_size: 5")
        + _layer("p1", "Pooling", "c1", more="pooling_param { pool: MAX kernel_size: 2 stride: 2 }")
        + _layer("a1", bend, "p1", "p1")
        + _conv("c2", "p1", 64, filler)
        + _layer("a2", bend, "c2", "c2")
        + _layer("p2", "Pooling", "c2", more="pooling_param { pool: AVE kernel_size: 3 stride: 2 }")
        + _fc("f1", "p2", 100, filler)
        + _layer("a3", bend, "f1", "f1")
        + _fc("score", "f1", 10, filler)
        + _LOSS % ("SoftmaxWithLoss", "")
    )


def _residual() -> str:
    text = _data() + _conv("b0", "data", 32, 'type: "msra"')
    for n in range(1, 5):
        text += _conv(f"r{n}", f"b{n - 1}", 32, 'type: "msra"')
        text += _layer(f"n{n}", "BatchNorm", f"r{n}", f"r{n}")
        text += _layer(f"s{n}", "Scale", f"r{n}", f"r{n}", "scale_param { bias_term: true }")
        text += f'layer {{ name: "e{n}" type: "Eltwise" bottom: "b{n - 1}" bottom: "r{n}" top: "b{n}" }}\n'
        text += _layer(f"u{n}", "ReLU", f"b{n}", f"b{n}")
    text += _layer("p", "Pooling", "b4", more="pooling_param { pool: AVE global_pooling: true }")
    return text + _fc("score", "p", 10, 'type: "xavier"') + _LOSS % ("SoftmaxWithLoss", "loss_weight: 3")


def _segmenting() -> str:
    up = 'convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 weight_filler { type: "msra" } }'
    return (
        _data(label="dim: 16 dim: 16", most=3.99)
        + _conv("c1", "data", 32, 'type: "xavier"', "kernel_size: 3 pad: 1 stride: 2")
        + _layer("a1", "ELU", "c1", "c1")
        + _layer("score", "Deconvolution", "c1", more=up)
        + _LOSS % ("SoftmaxWithLoss", "loss_param { normalization: BATCH_SIZE }")
    )


def _regressing(std: float) -> str:
    return (
        _data(side=8, label="dim: 20", kind="uniform", most=1)
        + _fc("f1", "data", 200, f'type: "gaussian" std: {std}', 'bias_filler { type: "constant" value: 0.5 }')
        + _layer("a1", "TanH", "f1", "f1")
        + _layer("d1", "Dropout", "f1", "d1")
        + _fc("score", "d1", 20, 'type: "uniform" min: -0.1 max: 0.1')
        + _LOSS % ("SigmoidCrossEntropyLoss", "")
    )


def _decoding() -> str:
    up = "convolution_param {{ num_output: {} kernel_size: 4 stride: 2 pad: 1 {} }}"
    msra = 'weight_filler { type: "msra" }'
    return (
        _data(side=8, label="dim: 12 dim: 12", most=3.99)
        + _fc("f1", "data", 24 * 9, 'type: "msra"')
        + _layer("a1", "ReLU", "f1", "f1")
        + _layer("map", "Reshape", "f1", more="reshape_param { shape { dim: 0 dim: 24 dim: 3 dim: 3 } }")
        + _layer("u1", "Deconvolution", "map", more=up.format(16, msra))
        + _layer("a2", "ReLU", "u1", "u1")
        + _layer("score", "Deconvolution", "u1", more=up.format(4, msra))
        + _LOSS % ("SoftmaxWithLoss", "")
    )


def _folding() -> str:
    return (
        _data(side=8)
        + _conv("c1", "data", 12, 'type: "msra"')
        + _layer("a1", "ReLU", "c1", "c1")
        + _layer("map", "Reshape", "c1", more="reshape_param { shape { dim: 0 dim: 3 dim: 16 dim: 16 } }")
        + _conv("c2", "map", 32, 'type: "msra"')
        + _layer("a2", "ReLU", "c2", "c2")
        + _fc("score", "c2", 10, 'type: "xavier"')
        + _LOSS % ("SoftmaxWithLoss", "")
    )


def _branches() -> str:
    both = 'layer { name: "c" type: "Concat" bottom: "c1" bottom: "c2" top: "c" }\n'
    return (
        _data(std=30)
        + _layer("scaled", "Power", "data", more="power_param { scale: 0.05 shift: 0.3 }")
        + _conv("c1", "scaled", 32, 'type: "msra" variance_norm: FAN_OUT', "kernel_size: 1")
        + _conv("c2", "scaled", 64, 'type: "xavier" variance_norm: AVERAGE', "kernel_size: 5 pad: 2 group: 1")
        + both
        + _layer("n", "LRN", "c", more="lrn_param { alpha: 0.5 local_size: 5 }")
        + _layer("a", "PReLU", "n", "n")
        + _fc("score", "n", 10, 'type: "gaussian" std: 0.01 sparse: 4')
        + _LOSS % ("SoftmaxWithLoss", "")
    )


def _over_time(kind: str, std: float) -> str:
    data = (
        'layer { name: "data" type: "DummyData" top: "data" top: "cont" top: "label" dummy_data_param {'
        " shape { dim: 6 dim: 32 dim: 40 } shape { dim: 6 dim: 32 } shape { dim: 6 dim: 32 }"
        f' data_filler {{ type: "gaussian" std: {std} }} data_filler {{ type: "constant" value: 1 }}'
        ' data_filler { type: "uniform" min: 0 max: 9.99 } } }\n'
    )
    recurrent = 'num_output: 50 weight_filler { type: "xavier" } bias_filler { type: "constant" }'
    rec = (
        f'layer {{ name: "rec" type: "{kind}" bottom: "data" bottom: "cont" top: "rec"'
        f" recurrent_param {{ {recurrent} }} }}\n"
    )
    score = 'inner_product_param { num_output: 10 axis: 2 weight_filler { type: "xavier" } }'
    return (
        data
        + rec
        + _layer("score", "InnerProduct", "rec", more=score)
        + _LOSS
        % (
            "SoftmaxWithLoss",
            "softmax_param { axis: 2 }",
        )
    )


def _embedding() -> str:
    shapes = " ".join(["shape { dim: 8 dim: 32 }"] * 3)
    fillers = (
        'data_filler { type: "uniform" min: 0 max: 19.99 } data_filler { type: "constant" value: 1 }'
        ' data_filler { type: "uniform" min: 0 max: 9.99 }'
    )
    data = (
        'layer { name: "data" type: "DummyData" top: "data" top: "cont" top: "label"'
        f" dummy_data_param {{ {shapes} {fillers} }} }}\n"
    )
    table = 'input_dim: 20 num_output: 40 bias_term: false weight_filler { type: "uniform" min: -0.5 max: 0.5 }'
    recurrent = 'recurrent_param { num_output: 50 weight_filler { type: "xavier" } bias_filler { type: "constant" } }'
    score = 'inner_product_param { num_output: 10 axis: 2 weight_filler { type: "xavier" } }'
    return (
        data
        + _layer("words", "Embed", "data", more=f"embed_param {{ {table} }}")
        + f'layer {{ name: "rec" type: "LSTM" bottom: "words" bottom: "cont" top: "rec" {recurrent} }}\n'
        + _layer("score", "InnerProduct", "rec", more=score)
        + _LOSS % ("SoftmaxWithLoss", "softmax_param { axis: 2 }")
    )


NETS = [
    *[_lenet(f'type: "{filler}"', bend) for filler in ("xavier", "msra") for bend in ("ReLU", "Sigmoid", "TanH")],
    _lenet('type: "gaussian" std: 0.01', "ReLU"),
    _lenet('type: "gaussian" std: 0.5', "BNLL", 0.1),
    _residual(),
    _segmenting(),
    _decoding(),
    _folding(),
    _regressing(0.005),
    _regressing(1),
    _branches(),
    _over_time("LSTM", 1),
    _over_time("LSTM", 20),
    _over_time("RNN", 1),
    _embedding(),
]


def _built(net: str) -> BuiltNet:
    found = load(net.encode(), "net.prototxt").net
    assert found is not None
    return found.likely(State("TRAIN"))


def _asked(caffe_python: Path, nets: Sequence[str]) -> list[Any]:
    lines = "".join(json.dumps(net) + "\n" for net in nets)
    script = Path(__file__).with_name("first_pass.py")
    done = subprocess.run([caffe_python, script], input=lines.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_as_the_real_caffe(caffe_python: Path) -> None:
    """Mean squares of blobs, of their gradients and of those of the weights, nearly all within a factor of 2."""
    ratios: dict[str, list[tuple[float, str]]] = {"blobs": [], "gradients": [], "learned": []}
    for number, (net, answer) in enumerate(zip(NETS, _asked(caffe_python, NETS), strict=True)):
        built = _built(net)
        found = start(built)
        first, last = {}, {}
        for layer in built.layers:
            for top in layer.tops:
                first.setdefault(top.name, top)
                last[top.name] = top
        for name, blob in last.items():
            one, gradient = found.signals.get(blob), found.gradients.get(first[name])
            if name in ("data", "label", "loss"):
                continue
            if one is not None:
                ratios["blobs"].append((one.mean_square / answer["blobs"][name], f"{number} {name}"))
            if gradient is not None and answer["gradients"][name]:
                ratio = gradient.mean_square / answer["gradients"][name]
                ratios["gradients"].append((ratio, f"{number} {name}"))
        for param, size in found.learned.items():
            if param.layer.has_weights and param.index == 0:
                square = answer["learned"][param.layer.name]
                ratios["learned"].append((size**2 / square, f"{number} {param.layer.name}"))
        value = next(iter(found.losses.values())).value
        assert value == pytest.approx(answer["blobs"]["loss"], rel=0.3), number
    for kind, least in (("blobs", 0.95), ("gradients", 0.9), ("learned", 0.75)):
        wrong = [one for one in ratios[kind] if not 0.5 <= one[0] <= 2]
        assert len(wrong) <= (1 - least) * len(ratios[kind]), (kind, len(ratios[kind]), wrong)


@pytest.mark.parametrize("across", ["true", "false"])
@pytest.mark.parametrize("size", [1, 4])
def test_the_gradient_behind_a_mvn_of_few_values(caffe_python: Path, size: int, across: str) -> None:
    """Of maps of one value nothing is left, not the reciprocal of eps."""
    net = (
        _data(side=size)
        + _conv("c", "data", 32, 'type: "msra"', "kernel_size: 1")
        + _layer("m", "MVN", "c", more=f"mvn_param {{ across_channels: {across} }}")
        + _fc("score", "m", 10, 'type: "msra"')
        + _LOSS % ("SoftmaxWithLoss", "")
    )
    (answer,) = _asked(caffe_python, [net])
    found = next(size for param, size in start(_built(net)).learned.items() if param.layer.name == "c")
    assert math.sqrt(answer["learned"]["c"]) / 2 <= found <= 2 * math.sqrt(answer["learned"]["c"])


ODD = [0.0, -1.0, 1e30, 1e-30, 3e38, float("inf"), float("nan")]


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize(
    "where",
    [
        'weight_filler { type: "gaussian" std: %s }',
        'weight_filler { type: "constant" value: %s }',
        'weight_filler { type: "uniform" min: 0 max: %s }',
        'weight_filler { type: "xavier" } bias_filler { type: "constant" value: %s }',
    ],
)
def test_numbers_of_any_kind(where: str, value: float) -> None:
    """Nothing is raised, and what is said of is a number."""
    text = _data() + _layer(
        "f", "InnerProduct", "data", more=f"inner_product_param {{ num_output: 9 {where % value} }}"
    )
    for bend in ("ReLU", "Exp", "Log", "Sigmoid", "LRN", "BatchNorm", "MVN", "Softmax", "BNLL"):
        net = text + _layer("score", bend, "f") + _LOSS % ("SoftmaxWithLoss", f"loss_weight: {value}")
        found = start(_built(net))
        assert all(one is None or math.isfinite(one.mean_square) for one in found.signals.values())
        assert not any(math.isnan(size) for size in found.learned.values())


def test_a_distance_of_sequences_is_as_steep_as_its_streams_together() -> None:
    """1 / (2 T) of the sum over T steps of N streams: with x = 1/2 in C channels, its curvature is N (1 + C / 4)."""
    steps, streams, channels = 20, 16, 4
    filled = "data_filler { value: 0.5 } data_filler { value: 3 }"
    shapes = f"shape {{ dim: {steps} dim: {streams} dim: {channels} }} shape {{ dim: {steps} dim: {streams} dim: 1 }}"
    built = _built(
        f'layer {{ name: "d" type: "DummyData" top: "x" top: "y" dummy_data_param {{ {filled} {shapes} }} }} '
        'layer { name: "s" type: "InnerProduct" bottom: "x" top: "s" '
        'inner_product_param { axis: 2 num_output: 1 weight_filler { type: "xavier" } } } '
        'layer { name: "l" type: "EuclideanLoss" bottom: "s" bottom: "y" top: "l" }'
    )
    assert steepness(built, start(built)) == pytest.approx(streams * (1 + channels / 4))


@pytest.mark.parametrize("std", [0.1, 26.0])
def test_what_gates_bound_is_never_steep(std: float) -> None:
    """Only the layer behind an LSTM counts: N (1 + C) at most for values within 1."""
    steps, streams, hidden = 20, 16, 8
    shapes = " ".join(f"shape {{ dim: {steps} dim: {streams} {one} }}" for one in ("dim: 3", "dim: 1", ""))
    filled = 'data_filler { type: "gaussian" } data_filler { type: "gaussian" } data_filler { value: 1 }'
    built = _built(
        f'layer {{ name: "d" type: "DummyData" top: "x" top: "y" top: "c" dummy_data_param {{ {filled} {shapes} }} }} '
        'layer { name: "r" type: "LSTM" bottom: "x" bottom: "c" top: "r" recurrent_param '
        f'{{ num_output: {hidden} weight_filler {{ type: "gaussian" std: {std} }} }} }} '
        'layer { name: "s" type: "InnerProduct" bottom: "r" top: "s" '
        'inner_product_param { axis: 2 num_output: 1 weight_filler { type: "xavier" } } } '
        'layer { name: "l" type: "EuclideanLoss" bottom: "s" bottom: "y" top: "l" }'
    )
    assert streams <= steepness(built, start(built)) * 1.01 <= streams * (1 + hidden) * 1.01
