"""What a check estimates of the first updates, once a run has measured them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caffelint.lint.cause import Suggested
from caffelint.lint.finding import INFO, WARNING
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.tried import cure, refuted
from caffelint.smoke.outcome import outcome
from caffelint.smoke.run import Run

_ESTIMATES = ("N", "S201", "O006")
"""How codes begin of rules that compute what the first updates do, or hold base_lr against the usual or a sum."""
_KINDS = {"O006": "rate"}
"""What those of them blame that give no cause of their own."""

_BUILT_UP = 0.45

_RATE, _MOMENTUM = "rate", "momentum"
_OF_STEPS = (_RATE, _MOMENTUM, "input-scale", "loss-weight", "fillers")
"""Kinds of cause that make the first updates too large, or too small."""


def as_measured(run: Run, findings: Iterable[ReportedFinding]) -> Iterator[ReportedFinding]:
    """The findings of a check; estimates that the run refutes are infos, which say why.

    So are warnings whose own remedy was tried in vain. A net that learns refutes what was told of its first updates,
    and one that another change cured that its rate is to blame. A value that cured goes before others for its field.
    """
    why, kinds = _against(run)
    vain = _tried_in_vain(run)
    best = cure(run)
    found = best.change.suggested if best is not None and best.learned and not run.synthetic else None
    for one in findings:
        mended = {title.removeprefix("set ") for title in (fix.title for fix in one.fixes)}
        if one.severity == WARNING and (text := next(iter(mended & vain), "")):
            one = one.because(f"tried: with {text} it goes no better", INFO)
        if found is not None and one.severity == WARNING and _sets_otherwise(mended, found):
            one = one.because(f"the run shows which value does: with {found.text} it learns", INFO)
        rule = find_rule(one.code)
        estimated = rule is not None and rule.is_built_in and one.code.startswith(_ESTIMATES) and one.severity != INFO
        kind = _KINDS.get(one.code) or (one.cause.kind if one.cause is not None else "")
        if estimated and kind in kinds:
            one = one.because(why, INFO)
        yield one


def _sets_otherwise(mended: Iterable[str], found: Suggested) -> bool:
    """Do all of its remedies give the field of the solver that was found another value?"""
    other = [text for text in mended if text.startswith(f"{found.field}:") and text != found.text]
    return not found.layer and bool(other) and len(other) == len([*mended])


def _tried_in_vain(run: Run) -> set[str]:
    """The changes that did not help by themselves, where another one did."""
    if cure(run) is None:
        return set()
    return {one.change.text for one in refuted(run.tried) if one.change.of_solver and not one.change.parts}


def _against(run: Run) -> tuple[str, tuple[str, ...]]:
    """What the run shows against such causes, and against which."""
    best = cure(run)
    if best is not None and best.hypothesis.kind != _RATE:
        return f"the run shows another cause: with {best.change.text} it goes well", (_RATE,)
    if run.iterations and run.finite and not run.synthetic:
        how = outcome(run)
        if how.learns:
            kinds = tuple(one for one in _OF_STEPS if one != _MOMENTUM or not before_momentum(run))
            return f"the net learns in {how.iterations} iterations all the same", kinds
    return "", ()


def before_momentum(run: Run) -> bool:
    """Did the run end before momentum has added up half of what it does? Later updates are far larger."""
    left = 1 - run.solver.message.momentum
    return len(run.iterations) * left < _BUILT_UP if left > 0 else True


def told_of_momentum(finding: ReportedFinding) -> bool:
    """Is it such an estimate, which blames the momentum?"""
    return finding.code.startswith(_ESTIMATES) and finding.cause is not None and finding.cause.kind == _MOMENTUM
