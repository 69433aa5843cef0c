"""Branches of which some layers do not learn."""

from __future__ import annotations

import pytest

import caffelint

DATA = (
    'layer { name: "d" type: "Data" top: "pair" top: "sim" data_param { source: "a" batch_size: 4 } }\n'
    'layer { name: "s" type: "Slice" bottom: "pair" top: "c0" top: "c0_p" }\n'
)
FC = (
    'layer {{ name: "c{0}{2}" type: "InnerProduct" bottom: "c{1}{2}" top: "c{0}{2}" {3}'
    " inner_product_param {{ num_output: 8 {4} }} }}\n"
)
LOSS = 'layer { name: "loss" type: "ContrastiveLoss" bottom: "c3" bottom: "c3_p" bottom: "sim" top: "loss" }\n'
FIXED = ("param { lr_mult: 0 }", "weight_filler { value: 0.1 }")


def branch(end: str, *first: str, params: str = "") -> str:
    layers = [FC.format(1, 0, end, *(first or ("", "")))]
    return "".join([*layers, *(FC.format(at, at - 1, end, params, "") for at in (2, 3))])


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (branch("_p"), True),
        (branch("_p", *FIXED), True),
        (branch("_p", *FIXED, params="param { lr_mult: 0 }"), False),
        (branch("_p", params='param { name: "w" }'), False),
    ],
)
def test_what_learns_is_compared(second: str, told: bool) -> None:
    report = caffelint.check_text((DATA + branch("") + second + LOSS).encode(), kind="net")
    assert not report.failures
    assert any(one.name == "branches-share-nothing" for one in report.findings) == told
