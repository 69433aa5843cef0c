"""Weights of losses that are no numbers, or that are apart as far as no others."""

from __future__ import annotations

import pytest

import caffelint

LOSS = 'layer { name: "%s" type: "EuclideanLoss" bottom: "x" bottom: "y" top: "%s" loss_weight: %s }\n'


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (["1", "1e-6"], "1/1000000 of"),
        (["1e38", "1e-38"], "1/1e+76 of"),
        ([".5", "65536", "00", "nan", "inf"], ""),
    ],
)
def test_weights_far_apart(weights: list[str], told: str) -> None:
    text = "".join(LOSS % (number, number, weight) for number, weight in enumerate(weights))
    report = caffelint.check_text(text.encode())
    assert not report.failures
    messages = [one.message for one in report.findings if one.name == "suspicious-loss-weight"]
    assert any(told in message for message in messages) or not told
