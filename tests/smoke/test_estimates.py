"""What a check guesses of the first updates, against a run that measured them."""

from __future__ import annotations

from typing import Any

import pytest

from caffelint.caffe.solver import Solver
from caffelint.lint.cause import ReportedCause, Suggested
from caffelint.lint.file import load
from caffelint.lint.finding import DISPLAY, Fix
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.tried import CURED, SAME, Tried
from caffelint.smoke.estimates import as_measured
from caffelint.smoke.events import Iteration
from caffelint.smoke.run import Run
from caffelint.smoke.verdict import verdict

FALLS = [2.3 - at / 10 for at in range(10)]


def guess(code: str, kind: str) -> ReportedFinding:
    values: dict[str, Any] = dict.fromkeys(ReportedFinding._fields, ())
    values |= {"code": code, "name": "a-guess", "severity": "warning", "certainty": "likely", "evidence": "computed"}
    values |= {"cause": ReportedCause(kind, "", "", "likely", "s.prototxt", 1)}
    return ReportedFinding(**values)


def run(losses: list[float], synthetic: bool = False) -> Run:
    solver = load(b'net: "n.prototxt" base_lr: 1', "s.prototxt").solver
    assert isinstance(solver, Solver)
    events = [Iteration(at, 1, loss, {}) for at, loss in enumerate(losses)]
    return Run(solver, [], [], events, synthetic=synthetic, asked=len(losses))


@pytest.mark.parametrize(
    ("code", "kind", "severity"),
    [
        ("N101", "rate", "info"),
        ("N106", "input-scale", "info"),
        ("N108", "depth", "warning"),
        ("S201", "rate", "info"),
        ("S202", "momentum", "warning"),
        ("O006", "", "info"),
        ("NET1", "rate", "warning"),
    ],
)
def test_a_net_that_learns(code: str, kind: str, severity: str) -> None:
    (found,) = as_measured(run(FALLS), [guess(code, kind)])
    assert found.severity == severity
    assert found.evidence.endswith("the net learns in 10 iterations all the same") == (severity == "info")


def test_a_run_that_shows_nothing() -> None:
    for shown in (run([2.3] * 10), run(FALLS, synthetic=True), run([])):
        assert list(as_measured(shown, [guess("N101", "rate")])) == [guess("N101", "rate")]


@pytest.mark.parametrize(("kind", "severity"), [("layer", "info"), ("rate", "warning")])
def test_a_run_that_something_else_cured(kind: Any, severity: str) -> None:
    went_wrong = run([2.3, 9.0])
    place = went_wrong.solver.at("base_lr")
    went_wrong.tried = [Tried(Hypothesis(kind, place, STRONG, (), "field"), Change("no ReLU", ()), CURED)]
    (found,) = as_measured(went_wrong, [guess("N101", "rate")])
    assert found.severity == severity
    assert ("with no ReLU it goes well" in found.evidence) == (severity == "info")


@pytest.mark.parametrize(("text", "severity"), [("clip_gradients: 10", "info"), ("clip_gradients: 5", "warning")])
def test_a_remedy_that_was_tried_in_vain(text: str, severity: str) -> None:
    went_wrong = run([2.3, 9.0])
    place = went_wrong.solver.at("base_lr")
    other = Tried(Hypothesis("layer", place, STRONG, (), "field"), Change("no ReLU", ()), CURED)
    elsewhere = went_wrong.solver.at("net")
    vain = Tried(Hypothesis("gradient", elsewhere, STRONG, (), "field"), Change(text, ()), SAME, "flat")
    advised = guess("S207", "gradient")._replace(fixes=(Fix("set clip_gradients: 10", DISPLAY, ()),))
    went_wrong.tried = [vain]
    assert list(as_measured(went_wrong, [advised])) == [advised], "nothing else helped"
    went_wrong.tried = [other, vain]
    (found,) = as_measured(went_wrong, [advised])
    assert found.severity == severity
    assert ("tried: with clip_gradients: 10 it goes no better" in found.evidence) == (severity == "info")


@pytest.mark.parametrize(
    ("momentum", "iterations", "severity"), [(0.9, 10, "info"), (0.99, 10, "warning"), (0.99, 50, "info")]
)
def test_a_momentum_that_the_run_has_not_added_up(momentum: float, iterations: int, severity: str) -> None:
    short = run([2.3 * 0.9**at for at in range(iterations)])
    short.solver.message.momentum = momentum
    guessed = guess("N101", "momentum")
    (found,) = as_measured(short, [guessed])
    assert found.severity == severity
    assert ("trains so far" in verdict(short, [found])) == (severity == "warning")


def test_a_value_that_cured_goes_before_another_one_for_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Suggested("stepsize", 250)
    better = Hypothesis("schedule", run([]).solver.at(), STRONG, (), "")
    shown = run([2.3] * 10)
    shown.tried = [Tried(better, Change(found.text, (), suggested=found), CURED, "", -1, 2.3, 0.4, 30, 0.2)]
    other = guess("S105", "schedule")._replace(fixes=(Fix("set stepsize: 84", DISPLAY, ()),))
    same = guess("E136", "schedule")._replace(fixes=(Fix("set stepsize: 250", DISPLAY, ()),))
    assert [one.severity for one in as_measured(shown, [other, same])] == ["info", "warning"]
