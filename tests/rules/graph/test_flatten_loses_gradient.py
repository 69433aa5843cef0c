"""What is told of a Flatten that loses the gradient, and what is offered for it."""

from __future__ import annotations

import pytest

import caffelint

_NEW = (
    'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 4 dim: 6 }} }} }}\n'
    'layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param {{ num_output: 6 }} }}\n'
    'layer {{ name: "rows" type: "Reshape" bottom: "a" top: "rows"'
    " reshape_param {{ shape {{ dim: 0 dim: 2 dim: 1 dim: 3 }} }} }}\n"
    'layer {{ name: "flat" type: "Flatten" bottom: "rows" top: "flat" {} }}\n'
    'layer {{ name: "b" type: "InnerProduct" bottom: "flat" top: "b" inner_product_param {{ num_output: 6 }} }}\n'
    'layer {{ name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "data" top: "loss" }}\n'
)
_OLD = (
    'layers { name: "data" type: DUMMY_DATA top: "data" dummy_data_param { num: 4 channels: 6 height: 1 width: 1 } }\n'
    'layers { name: "a" type: INNER_PRODUCT bottom: "data" top: "a" inner_product_param { num_output: 6 } }\n'
    'layers { name: "one" type: CONCAT bottom: "a" top: "one" }\n'
    'layers { name: "flat" type: FLATTEN bottom: "one" top: "flat" }\n'
    'layers { name: "b" type: INNER_PRODUCT bottom: "flat" top: "b" inner_product_param { num_output: 6 } }\n'
    'layers { name: "loss" type: EUCLIDEAN_LOSS bottom: "b" bottom: "a" top: "loss" }\n'
)


@pytest.mark.parametrize(
    ("text", "advice", "fixes"),
    [
        (_NEW.format(""), "make it a Reshape with shape { dim: 0 dim: -1 }", ["make it a Reshape"]),
        (_NEW.format("flatten_param { axis: 2 }"), "make it a Reshape", []),
        (_OLD, "make it a Reshape", []),
    ],
    ids=["all", "from an axis", "older layers"],
)
def test_a_shape_is_told_where_it_is_known(text: str, advice: str, fixes: list[str]) -> None:
    found = [one for one in caffelint.check_text(text, kind="net").findings if one.name == "flatten-loses-gradient"]
    ((message, titles),) = [(one.message, [fix.title for fix in one.fixes]) for one in found]
    assert message.endswith(f"; {advice}")
    assert titles == fixes
