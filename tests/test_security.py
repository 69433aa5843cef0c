"""Each promise of SECURITY.md names the tests that verify it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", Path(__file__).parents[1].joinpath("SECURITY.md").read_text(), re.M)
PROMISES = {promise: tests for promise, tests in ROWS if tests.startswith("`")}


def test_there_are_promises() -> None:
    assert len(PROMISES) == len(ROWS) - 2 > 10, "all rows but the head"


@pytest.mark.parametrize("promise", PROMISES)
def test_its_tests_are_there(promise: str, root: Path) -> None:
    named = PROMISES[promise].split(", ")
    for name in named:
        assert re.search(r"^def test_", (root / name.strip("`")).read_text("utf-8"), re.M), name
