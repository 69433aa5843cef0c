"""The only layer of which the bias is learned and the weights are not, among others that learn both or neither."""

from __future__ import annotations

import pytest

from caffelint import check_text

_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }\n'
_LAYER = (
    'layer {{ name: "fc{}" type: "InnerProduct" bottom: "data" top: "fc{}" param {{ lr_mult: {} }}'
    " param {{ lr_mult: {} }} inner_product_param {{ num_output: 9 }} }}\n"
)
FROZEN, LEARNS, HALF = (0, 0), (1, 2), (0, 1)


def _messages(*rates: tuple[int, int]) -> list[str]:
    text = _DATA + "".join(_LAYER.format(at, at, *one) for at, one in enumerate(rates))
    return [one.message for one in check_text(text).findings if one.name == "frozen-by-half"]


def test_the_only_one_is_told() -> None:
    (message,) = _messages(FROZEN, FROZEN, FROZEN, HALF, LEARNS, LEARNS)
    assert message == (
        'InnerProduct "fc3": lr_mult is 0 for its weights and 1 for its bias, as in no other layer of this net; set'
        " both to 0, or neither"
    )


@pytest.mark.parametrize(
    "rates",
    [
        (FROZEN, FROZEN, FROZEN, LEARNS, LEARNS),
        (HALF, HALF, HALF, HALF, LEARNS, LEARNS),
        (FROZEN, HALF, LEARNS),
    ],
)
def test_what_may_be_meant(rates: tuple[tuple[int, int], ...]) -> None:
    assert _messages(*rates) == []
