"""Which of two remedies the rule offers."""

from __future__ import annotations

import pytest

import caffelint

_NET = """
layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}
layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1" convolution_param {{ num_output: 8 kernel_size: 3 }} }}
layer {{ name: "relu1" type: "ReLU" bottom: "c1" top: "c1" }}
layer {{ name: "c2" type: "Convolution" bottom: "c1" top: "c2"
    convolution_param {{ num_output: 8 kernel_size: 3 stride: {} }} }}
layer {{ name: "c3" type: "Convolution" bottom: "c2" top: "c3" convolution_param {{ num_output: 2 kernel_size: 1 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "c3" bottom: "label" top: "loss" }}
"""


@pytest.mark.parametrize("stride", [1, 2])
def test_what_is_missing_is_told_and_written(stride: int) -> None:
    report = caffelint.check_text(_NET.format(stride), kind="net")
    (one,) = [one for one in report.findings if one.name == "no-activation-between"]
    assert one.message.partition("; ")[2] == 'add a ReLU after "c2"'
    ((_, edit),) = one.fixes[0].edits
    assert edit.text.strip() == 'layer { name: "c2_relu" type: "ReLU" bottom: "c2" top: "c2" }'


_FULL = """
layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} data_param {{ batch_size: 8 }} }}
layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param {{ num_output: 90 }} }}
layer {{ name: "relu" type: "ReLU" bottom: "a" top: "a" }}
layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b" inner_product_param {{ num_output: 80 }} }}
layer {{ name: "shaped" type: "Reshape" bottom: "b" top: "shaped" reshape_param {{ shape {{ {} }} }} }}
layer {{ name: "drop" type: "Dropout" bottom: "shaped" top: "dropped" }}
layer {{ name: "c" type: "InnerProduct" bottom: "dropped" top: "c" inner_product_param {{ num_output: 40 axis: {} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }}
"""


@pytest.mark.parametrize(
    ("shape", "axis", "told"),
    [
        ("dim: 0 dim: 4 dim: 20", 1, True),
        ("dim: 0 dim: -1", 1, True),
        ("dim: -1 dim: 40", 1, False),
        ("dim: 0 dim: 4 dim: 20", 2, False),
    ],
)
def test_sums_of_all_that_an_item_has_in_another_shape(shape: str, axis: int, told: bool) -> None:
    report = caffelint.check_text(_FULL.format(shape, axis), kind="net")
    assert any(one.name == "no-activation-between" for one in report.findings) == told
