"""Where a net that programs give its values scales them itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.rules.graph._scaled import times as as_people_do

FC = 'layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s" inner_product_param { num_output: 8 } } '
BODY = FC % ("a", "data", "a") + FC % ("b", "a", "b") + FC % ("c", "b", "c")
DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.0078125 } } '
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
INPUT = 'layer { name: "data" type: "Input" top: "%s" input_param { shape { dim: 1 dim: 8 } } } '
POWER = 'layer { name: "scaled" type: "Power" bottom: "%s" top: "data" power_param { %s } } '


@pytest.mark.parametrize(
    ("start", "times"),
    [
        (INPUT % "raw" + POWER % ("raw", "scale: 0.00390625"), "0.5"),
        (INPUT % "raw" + POWER % ("raw", "scale: 0.0078"), ""),
        # A program scales its values, or not.
        (INPUT % "data", ""),
        # No factor.
        (INPUT % "raw" + POWER % ("raw", "scale: 0.00390625 power: 2"), ""),
        # Of what is written in place, nobody knows who reads it.
        (INPUT % "data" + POWER % ("data", "scale: 0.00390625"), ""),
        (DATA.replace("0.0078125", "1") + POWER.replace("scaled", "s") % ("data", "scale: 0.0078125"), ""),
    ],
)
def test_a_power_after_an_input(tmp_path: Path, start: str, times: str) -> None:
    (tmp_path / "train.prototxt").write_text(DATA + BODY + LOSS)
    (tmp_path / "deploy.prototxt").write_text(start + BODY)
    found = [one.message for one in caffelint.check(str(tmp_path)).findings if one.name == "deploy-scaled-otherwise"]
    assert [f"gets {times} times" in message for message in found] == [True] * bool(times)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.28, "1.28"), (255, "255"), (999.4, "999"), (16256, "about 16,000"), (1.63e6, "about 1,600,000")],
)
def test_ratios_are_written_as_people_do(value: float, text: str) -> None:
    assert as_people_do(value) == text
