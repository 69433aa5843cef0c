"""A blob of one value, which nothing reads: a loss without a loss_weight, or the score of one record."""

from __future__ import annotations

import pytest

import caffelint

NET = """
layer {{ name: "data" type: "Input" top: "data" top: "label"
  input_param {{ shape {{ dim: {batch} dim: 6 }} shape {{ dim: {batch} }} }} }}
layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 3 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}
layer {{ name: "age" type: "InnerProduct" bottom: "data" top: "age" inner_product_param {{ num_output: {outputs} }} }}
"""
SCORE = 'layer { name: "score" type: "Sigmoid" bottom: "age" top: "score" }'
SUM = 'layer { name: "sum" type: "Reduction" bottom: "age" top: "sum" }'
TIMES = 'layer { name: "times" type: "Power" bottom: "sum" top: "times" power_param { scale: 2 } }'


@pytest.mark.parametrize(
    ("batch", "outputs", "more", "may_be"),
    [
        (1, 1, "", False),
        (1, 1, SCORE, False),
        (1, 1, SUM, False),
        (4, 1, SUM, True),
        (1, 8, SUM, True),
        (4, 8, SUM + TIMES, True),
    ],
)
def test_what_may_be_a_loss(batch: int, outputs: int, more: str, may_be: bool) -> None:
    report = caffelint.check_text((NET.format(batch=batch, outputs=outputs) + more).encode(), kind="net")
    assert not report.failures
    told = [one.message for one in report.findings if one.name in ("unused-blob", "no-gradient-path")]
    assert told
    assert any("set loss_weight: 1" in one for one in told) == may_be
