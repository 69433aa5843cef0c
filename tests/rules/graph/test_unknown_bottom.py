"""How sure `unknown-bottom` is of a blob that one phase alone lacks."""

from __future__ import annotations

import pytest

import caffelint

INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } } '
SCORES = 'layer { name: "prob" type: "Softmax" bottom: "data" top: "prob" } '
ACCURACY = 'layer { name: "top1" type: "Accuracy" bottom: "prob" bottom: "label" top: "top1" include { phase: TEST } } '
LOSS = (
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "data" top: "loss" include { phase: TRAIN } }'
)


@pytest.mark.parametrize(
    ("text", "severity"), [(INPUT + SCORES + ACCURACY, "error"), (INPUT + SCORES + ACCURACY + LOSS, "warning")]
)
def test_a_net_that_nothing_trains_is_for_test(text: str, severity: str) -> None:
    found = [one for one in caffelint.check_text(text, kind="net").findings if one.name == "unknown-bottom"]
    assert [(one.severity, one.phases) for one in found] == [(severity, ("TEST",))]
