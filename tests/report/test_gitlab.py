"""GitLab's Code Quality, as documented there."""

from __future__ import annotations

import json
from collections.abc import Callable

from caffelint.lint.report import Report

Written = Callable[..., str]


def test_gitlab_has_the_documented_fields(report: Report, clean: Report, written: Written) -> None:
    rows = json.loads(written("gitlab", report, least="info"))
    assert [row["severity"] for row in rows] == ["info", "minor", "critical", "critical", "blocker", "blocker"]
    for row in rows:
        assert set(row) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert row["location"]["path"]
        assert row["location"]["lines"]["begin"] >= 1
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    assert json.loads(written("gitlab", clean)) == []


def test_fingerprints_outlive_lines_and_words(report: Report, written: Written) -> None:
    moved = Report([f._replace(line=f.line and f.line + 5, message="other words") for f in report.findings])
    before = [row["fingerprint"] for row in json.loads(written("gitlab", report, least="info"))][:4]
    assert [row["fingerprint"] for row in json.loads(written("gitlab", moved, least="info"))] == before
