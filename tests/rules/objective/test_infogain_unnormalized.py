"""Whether the InfogainLoss of a project has a softmax inside is not known where its Caffe is an unknown one."""

from __future__ import annotations

import pytest

import caffelint

NET = """
layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
layer { name: "loss" type: "InfogainLoss" bottom: "prob" bottom: "label" top: "loss"
  infogain_loss_param { source: "H.binaryproto" } }
layer { name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy" TOPS }
"""


@pytest.mark.parametrize(
    ("tops", "severity"), [('top: "recall"', "warning"), ('top: "recall" top: "precision"', "info")]
)
def test_an_accuracy_with_more_tops_is_of_an_unknown_caffe(tops: str, severity: str) -> None:
    found = caffelint.check_text(NET.replace("TOPS", tops)).findings
    assert [one.severity for one in found if one.name == "infogain-unnormalized"] == [severity]
