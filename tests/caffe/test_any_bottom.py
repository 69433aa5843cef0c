"""A field of a layer that Caffe refuses whatever the bottom is: found where no shape is known, and only then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from asking import ask
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.layers import REGISTRY, BuiltLayer, UnknownLayer
from caffelint.schema.messages import NetParameter

HDF5 = 'layer { name: "data" type: "HDF5Data" top: "data" hdf5_data_param { source: "a" batch_size: 2 } }'
CROPLESS = 'layer { name: "data" type: "Data" top: "data" data_param { source: "a" batch_size: 2 } }'
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { %s } } }'
SHAPES = [(2, 6, 8, 8), (6, 12, 20, 9), (2, 6, 8), (2, 6, 8, 8, 8)]

REFUSED = [
    ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 1 stride: 0 }', "stride"),
    ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 0 }', "kernel_size"),
    ('type: "Convolution" convolution_param { num_output: 4 kernel_h: 0 kernel_w: 1 }', "kernel_h"),
    ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 1 kernel_h: 1 kernel_w: 1 }', "kernel_size"),
    ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 1 group: 3 }', "group"),
    ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 1 group: 0 }', "group"),
    ('type: "Deconvolution" convolution_param { num_output: 4 kernel_size: 1 stride: 0 }', "stride"),
    ('type: "Im2col" convolution_param { kernel_size: 1 stride: 0 }', "stride"),
    ('type: "Pooling" pooling_param { kernel_size: 0 }', "kernel_size"),
    ('type: "Pooling" pooling_param { kernel_size: 2 stride: 0 }', "stride"),
    ('type: "Pooling" pooling_param { kernel_size: 2 pad: 2 }', "pad"),
    ('type: "LRN" lrn_param { local_size: 4 }', "local_size"),
    ('type: "Eltwise" bottom: "data" eltwise_param { coeff: 1 coeff: 2 coeff: 3 }', "coeff"),
]
TAKEN_WITH_SOME_SHAPE = [
    'type: "Convolution" convolution_param { num_output: 6 kernel_size: 99 group: 3 }',
    'type: "Convolution" convolution_param { num_output: 6 kernel_size: 1 kernel_size: 1 kernel_size: 1 }',
    'type: "Pooling" pooling_param { kernel_size: 99 }',
    'type: "Slice" top: "second" top: "third"',
    'type: "InnerProduct" inner_product_param { num_output: 4 axis: 3 }',
    'type: "Softmax" softmax_param { axis: 4 }',
    'type: "ArgMax" argmax_param { top_k: 50 }',
]


def parsed(text: str) -> NetParameter:
    net = NetParameter()
    text_format.Merge(text, net)
    return net


def below(data: str, layer: str) -> str:
    return data + f' layer {{ name: "it" bottom: "data" top: "it" {layer} }}'


def refused_fields(text: str) -> Sequence[str]:
    built = build(parsed(text), "TRAIN")
    return [refusal.field[-1] if refusal.field else "" for refusal in built.refusals]


@pytest.mark.parametrize("data", [HDF5, CROPLESS])
@pytest.mark.parametrize(("layer", "field"), REFUSED)
def test_field_that_no_bottom_suits(data: str, layer: str, field: str) -> None:
    assert refused_fields(below(data, layer)) == [field]


@pytest.mark.parametrize("data", [HDF5, CROPLESS])
@pytest.mark.parametrize("layer", TAKEN_WITH_SOME_SHAPE)
def test_field_that_some_bottom_suits(data: str, layer: str) -> None:
    assert not refused_fields(below(data, layer))


def test_each_such_layer_of_a_net_is_named() -> None:
    stride = 'type: "Convolution" convolution_param { num_output: 4 kernel_size: 1 stride: 0 }'
    second = f' layer {{ name: "two" bottom: "it" top: "two" {stride} }}'
    assert refused_fields(below(HDF5, stride) + second) == ["stride", "stride"]


def test_caffe_takes_them_with_no_shape_of_pixels(caffe_python: Path) -> None:
    inputs = [INPUT % " ".join(f"dim: {size}" for size in shape) for shape in SHAPES]
    jobs = [{"net": below(data, layer), "phase": "TRAIN"} for layer, _ in REFUSED for data in inputs]
    answers = ask(caffe_python, jobs)
    assert [job for job, answer in zip(jobs, answers, strict=True) if answer["ok"]] == []


def test_what_was_tried_is_not_remembered_without_its_parameters() -> None:
    """Layers alike share what their set-up found, and one that was set up with no shape knows that it has none."""
    product = 'layer { type: "InnerProduct" name: "fc" bottom: "data" top: "fc" inner_product_param { num_output: 7 } }'
    assert not build(parsed(HDF5 + product), "TRAIN").layers[-1].param_shapes
    fc = build(parsed(INPUT % "dim: 2 dim: 24 dim: 72 dim: 72" + product), "TRAIN").layers[-1]
    assert list(fc.param_shapes or ()) == [(7, 24 * 72 * 72), (7,)]


@pytest.mark.parametrize(
    "kind", [one for one in dict.fromkeys([*REGISTRY.values(), UnknownLayer]) if one.refuses_early]
)
def test_early_refusals_are_told_of_with_each_set_up(kind: type[BuiltLayer]) -> None:
    """A class with a set-up of its own does not inherit what is true of another one's."""
    first = {name: next(one for one in kind.mro() if name in vars(one)) for name in ("refuses_early", "set_up")}
    assert issubclass(first["refuses_early"], first["set_up"])
