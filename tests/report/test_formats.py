"""What holds of every format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caffelint.lint.report import Report
from caffelint.report import FORMATS

Written = Callable[..., str]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line(name: str, any_report: Report, written: Written) -> None:
    text = written(name, any_report)
    assert not text or text.endswith("\n")


@pytest.mark.parametrize("name", ["github", "gitlab", "junit", "rdjson", "checkstyle", "teamcity", "concise", "text"])
def test_infos_are_shown_to_people_only_if_asked_for(name: str, report: Report, written: Written) -> None:
    infos = [finding for finding in report.findings if finding.severity == "info"]
    assert infos
    for finding in infos:
        assert finding.name not in written(name, report)
        assert finding.name in written(name, report, least="info")
