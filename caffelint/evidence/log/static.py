"""Findings of a check of the texts that a log holds, held against how the run went."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.evidence.log.suspects.ranking import is_of_training
from caffelint.evidence.log.values import Logged
from caffelint.lint.finding import LIKELY
from caffelint.lint.report import ReportedFinding

_OF_TRAINING = ("poly-without-max-iter", "no-max-iter", "no-base-lr", "learning-rate-not-finite")
_SOON = 100
"""Iterations after which what may break a training has had time to."""


def borne_out(
    static: Sequence[ReportedFinding], run: Logged, told: Sequence[ReportedFinding], max_iter: int | None
) -> list[ReportedFinding]:
    """Those that the run does not refute: it came far, and what is only likely to break a training did not, or is not
    what broke it; and without those about a training where none was meant, as `max_iter: 0` only tests. told: what
    rules of the log found.
    """
    if run.done and max_iter == 0:
        return [one for one in static if one.name not in _OF_TRAINING]
    if run.iteration is None or run.iteration < _SOON or run.loss is None:
        return list(static)
    named = {(one.name, one.line) for finding in told if finding.cause for one in finding.cause.known}
    lines = {line for finding in told if finding.cause for line in (finding.cause.line,)}
    return [
        one
        for one in static
        if one.certainty != LIKELY or not is_of_training(one.name) or (one.name, one.line) in named or one.line in lines
    ]
