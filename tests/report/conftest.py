"""Reports to write: plain values, so that no rule's wording decides whether a format is right."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from caffelint.lint.finding import Fix
from caffelint.lint.report import Failure, Report, ReportedFinding, ReportedRelated, in_order
from caffelint.report import Look, write
from caffelint.text.edits import Edit

Make = Callable[..., ReportedFinding]

_STRANGE = "net/a b,c:d%.prototxt"


def _finding(**changes: Any) -> ReportedFinding:
    values: dict[str, Any] = {
        "code": "S101",
        "name": "poly-without-max-iter",
        "severity": "error",
        "certainty": "certain",
        "message": "max_iter is not set: the first rate is 0/0 = nan",
        "evidence": "",
        "file": "net/solver.prototxt",
        "line": 3,
        "column": 1,
        "end_line": 3,
        "end_column": 18,
        "phases": (),
        "layer": "",
        "field": "lr_policy",
        "key": "poly-without-max-iter::lr_policy",
        "url": "https://caffelint.example/poly-without-max-iter/",
        "source": ('lr_policy: "poly"  # decays',),
    }
    return ReportedFinding(**(values | changes))


@pytest.fixture
def finding() -> Make:
    """Makes a finding; give what differs from a plain error in a solver."""
    return _finding


@pytest.fixture
def report() -> Report:
    """Everything that a format has to cope with, in one report."""
    findings = [
        _finding(evidence="`caffe train` ends after no iteration"),
        _finding(line=9, end_line=9, message='and once more, with 100 % of <it> & "all"'),
        _finding(
            code="L401",
            name="pooling-stride-exceeds-kernel",
            severity="warning",
            certainty="likely",
            message="stride 5 exceeds kernel 3, \x00 and \x1b[31m stays out",
            file=_STRANGE,
            line=12,
            column=3,
            end_line=14,
            end_column=4,
            phases=("TRAIN",),
            layer="pool1",
            field="pooling_param.stride",
            key="pooling-stride-exceeds-kernel:pool1:pooling_param.stride",
            related=(
                ReportedRelated("the bottom is made here", "net/other.prototxt", 4, 7),
                ReportedRelated("and read here", _STRANGE, 40, 3),
            ),
            fixes=(
                Fix("set stride to 2", "unsafe", ((_STRANGE, Edit(210, 219, "stride: 2")),)),
                Fix("or think again", "display", ()),
            ),
            source=("  pooling_param {", "    stride: 5", "  }"),
        ),
        _finding(
            code="P014",
            name="not-caffe",
            severity="info",
            message="this is a label map of TensorFlow, not a net",
            file="/data/labels.prototxt",
            line=None,
            column=None,
            end_line=None,
            end_column=None,
            field="",
            key="not-caffe::",
            source=(),
        ),
    ]
    failures = [
        Failure("gone.prototxt", "no such file or folder"),
        Failure("odd.prototxt", "caffelint failed in x.py:1: KeyError: 'a'; please report it", True),
    ]
    return Report(in_order(findings), files=5, failures=failures, suppressed=2, baselined=1)


@pytest.fixture
def clean() -> Report:
    return Report(files=3)


@pytest.fixture(params=["report", "clean"])
def any_report(request: pytest.FixtureRequest) -> Report:
    report: Report = request.getfixturevalue(request.param)
    return report


@pytest.fixture
def written() -> Callable[..., str]:
    """`written("json", report, width=80)`: the report in that format."""

    def written(name: str, report: Report, **look: Any) -> str:
        out = io.StringIO()
        write(name, report, out, Look(**look))
        return out.getvalue()

    return written
