"""Which rates of biases are slips."""

from __future__ import annotations

import pytest

import caffelint


@pytest.mark.parametrize(
    ("rates", "lines"),
    [
        ([(1, 2), (1, 21), (1, 2)], [2]),
        ([(1, 2), (1, 2), (1, 2)], []),
        # A new layer.
        ([(1, 2), (1, 2), (10, 20)], []),
        ([(1, 2), (1, 4), (1, 2)], []),
        # As many have it.
        ([(1, 2), (1, 20), (1, 20)], []),
    ],
)
def test_rates_of_biases(rates: list[tuple[int, int]], lines: list[int]) -> None:
    net = "\n".join(
        f'layer {{ name: "fc{i}" type: "InnerProduct" bottom: "b{i}" top: "b{i + 1}" param {{ lr_mult: {weight} }}'
        f" param {{ lr_mult: {bias} }} inner_product_param {{ num_output: 8 }} }}"
        for i, (weight, bias) in enumerate(rates)
    )
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.name == "param-far-above-others"]
    assert [one.line for one in found] == lines
    assert all("for its bias" in one.message for one in found)
