"""What a run needs of memory, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.schema import NetParameter
from caffelint.smoke.memory import needs

NET = """layer { name: "data" type: "Input" top: "data" top: "label"
  input_param { shape { dim: 2 dim: 10 } shape { dim: 2 } } }
layer { name: "fc1" type: "InnerProduct" bottom: "data" top: "fc1" inner_product_param { num_output: 100 } }
layer { name: "relu" type: "ReLU" bottom: "fc1" top: "fc1" }
layer { name: "sigmoid" type: "Sigmoid" bottom: "fc1" top: "fc1" }
layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }
"""
DATA = 2 * 10 + 2 + 2 * 100 + 2 * 3 + 1
"""Of the blobs, each once."""
PARAMETERS = 10 * 100 + 100 + 100 * 3 + 3


@pytest.mark.parametrize(
    ("kind", "caffe", "copies"),
    [("SGD", True, 3), ("Adam", True, 4), ("SGD", False, 3), ("Adam", False, 6), ("AdaDelta", False, 6)],
)
def test_counted_by_hand(kind: str, caffe: bool, copies: int) -> None:
    message: Any = text_format.Parse(NET, NetParameter())
    train, test = build(message, "TRAIN"), build(message, "TEST")
    found = needs([train, test], kind, caffe)
    # The Sigmoid leaves the ReLU's top to nothing in Caffe, and to its own backward pass in torch.
    assert found.blobs == 2 * 4 * (DATA + (0 if caffe else 2 * 100))
    assert found.gradients == 4 * (2 * 100 + 2 * 3 + 1 if caffe else 2 * 2 * 100)
    assert found.weights == 4 * PARAMETERS * copies
    assert found.total == found.blobs + found.gradients + found.weights
