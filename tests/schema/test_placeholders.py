"""Quotes around a word that nobody filled in are no safe fix."""

from __future__ import annotations

import pytest

import caffelint


@pytest.mark.parametrize(
    ("word", "safety"),
    [
        ("__net__", "unsafe"),
        ("TODO", "unsafe"),
        ("data", "safe"),
        ("FC6", "safe"),
        ("conv1_1", "safe"),
    ],
)
def test_quotes_for_a_placeholder_are_no_safe_fix(word: str, safety: str) -> None:
    report = caffelint.check_text(f'layer {{ name: {word} type: "ReLU" bottom: "a" top: "b" }}')
    fixes = [fix for finding in report.findings if finding.name == "wrong-value-type" for fix in finding.fixes]
    assert [(fix.safety, fix.edits[0][1].text) for fix in fixes] == [(safety, f'"{word}"')]


@pytest.mark.parametrize("word", ["PATH_TO_LMDB", "YOUR_NAME", "__NET__"])
def test_a_name_that_somebody_is_to_replace_makes_a_template(word: str) -> None:
    report = caffelint.check_text(f'layer {{ name: {word} type: "ReLU" bottom: "a" top: "b" }}')
    assert [finding.name for finding in report.findings] == ["unfilled-template"]
