"""In-place pairs: the rule speaks where a real Caffe's gradient is wrong, and nowhere else.

`in_place.jsonl` holds what `run_in_place.py` measured on Caffe 1.0.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

ROWS = [json.loads(line) for line in Path(__file__).with_name("in_place.jsonl").read_text().splitlines()]
WRONG = 1e-3
SETTINGS = {
    "Leaky": "relu_param { negative_slope: 0.1 }",
    "Scale": "scale_param { bias_term: true }",
    "Exp": "exp_param { scale: 0.1 }",
}
NET = """
layer { name: "data" type: "Input" top: "data" top: "goal"
  input_param { shape { dim: 4 dim: 3 dim: 5 dim: 5 } shape { dim: 4 dim: 3 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "x" convolution_param { num_output: 4 kernel_size: 3 } }
%s
%s
layer { name: "fc" type: "InnerProduct" bottom: "%s" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "goal" top: "loss" }
"""


def layer(name: str, kind: str, bottom: str, top: str) -> str:
    type_ = "ReLU" if kind == "Leaky" else kind
    return f'layer {{ name: "{name}" type: "{type_}" bottom: "{bottom}" top: "{top}" {SETTINGS.get(kind, "")} }}'


@pytest.mark.parametrize("first_in_place", [True, False], ids=["both", "second only"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['first']}-{row['second']}")
def test_pair(row: dict[str, object], first_in_place: bool) -> None:
    error = float(str(row["both" if first_in_place else "second_only"]))
    middle = "x" if first_in_place else "y"
    first, second = str(row["first"]), str(row["second"])
    net = NET % (layer("first", first, "x", middle), layer("second", second, middle, middle), middle)
    if first_in_place:
        net = net.replace('bottom: "x" top: "y"', 'bottom: "x" top: "x"')
    config = Config()
    config.select = ["in-place-corrupts-gradient"]
    found = caffelint.check_text(net, config=config).findings
    # Between the two the error may be rounding: a BatchNorm behind an MVN changes next to nothing.
    if error == 0:
        assert not found
    elif error > WRONG:
        assert found


def test_has_both_kinds() -> None:
    errors = [row[key] for row in ROWS for key in ("both", "second_only")]
    assert sum(error == 0 for error in errors) > 50
    assert sum(error > WRONG for error in errors) > 50


LRNS = [json.loads(line) for line in Path(__file__).with_name("lrn_in_place.jsonl").read_text().splitlines()]
"""What `run_lrn_in_place.py` measured on Caffe 1.0, behind a Sigmoid."""


def lrn(row: dict[str, object], before: str) -> list[str]:
    """How severe the rule finds it."""
    fields = f"alpha: {row['alpha']} beta: {row['beta']} k: {row['k']} norm_region: {row['region']}"
    normalised = layer("norm", "LRN", "y", "y")[:-1] + f"lrn_param {{ local_size: 3 {fields} }} }}"
    config = Config()
    config.select = ["in-place-corrupts-gradient"]
    found = caffelint.check_text(NET % (layer("act", before, "x", "y"), normalised, "y"), config=config).findings
    return [one.severity for one in found]


@pytest.mark.parametrize("row", LRNS, ids=lambda row: "-".join(map(str, list(row.values())[:4])))
def test_a_normalisation_is_an_info_where_next_to_nothing_of_its_gradient_is_wrong(row: dict[str, object]) -> None:
    assert lrn(row, "Sigmoid") == ["info" if float(str(row["error"])) < 0.01 else "error"]


def test_a_normalisation_of_what_has_no_bounds() -> None:
    assert {row["region"] for row in LRNS if float(str(row["error"])) < 0.01} == {"WITHIN_CHANNEL"}
    assert all(lrn(row, "ReLU") == ["error"] for row in LRNS)
