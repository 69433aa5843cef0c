"""check_finite_layer.py by itself, on Python 2.7 and 3, with a stand-in for Caffe."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
LAYER = ROOT / "caffelint/fix/finite/check_finite_layer.py"

_OWN = 'blob "fc", made by layer "fc", "relu"'
RAISED = {
    "good": None,
    "nan and inf": f"forward pass, iteration 1 of TRAIN: {_OWN}: 1 nan and 2 inf of 8 values (37.5%, 1x8);"
    " the others are in [-1, 2.5]; reason for the check: it is odd",
    "bad gradient": 'backward pass, iteration 0 of TRAIN: the gradient of blob "fc", computed by layer "loss":'
    " 4 nan and 0 inf of 4 values (100%, 2x2); none is finite; reason for the check: it is odd",
    "large and finite": None,
    "tiny and finite": None,
    "no elements": None,
    "phase TEST": f"forward pass, iteration 0 of TEST: {_OWN}: 1 nan and 0 inf of 1 values (100%, 1);"
    " none is finite; reason for the check: it is odd",
    "no phase": f"forward pass, iteration 0: {_OWN}: 1 nan and 0 inf of 1 values (100%, 1);"
    " none is finite; reason for the check: it is odd",
    "prefix": "forward pass, iteration 0 of TRAIN: prefix-check_loss: bottom 1: 1 nan and 0 inf of 2 values (50%, 2);"
    " the others are in [1, 1]",
}
_ONE = "bottom 0: 1 nan and 0 inf of 1 values (100%, 1); none is finite"
for _about, _prefix in {
    "nothing given": "",
    "empty": "",
    "older name": "prefix-old: ",
    "a dict of Python": "{'prefix': 1}: ",
    "a number": "12: ",
    "a list": "[1, 2]: ",
    "not ASCII": "pr\\xe9fixe: ",
}.items():
    RAISED[_about] = f"forward pass, iteration 0 of TRAIN: {_prefix}{_ONE}"
RAISED["blob not ASCII"] = RAISED["empty"].replace("bottom 0", 'blob "\\xfc"')  # type: ignore[union-attr]
RAISED["warn"] = None
RAISED["dump"] = (
    'forward pass, iteration 1 of TRAIN: blob "a/b": 1 nan and 0 inf of 2 values (50%, 2);'
    " the others are in [1, 1]; saved as nonfinite_a_b_forward_1.npy"
)
RAISED["no such action"] = "action is "


@pytest.fixture(params=["2.7", "3"])
def results(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, dict[str, Any]]:
    python = request.getfixturevalue("python2") if request.param == "2.7" else sys.executable
    script = Path(__file__).with_name("run_layer.py")
    done = subprocess.run([python, script, LAYER.parent], capture_output=True, cwd=tmp_path, check=False)
    assert not done.stderr, done.stderr.decode()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [path.name for path in tmp_path.iterdir()] == ["nonfinite_a_b_forward_1.npy"]
    return {row["about"]: row for row in rows}


def test_what_it_says(results: dict[str, dict[str, Any]]) -> None:
    assert results.keys() == RAISED.keys()
    for about, row in results.items():
        wanted = RAISED[about]
        if wanted is None:
            assert row["raised"] is None, about
            assert row["unchanged"], about
        elif about == "no such action":
            assert row["raised"].startswith("ValueError: checkFiniteLayer: action is ")
        else:
            assert row["raised"] == f"ValueError: checkFiniteLayer: {wanted}"
            # caffe train shows nothing of what a Python layer raises.
            assert row["said"] == f"checkFiniteLayer: {wanted}\n"


def test_warnings_end_with_the_tenth(results: dict[str, dict[str, Any]]) -> None:
    said = results["warn"]["said"].splitlines()
    assert len(said) == 10
    assert said[9].endswith("; further warnings are not shown")
    assert "iteration 9 of TRAIN" in said[9]


def test_it_needs_nothing_but_caffe_and_numpy() -> None:
    tree = ast.parse(LAYER.read_bytes())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert names == {"caffe", "json", "numpy", "re", "sys"}
    assert "WITH_PYTHON_LAYER" in (ast.get_docstring(tree) or "")
    assert LAYER.read_bytes().isascii()
