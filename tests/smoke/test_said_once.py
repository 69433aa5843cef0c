"""Each cause is told once, by the most severe finding that has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from caffelint.lint.cause import Known, ReportedCause
from caffelint.lint.finding import ERROR, INFO, UNSAFE, WARNING, Fix
from caffelint.lint.report import Report, ReportedFinding
from caffelint.smoke.said_once import said_once
from caffelint.smoke.session import Stage


def finding(name: str, line: int, cause: ReportedCause | None = None, **more: object) -> ReportedFinding:
    values = dict.fromkeys(ReportedFinding._fields[:22], "") | {"phases": (), "related": (), "fixes": (), "source": ()}
    values |= {"name": name, "file": "net.prototxt", "line": line, "severity": WARNING, "cause": cause, **more}
    return ReportedFinding(**values)  # type: ignore[arg-type]


def cause(why: str, *known: Known, ruled_out: tuple[str, ...] = ()) -> ReportedCause:
    return ReportedCause("fillers", "it breaks", why, "certain", "net.prototxt", 1, known, None, ruled_out)


def test_the_most_severe_tells_the_cause() -> None:
    apart = ("the rate: with base_lr: 0.1 it breaks in iteration 1",)
    first = finding("a", 3, cause("x is large", ruled_out=apart), message="it breaks: x is large", evidence="seen")
    second = finding("b", 9, cause("x is large; y"), message="it breaks", evidence="y", severity=ERROR)
    told, lead = said_once([], [first, second])
    assert lead == second
    assert (told.message, told.evidence) == ("it breaks", "seen; b at net.prototxt:9 says why")
    assert told.cause == first.cause


def test_what_is_ruled_out_is_told_once() -> None:
    apart = ("the rate: with base_lr: 0.1 it breaks in iteration 1",)
    lead = finding("a", 3, cause("x", ruled_out=apart), evidence=f"x; not {apart[0]}", severity=ERROR)
    other = finding("b", 9, cause("x", ruled_out=apart), evidence=f"up to 7; x; not {apart[0]}")
    assert said_once([], [lead, other])[1].evidence == "up to 7; a at net.prototxt:3 says why"


def test_what_goes_wrong_alike_in_two_places_is_two_causes() -> None:
    both = [finding("a", line, cause("x")._replace(line=line)) for line in (3, 9)]
    assert said_once([], both) == tuple(both)


def test_other_causes_stay() -> None:
    both = [finding("a", 3, cause("x")), finding("b", 9, cause("y")), finding("c", 9, cause("")), finding("d", 1)]
    assert said_once([], both) == tuple(both)


def test_what_the_check_says_at_the_same_place_is_taken_in() -> None:
    fix = Fix("mend it", UNSAFE, ())
    static = finding("no-filler", 3, message="no filler; add one", fixes=(fix,))
    quoted = finding("a", 3, cause("x", Known("no-filler", "./net.prototxt", 3, "")), severity=ERROR)
    (one,) = said_once([static], [quoted._replace(evidence="seen; see no-filler at ./net.prototxt:3")])
    assert one.evidence == "seen; see no-filler: no filler; add one"
    assert one.fixes == (fix,)


def test_what_the_check_says_is_not_repeated_where_it_is_said() -> None:
    static = finding("no-filler", 3, message="no filler; add one")
    quoted = finding("a", 3, cause("no filler; add one; x", Known("no-filler", "net.prototxt", 3, "")))
    (one,) = said_once([static], [quoted._replace(evidence="seen; see no-filler at net.prototxt:3")])
    assert one.evidence == "seen"


def test_what_the_check_says_elsewhere_or_louder_stays() -> None:
    quoted = finding("a", 3, cause("x", Known("b", "net.prototxt", 3, ""), Known("c", "net.prototxt", 4, "")))
    both = [finding("b", 3, severity=ERROR), finding("c", 4)]
    assert said_once(both, [quoted]) == (*both, quoted)


@pytest.mark.parametrize(("weights", "severity"), [("", WARNING), ("a.caffemodel", INFO)])
def test_the_mean_may_be_that_of_the_weights(weights: str, severity: str) -> None:
    stage: Any = SimpleNamespace(report=Report(), wishes=SimpleNamespace(weights=weights), _looking=SimpleNamespace())
    stage._looking.findings = lambda seconds: [finding("mean-unlike-data", 3), finding("record-constant", 3)]
    Stage.look(stage, 1.0)
    assert [one.severity for one in stage.report.findings] == [severity, WARNING]


def test_what_the_check_says_elsewhere_is_not_quoted_in_full() -> None:
    static = finding("no-filler", 9, message="no filler; add one")
    what = cause("no filler; add one; with it it learns")
    measured = finding("a", 3, what, message="it breaks: no filler; add one; with it it learns", evidence="seen")
    _, told = said_once([static], [measured])
    assert (told.message, told.evidence) == (
        "it breaks; with it it learns",
        "seen; no-filler at net.prototxt:9 says why",
    )
    assert told.cause == what


def test_what_the_check_says_at_the_same_place_in_the_same_words_is_said_by_the_run() -> None:
    fix = Fix("mend it", UNSAFE, ())
    static = finding("no-filler", 3, message="no filler; add one", fixes=(fix,))
    measured = finding("a", 3, cause("no filler; add one"), message="it stops: no filler; add one")
    (told,) = said_once([static], [measured])
    assert (told.message, told.evidence, told.fixes) == (measured.message, "", (fix,))
