"""What a field, or a value, was meant to be, by what it holds."""

from __future__ import annotations

import pytest

import caffelint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'label { name: "a" type: "ReLU" bottom: "x" top: "y" }\n'
            'layer { name: "b" type: "ReLU" bottom: "y" top: "z" }',
            "the net has no field label, so Caffe refuses the file; did you mean layer?",
        ),
        (
            'me: "VGG"\nlayer { name: "a" type: "ReLU" bottom: "x" top: "y" }',
            "the net has no field me, so Caffe refuses the file; did you mean name?",
        ),
        ("base_lr: 0.1 max_iter: Z00000", "max_iter takes a whole number, not Z00000"),
    ],
)
def test_what_was_meant(text: str, message: str) -> None:
    assert message in [one.message for one in caffelint.check_text(text).findings if one.severity == "error"]


def test_capitals_are_a_placeholder() -> None:
    found = caffelint.check_text("base_lr: 0.1 max_iter: ITERATIONS").findings
    assert [one.code for one in found if one.line == 1 and one.code.startswith("P")] == ["P013"]
