"""What the layer classes answer for their types, held against a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from caffelint.caffe.layers import BVLC_TYPES, REGISTRY, layer_class
from caffelint.caffe.net import Layer
from caffelint.lint.file import load

IMAGE = (2, 3, 4, 5)


class Case(NamedTuple):
    type: str
    bottoms: tuple[tuple[int, ...], ...] = (IMAGE,)
    fields: str = ""
    tops: int = 1


SCORES = ((2, 3), (2,))
CASES = [
    *(Case(name) for name in ("AbsVal", "BNLL", "Dropout", "ELU", "Exp", "Log", "Power", "PReLU", "ReLU", "Sigmoid")),
    *(Case(name) for name in ("Swish", "TanH", "Threshold", "LRN", "BatchNorm", "MVN", "Softmax", "ArgMax", "Flatten")),
    *(Case(name) for name in ("Concat", "Slice", "Split", "Reduction", "Scale", "Bias")),
    Case("Concat", (IMAGE, IMAGE)),
    Case("Slice", fields="slice_param { slice_point: 1 }", tops=2),
    Case("Split", tops=2),
    Case("Clip", fields="clip_param { min: 0 max: 1 }"),
    Case("Convolution", fields="convolution_param { num_output: 2 kernel_size: 2 bias_term: false }"),
    Case("InnerProduct", fields="inner_product_param { num_output: 2 bias_term: false }"),
    Case("Embed", ((4,),), "embed_param { num_output: 2 input_dim: 3 bias_term: false }"),
    Case("Scale", fields="scale_param { bias_term: true }"),
    Case("Scale", (IMAGE, (2, 3)), "scale_param { axis: 0 bias_term: true }"),
    Case("PReLU", fields="prelu_param { channel_shared: true }"),
    Case("Reshape", fields="reshape_param { shape { dim: 2 dim: -1 } }"),
    Case("Tile", fields="tile_param { tiles: 2 }"),
    Case("Pooling", fields="pooling_param { kernel_size: 2 }"),
    Case("SPP", fields="spp_param { pyramid_height: 1 }"),
    Case("Im2col", fields="convolution_param { kernel_size: 2 }"),
    Case("Convolution", fields="convolution_param { num_output: 2 kernel_size: 2 }"),
    Case("Deconvolution", fields="convolution_param { num_output: 2 kernel_size: 2 }"),
    Case("InnerProduct", fields="inner_product_param { num_output: 2 }"),
    Case("Embed", ((4,),), "embed_param { num_output: 2 input_dim: 3 }"),
    Case("Eltwise", (IMAGE, IMAGE)),
    Case("Scale", (IMAGE, (2, 3)), "scale_param { axis: 0 }"),
    Case("Bias", (IMAGE, (2, 3)), "bias_param { axis: 0 }"),
    Case("Crop", (IMAGE, (2, 3, 2, 2))),
    Case("BatchReindex", (IMAGE, (3,))),
    Case("Filter", (IMAGE, (2,))),
    Case("LSTM", ((2, 2, 3), (2, 2)), "recurrent_param { num_output: 2 }"),
    Case("RNN", ((2, 2, 3), (2, 2)), "recurrent_param { num_output: 2 }"),
    Case("LSTMUnit", ((1, 3, 4), (1, 3, 16), (1, 3)), tops=2),
    Case("Silence", tops=0),
    *(Case(name, SCORES) for name in ("SoftmaxWithLoss", "HingeLoss", "MultinomialLogisticLoss", "Accuracy")),
    *(Case(name, (IMAGE, IMAGE)) for name in ("EuclideanLoss", "SigmoidCrossEntropyLoss")),
    Case("ContrastiveLoss", ((2, 3), (2, 3), (2,))),
    Case("InfogainLoss", (*SCORES, (3, 3))),
]
WITHOUT_BOTTOMS = {"Data", "DummyData", "HDF5Data", "ImageData", "Input", "MemoryData", "Parameter", "WindowData"}
# HDF5Output writes a file; what a Python layer does nobody knows.
LEFT_OUT = {"HDF5Output", "Python"}
NAMES = ("is_loss", "is_data", "transforms", "prefetches", "is_recurrent", "is_activation", "rectifies", "normalises")
NAMES += ("upsamples", "has_weights", "is_linear", "keeps_statistics", "hands_on", "keeps_channels", "keeps_pixels")
NAMES += ("shares_memory", "keeps_sign", "has_parameters", "learns", "draws_at_random", "rearranges", "compares_maps")
NAMES += ("is_distance", "never_negative")


def net_of(case: Case, learns: int | None = None) -> str:
    """A net of the layer "l" alone. Its bottoms hold 0 and 1, the one that `learns` is a parameter."""
    text = ""
    for number, shape in enumerate(case.bottoms):
        name = "xbc"[number]
        dims = f"shape {{ {' '.join(f'dim: {size}' for size in shape)} }}"
        filler = "data_filler { type: 'constant' value: 1 }"
        text += (
            f'layer {{ name: "{name}" type: "Parameter" top: "{name}" parameter_param {{ {dims} }} }}\n'
            if number == learns
            else f'layer {{ name: "{name}" type: "DummyData" top: "{name}" dummy_data_param {{ {dims} {filler} }} }}\n'
        )
    bottoms = " ".join(f'bottom: "{"xbc"[number]}"' for number in range(len(case.bottoms)))
    tops = " ".join(f'top: "{"yz"[number]}"' for number in range(case.tops))
    weights = "loss_weight: 1 " * case.tops if learns is not None else ""
    return f'{text}layer {{ name: "l" type: "{case.type}" {bottoms} {tops} {weights}{case.fields} }}\n'


def written(case: Case) -> Layer:
    net = load(net_of(case).encode()).net
    assert net is not None
    return net.layers[-1]


def asked(caffe_python: Path, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("type_answers.py")
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run([caffe_python, script], input=lines.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_type_has_a_case() -> None:
    assert {case.type for case in CASES} | WITHOUT_BOTTOMS | LEFT_OUT == BVLC_TYPES


def test_every_type_of_bvlc_answers() -> None:
    for case in [*CASES, *(Case(name, ()) for name in WITHOUT_BOTTOMS)]:
        kind = written(case).kind
        assert not [name for name in NAMES if getattr(kind, name) is None], case.type
        assert None not in [kind.passes_gradient(number) for number in range(len(case.bottoms))], case.type


def test_nothing_is_known_of_an_unknown_type() -> None:
    assert "Strange" not in REGISTRY
    kind = written(Case("Strange")).kind
    assert not kind.known
    assert [name for name in NAMES if getattr(kind, name) is not None] == []
    assert kind.passes_gradient(0) is None
    assert layer_class("Strange").block == ""


@pytest.mark.caffe
def test_gradients_against_caffe(caffe_python: Path) -> None:
    asking = [(case, number) for case in CASES if case.tops for number in range(len(case.bottoms))]
    jobs = [{"net": net_of(case, number), "backward": True} for case, number in asking]
    wrong = []
    for (case, number), real in zip(asking, asked(caffe_python, jobs), strict=True):
        if real["died"] != (not written(case).kind.passes_gradient(number)):
            wrong.append(f"{case.type}, bottom {number}: Caffe {'ends' if real['died'] else 'goes on'}")
    assert not wrong


@pytest.mark.caffe
def test_memory_chance_and_shapes_against_caffe(caffe_python: Path) -> None:
    jobs = [
        {"net": net_of(case), "backward": False, "moved": bool(written(case).kind.rearranges and case.tops)}
        for case in CASES
    ]
    wrong = []
    for case, real in zip(CASES, asked(caffe_python, jobs), strict=True):
        kind = written(case).kind
        assert not real["died"], case
        for name, seen in (("shares_memory", real["shared"]), ("draws_at_random", real["drew"])):
            if case.tops and getattr(kind, name) != seen:
                wrong.append(f"{case.type} {case.tops}: {name} is {seen}")
        if kind.rearranges and case.tops and not real["moved"]:
            wrong.append(f"{case.type}: its top holds what its bottoms do not")
        if kind.param_count not in (None, real["params"]):
            wrong.append(f"{case.type}: {real['params']} parameters")
        assert kind.param_count is not None or kind.is_recurrent, case
        shape, bottom = real["shape"], case.bottoms[0]
        if kind.keeps_channels and shape[1] != bottom[1]:
            wrong.append(f"{case.type}: channels")
        if kind.keeps_pixels and shape[2:] != list(bottom[2:]):
            wrong.append(f"{case.type}: pixels")
    assert not wrong
