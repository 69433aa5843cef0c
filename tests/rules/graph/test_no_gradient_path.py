"""A loss that is switched off by mistake, and several that are switched off on purpose."""

from __future__ import annotations

import pytest

import caffelint

HEAD = (
    ' layer {{ name: "fc{0}" type: "InnerProduct" bottom: "data" top: "fc{0}"'
    " inner_product_param {{ num_output: 9 }} }}"
    ' layer {{ name: "loss{0}" type: "SoftmaxWithLoss" bottom: "fc{0}" bottom: "label" loss_weight: {1} }}'
    ' layer {{ name: "top{0}" type: "Accuracy" bottom: "fc{0}" bottom: "label" include {{ phase: TEST }} }}'
)


@pytest.mark.parametrize(("weights", "severities"), [("10", ["warning"]), ("100", ["info", "info"])])
def test_losses_of_weight_0(weights: str, severities: list[str]) -> None:
    net = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    net += "".join(HEAD.format(number, weight) for number, weight in enumerate(weights))
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.name == "no-gradient-path"]
    assert [one.severity for one in found] == severities
