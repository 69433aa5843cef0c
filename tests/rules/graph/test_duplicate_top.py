"""Which of two layers with one top is to be removed."""

from __future__ import annotations

import pytest

import caffelint

INPUT = 'layer { name: "in" type: "Input" top: "a" top: "b" top: "y" top: "z" } '
LOSS = 'layer { name: "%s" type: "%s" bottom: "%s" bottom: "%s" top: "loss" } '


@pytest.mark.parametrize(
    ("first", "later", "remedy"),
    [
        (("loss", "EuclideanLoss", "a", "y"), ("loss", "EuclideanLoss", "b", "y"), "remove one of the two"),
        (("loss", "EUCLIDEAN_LOSS", "a", "y"), ("loss", "EUCLIDEAN_LOSS", "b", "y"), "remove one of the two"),
        # A loss beside another one.
        (("one", "EuclideanLoss", "a", "y"), ("two", "EuclideanLoss", "b", "y"), "give it another name"),
        (("loss", "EuclideanLoss", "a", "y"), ("loss", "EuclideanLoss", "b", "z"), "give it another name"),
        (("loss", "Eltwise", "a", "y"), ("loss", "Eltwise", "b", "y"), "give it another name"),
    ],
)
def test_a_loss_and_its_later_version(first: tuple[str, ...], later: tuple[str, ...], remedy: str) -> None:
    found = caffelint.check_text(INPUT + LOSS % first + LOSS % later, kind="net").findings
    (message,) = [one.message for one in found if one.name == "duplicate-top"]
    assert message.endswith(remedy)
