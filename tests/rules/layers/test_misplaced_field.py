"""A field that Caffe misses and that is in a block which the layer's type does not read: one finding."""

from __future__ import annotations

import pytest

import caffelint

DATA = 'layer { name: "in" type: "Input" top: "d" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'


def layer(type_: str, block: str) -> str:
    return f'{DATA}layer {{ name: "a" type: "{type_}" bottom: "d" top: "a" {block} }}\n'


def findings(text: str) -> list[tuple[str, str]]:
    report = caffelint.check_text(text, path="net.prototxt")
    assert not report.failures
    return [(one.name, one.message) for one in report.findings if one.code in ("L001", "P011")]


@pytest.mark.parametrize(
    ("type_", "block", "message"),
    [
        ("Pooling", "convolution_param { kernel_size: 3 stride: 2 }", "kernel_size is in convolution_param"),
        ("InnerProduct", "convolution_param { num_output: 9 }", "num_output is in convolution_param"),
        ("Embed", "inner_product_param { num_output: 9 }", "num_output is in inner_product_param"),
    ],
)
def test_renamed(type_: str, block: str, message: str) -> None:
    own = {"Pooling": "pooling_param", "InnerProduct": "inner_product_param", "Embed": "embed_param"}[type_]
    text = f'{type_} "a": {message}, which {type_} does not read; rename it to {own}'
    assert findings(layer(type_, block)) == [("refused-by-caffe", text)]


def test_either_the_block_or_the_type_may_be_wrong() -> None:
    text = (
        'InnerProduct "a": num_output is in convolution_param, which InnerProduct does not read; write'
        " inner_product_param, or correct the type"
    )
    block = "convolution_param { num_output: 9 kernel_size: 3 }"
    assert findings(layer("InnerProduct", block)) == [("refused-by-caffe", text)]


def test_a_block_without_the_field() -> None:
    text = layer("Convolution", "inner_product_param { num_output: 9 }")
    assert [name for name, _ in findings(text)] == ["refused-by-caffe", "unused-parameter-block"]
