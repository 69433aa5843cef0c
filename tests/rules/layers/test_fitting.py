"""Which number of outputs fits the targets is said where an InnerProduct makes what a loss compares with them."""

from __future__ import annotations

import pytest

import caffelint

DATA = 'layer { name: "d" type: "MemoryData" top: "a" top: "l" memory_data_param { batch_size: 2 channels: 3 %s } }\n'
SIDES = DATA % "height: 4 width: 4"
FC = 'layer { name: "fc" type: "InnerProduct" bottom: "a" top: "fc" inner_product_param { num_output: %s } }\n'
RELU = 'layer { name: "relu" type: "ReLU" bottom: "fc" top: "r" }\n'
LOSS = 'layer { name: "loss" type: "%s" bottom: "%s" bottom: "%s" top: "loss" }\n'


def advice(text: str) -> list[str]:
    found = [one for one in caffelint.check_text(text, kind="net").findings if one.name == "refused-by-caffe"]
    return [one.message.partition("match")[2] for one in found]


@pytest.mark.parametrize("outputs", [1000, 2])
def test_labels_of_one_number(outputs: int) -> None:
    wanted = [f'; set num_output: 1 in InnerProduct "fc", or give {outputs} targets for each item']
    assert advice(SIDES + FC % outputs + LOSS % ("EuclideanLoss", "fc", "l")) == wanted
    assert advice(SIDES + FC % outputs + LOSS % ("EuclideanLoss", "l", "fc")) == wanted
    assert advice(SIDES + FC % outputs + RELU + LOSS % ("SigmoidCrossEntropyLoss", "r", "l")) == wanted


def test_targets_that_are_images() -> None:
    (message,) = advice(SIDES + FC % 9 + LOSS % ("EuclideanLoss", "fc", "a"))
    assert message.startswith('; set num_output: 48 in InnerProduct "fc", or give 9')
    assert advice(SIDES + FC % 48 + LOSS % ("EuclideanLoss", "fc", "a")) == []


def test_nobody_knows_which_of_two_is_wrong() -> None:
    other = FC.replace('"fc"', '"fd"') % 3
    assert advice(SIDES + FC % 9 + other + LOSS % ("EuclideanLoss", "fc", "fd")) == [""]
