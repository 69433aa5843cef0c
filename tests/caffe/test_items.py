"""Where the number of items changes, in the words of what Caffe refuses of it."""

from __future__ import annotations

import pytest

import caffelint

NET = """
layer { name: "data" type: "Input" top: "a" top: "b" top: "label"
  input_param { shape { dim: 5 dim: 4 } shape { dim: 5 dim: 4 } shape { dim: 5 } } }
layer { name: "one" type: "InnerProduct" bottom: "a" top: "one" inner_product_param { num_output: 6 } }
layer { name: "two" type: "InnerProduct" bottom: "b" top: "two" inner_product_param { num_output: %s } }
layer { name: "both" type: "Concat" bottom: "one" bottom: "two" top: "both" concat_param { axis: %s } }
layer { name: "relu" type: "ReLU" bottom: "both" top: "both" }
layer { name: "fc" type: "InnerProduct" bottom: "both" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(("outputs", "axis", "told"), [(6, 0, True), (6, 1, False), (7, 1, False)])
def test_the_layer_that_joins_items_is_named(outputs: int, axis: int, told: bool) -> None:
    found = caffelint.check_text(NET % (outputs, axis), path="net.prototxt").findings
    messages = [one.message for one in found if one.name == "refused-by-caffe"]
    wanted = 'bottom 0 has 10 items (10x3) but bottom 1 has 5 (5); Concat "both" makes the 10 from 5; with axis: 1'
    assert messages == ([f'SoftmaxWithLoss "loss": {wanted} it joins channels'] if told else [])
