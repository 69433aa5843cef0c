"""Every report writes paths with slashes, whatever the system has between its folders."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from caffelint.lint.cause import Known, ReportedCause
from caffelint.lint.finding import Fix
from caffelint.lint.report import Applied, Failure, Report, ReportedFinding, ReportedRelated
from caffelint.report import FORMATS
from caffelint.text.edits import Edit


def _report(finding: Callable[..., ReportedFinding], separator: str) -> Report:
    def path(name: str) -> str:
        return f"nets{separator}{name}.prototxt"

    cause = ReportedCause("rate", "what", "why", "likely", path("cause"), 1, (Known("rule", path("known"), 1, "said"),))
    found = finding(
        file=path("finding"),
        related=(ReportedRelated("here", path("related"), 4, 7),),
        fixes=(Fix("mend", "safe", ((path("finding"), Edit(0, 1, "x")), (path("fix"), Edit(2, 3, "y")))),),
        cause=cause,
    )
    applied = Applied(path("applied"), "S101", "rule", "said", "mend", "safe")
    return Report((found,), 1, (Failure(path("failure"), "gone"),), applied=(applied,), lookalikes=(path("other"),))


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_on_every_system(
    name: str, finding: Callable[..., ReportedFinding], written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = written(name, _report(finding, "/"))
    with monkeypatch.context() as context:
        context.setattr(os, "sep", "\\")
        found = written(name, _report(finding, "\\"))
    assert found == expected
    assert name == "statistics" or "nets/finding.prototxt" in expected
