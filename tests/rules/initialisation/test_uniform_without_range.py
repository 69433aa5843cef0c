"""Positive weights of few inputs do no harm."""

from __future__ import annotations

import pytest

import caffelint

_NET = """
layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" include {{ phase: TRAIN }} }}
layer {{ name: "fc1" type: "InnerProduct" bottom: "data" top: "fc1"
    inner_product_param {{ num_output: {} weight_filler {{ type: "uniform" {} }} }} }}
layer {{ name: "bend" type: "Sigmoid" bottom: "fc1" top: "fc1" }}
layer {{ name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2"
    inner_product_param {{ num_output: 2 weight_filler {{ type: "xavier" }} }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }}
"""


@pytest.mark.parametrize(
    ("outputs", "end", "severity"), [(2, "", "info"), (200, "", "warning"), (2, "min: -3", "warning")]
)
def test_an_info_in_a_toy(outputs: int, end: str, severity: str) -> None:
    report = caffelint.check_text(_NET.format(outputs, end), kind="net")
    assert [one.severity for one in report.findings if one.name == "uniform-without-range"] == [severity]
