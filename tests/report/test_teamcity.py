"""Service messages of TeamCity: values are escaped, and each inspection has its type."""

from __future__ import annotations

import re
from collections.abc import Callable

from caffelint.lint.report import Report

Written = Callable[..., str]
_MESSAGE = re.compile(r"##teamcity\[(\w+)((?: \w+='(?:[^'|\n\r\[\]]|\|(?:['|n\[\]]|0x[0-9a-f]{4}))*')+)\]")
"""As TeamCity parses one: no bare quote, bracket or line end in a value."""


def test_every_line_is_a_message(any_report: Report, written: Written) -> None:
    lines = written("teamcity", any_report).splitlines()
    found = [_MESSAGE.fullmatch(line) for line in lines]
    assert all(found), lines
    kinds = [one[1] for one in found if one]
    assert kinds.count("buildProblem") == len(any_report.failures)
    types = {one[2].split("'")[1] for one in found if one and one[1] == "inspectionType"}
    assert {one[2].split("'")[1] for one in found if one and one[1] == "inspection"} == types


def test_what_is_escaped(finding: Callable[..., object], written: Written) -> None:
    found = finding(message="it's [50|100] \U0001f600", evidence="why")
    text = written("teamcity", Report((found,), 1))  # type: ignore[arg-type]
    assert "message='it|'s |[50||100|] |0xd83d|0xde00|nwhy'" in text
