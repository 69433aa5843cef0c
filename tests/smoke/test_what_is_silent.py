"""What keeps a net from learning though nothing breaks: a constant that it reads, fillers that silence a layer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import CONV, DATA, LOSS, write

from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

ENGINES = pytest.mark.parametrize("engine", ["caffe", "torch"])
MEAN = 'layer { name: "mean" type: "DummyData" top: "mean" dummy_data_param {\n'
MEAN += '  shape { dim: 4 dim: 6 } data_filler { type: "constant" value: 0.5 } } }\n'
RELU = 'layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }\n'
TRAIN_ONLY = DATA[: DATA.index('layer {\n  name: "data"', DATA.index("phase: TRAIN"))]
SOLVER = 'net: "net.prototxt" base_lr: 0.05 lr_policy: "fixed" momentum: 0.9 max_iter: 1000 solver_mode: CPU\n'


def told(session: Session) -> str:
    assert session.run is not None
    return verdict(session.run, session.report.findings)


@ENGINES
def test_a_constant_that_is_read_instead_of_the_data(
    engine: str, tmp_path: Path, in_engine: Callable[..., Session]
) -> None:
    net = TRAIN_ONLY + CONV + MEAN + LOSS.replace('bottom: "conv"', 'bottom: "mean"')
    words = told(in_engine(write(tmp_path, net, SOLVER), engine))
    assert 'InnerProduct "fc" reads only DummyData "mean", which is the same for all' in words


@ENGINES
def test_scores_of_different_items_differ(engine: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    session = in_engine(write(tmp_path, TRAIN_ONLY + CONV + LOSS, SOLVER), engine)
    assert "same-scores" not in [one.name for one in session.report.findings]


@ENGINES
@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ('weight_filler { type: "xavier" }', "", 'weight_filler { type: "msra" }'),
        ('{ type: "constant" }', '{ type: "constant" value: -9 }', 'bias_filler { type: "constant" value: 0 }'),
    ],
)
def test_fillers_that_silence_a_layer(
    engine: str, old: str, new: str, written: str, tmp_path: Path, in_engine: Callable[..., Session]
) -> None:
    net = TRAIN_ONLY + CONV.replace(old, new, 1) + RELU + LOSS
    words = told(in_engine(write(tmp_path, net, SOLVER), engine))
    assert words.startswith("it learns nothing: no weight gets a gradient")
    assert f'with convolution_param {{ {written} }} at "conv" it' in words


@ENGINES
def test_weights_of_0_in_layers_of_several_types(
    engine: str, tmp_path: Path, in_engine: Callable[..., Session]
) -> None:
    filler = 'weight_filler { type: "xavier" }'
    net = TRAIN_ONLY + CONV.replace(filler, "") + RELU + LOSS.replace(filler, "")
    words = told(in_engine(write(tmp_path, net, SOLVER), engine))
    assert 'with convolution_param { weight_filler { type: "msra" } } at "conv" and 1 more layer it' in words


def test_biases_that_silence_several_layers(tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    low = ('bias_filler { type: "constant" }', 'bias_filler { type: "constant" value: -90 }')
    more = CONV.replace('"conv"', '"more"').replace('bottom: "data"', 'bottom: "conv"').replace("pad: 0", "")
    relu = RELU.replace('"conv"', '"more"').replace('"relu"', '"relu2"')
    net = TRAIN_ONLY + (CONV + RELU + more + relu).replace(*low)
    words = told(in_engine(write(tmp_path, net + LOSS.replace('bottom: "conv"', 'bottom: "more"'), SOLVER), "torch"))
    assert 'the bias_filler of Convolution "conv" and 1 more starts every bias at -90 or less' in words
    assert 'value: 0 } } at "conv" and 1 more layer it' in words


@ENGINES
def test_a_gate_that_its_bias_shuts(engine: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    shut = CONV.replace('name: "conv"', 'name: "gate"').replace('top: "conv"', 'top: "gate"')
    shut = shut.replace('{ type: "constant" }', '{ type: "constant" value: -40 }')
    gate = 'layer { name: "mask" type: "Sigmoid" bottom: "gate" top: "mask" }\n'
    gate += 'layer { name: "gated" type: "Eltwise" bottom: "conv" bottom: "mask" top: "gated"\n'
    gate += "  eltwise_param { operation: PROD } }\n"
    net = TRAIN_ONLY + CONV + shut + gate + LOSS.replace('bottom: "conv"', 'bottom: "gated"')
    words = told(in_engine(write(tmp_path, net, SOLVER), engine, diagnose="full"))
    assert 'the bias_filler of Convolution "gate" starts every bias at -40 or less' in words
