"""SARIF, held against the schema of the standard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from caffelint.lint.report import Report

Written = Callable[..., str]
Judge = Callable[[str], Path]
Validate = Callable[[Any, Path], None]


def test_sarif_is_what_the_standard_says(
    any_report: Report, judge: Judge, written: Written, validate: Validate
) -> None:
    validate(json.loads(written("sarif", any_report)), judge("sarif-2.1.0.json"))


def test_sarif(report: Report, written: Written) -> None:
    run = json.loads(written("sarif", report))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["L401", "P014", "S101"]
    assert "## Why is this bad?" in rules[2]["help"]["markdown"]
    assert run["columnKind"] == "unicodeCodePoints"
    for result, found in zip(run["results"], report.findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == found.code
        location = result["locations"][0]["physicalLocation"]
        assert unquote(location["artifactLocation"]["uri"].removeprefix("file://")) == found.file
        assert location.get("region", {}).get("startLine") == found.line
    assert [result["level"] for result in run["results"]] == ["note", "warning", "error", "error"]
    assert len({result["partialFingerprints"]["caffelint/v1"] for result in run["results"]}) == 4
    assert [len(result.get("fixes", ())) for result in run["results"]] == [0, 1, 0, 0], "a display fix is never applied"
    assert run["results"][1]["relatedLocations"][0]["message"]["text"] == "the bottom is made here"
    invocation = run["invocations"][0]
    assert not invocation["executionSuccessful"]
    assert len(invocation["toolExecutionNotifications"]) == 2


def test_clean_sarif_says_so(clean: Report, written: Written) -> None:
    run = json.loads(written("sarif", clean))["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"]
