from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import (
    FLAT,
    JUMPS,
    LARGE,
    SLOW,
    STOPPED,
    STUCK,
    LogEvidence,
    LogRule,
    Trend,
    brief,
    chance_of,
    guessed_chance,
    is_zero,
    slow,
    trend,
    whole_chance,
)
from caffelint.lint import ERROR, INFO, LIKELY, WARNING, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._suspects import explained, unexplained
from ._words import begins, called, joined, number, rate_there, see

_FLAT = [2.3026, 2.3031, 2.3022, 2.3026, 2.3025, 2.303, 2.3027, 2.3026, 2.3025, 2.3026]
_RECTIFIED = NET.replace(
    'layer {\n  name: "loss"',
    'layer {\n  name: "relu"\n  type: "ReLU"\n  bottom: "fc"\n  top: "fc"\n}\nlayer {\n  name: "loss"',
)
_ABOVE = 1.8
_COLD, _HOT = 0.7, 0.3
"""Shares of the first loss: to have fallen no further is little, and where the figures of the start are odd as well."""
_PATIENCE = 5
"""Iterations for each class: with a thousand of them the loss may well stay for thousands of iterations."""


class LossDoesNotFall(LogRule):
    """The loss stays where it began, at ln C for C classes: the net does no better than guessing.

    ## Why is this bad?
    More iterations rarely help. No gradient reaches the weights (fillers left at 0, dead ReLUs, every lr_mult 0), the
    rate is far too low or so high that units died at once, or the labels have nothing to do with the input.

    ## Known problems
    A few displayed losses prove nothing: at least eight are needed. Some nets need thousands of iterations before
    their loss falls. Of fewer than 200 iterations it is a warning where the loss came to that of guessing from above or
    goes up and down above it, an info otherwise.

    ## References
    - BVLC/caffe issues 59, 2430 and 4446
    """

    code = "T103"
    name = "loss-does-not-fall"
    severity = ERROR
    certainty = LIKELY
    VALID = [SOUND, losses(_FLAT[:5], 50)]
    INVALID = [
        Invalid(
            SOLVER + NET + losses(_FLAT, 50),
            span="I1122 13:11:00.00 17644 solver.cpp:239] Iteration 0, loss = 2.3026",
            message="the loss stays at 2.303 = ln 10, as if the net guessed among 10 classes, for 450 iterations; the"
            " rate is 0.1 there; nothing in the solver and the net explains it, so look at the data (`caffelint data`:"
            " is the input about 1 in size and in random order, do labels and input belong together?), and at what each"
            " layer gives (`caffelint smoke`)",
        ),
        Invalid(
            SOLVER + _RECTIFIED + losses(_FLAT, 50),
            span="I1122 13:11:00.00 17644 solver.cpp:239] Iteration 0, loss = 2.3026",
            message="the loss stays at 2.303 = ln 10, as if the net guessed among 10 classes, for 450 iterations; the"
            ' rate is 0.1 there; most likely, "relu" (line 33) makes 0 of all negative scores that "loss" reads, and'
            " these get no gradient; remove it",
        ),
        Invalid(
            losses([0.81, 0.8, 0.82, 0.79, 0.81, 0.8, 0.8, 0.81, 0.8, 0.8], 50, None),
            span="I1122 13:11:00.00 17644 solver.cpp:239] Iteration 0, loss = 0.81",
            message="the loss stays at 0.8, where it began, for 450 iterations",
        ),
        Invalid(
            losses([2.15, 2.068, *[2.0799, 2.0797, 2.0798] * 4], 10, None),
            span="I1122 13:11:04.00 17644 solver.cpp:239] Iteration 40, loss = 2.0798",
            message="the loss stays at 2.08 = ln 8, as if the net guessed among 8 classes, for 90 iterations, which are"
            " too few to be sure",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = run.loss
            recovered = log.recovered(run)
            tops = [chance_of(recovered, one.name) for one in run.outputs("train") if one.weight]
            chance = whole_chance(run, recovered)
            classes = tops[0].classes if chance and len(tops) == 1 and tops[0] else None
            if chance is None and (guess := guessed_chance(run)):
                chance, classes = guess.loss, guess.classes
            fresh = run.restored is None and not run.weights
            if loss is None or log.bad_first(run) or loss.clamped:
                continue
            found = trend(loss, chance, fresh)
            start = loss.points[0].value if loss.points else 0.0
            cause = explained(log, run, (FLAT, LARGE) if chance and start > _ABOVE * chance else (FLAT,))
            if (found is None or found.kind in (STOPPED, JUMPS)) and cause.is_sure:
                found = slow(loss, chance, _HOT if log.beginning(run).judgement else _COLD)
            if found is None and is_zero(loss):
                found = Trend(STUCK, 0.0, 0.0, loss.points[0])
            soon = None if found else brief(loss, chance)
            found = found or soon
            if found is None or found.kind not in (STUCK, SLOW):
                continue
            span = loss.points[-1].iteration - found.since.iteration
            what = f"{called(loss)} stays at {number(found.last)}"
            if is_zero(loss):
                what = f"{called(loss)} is exactly 0 all along"
            elif found.kind == SLOW and found.chance and found.last < found.chance < found.first / _ABOVE:
                what = f"{called(loss)} falls to {number(found.last)} only, where guessing gives {number(found.chance)}"
            elif found.kind == SLOW:
                what = f"{called(loss)} hardly falls, from {number(found.first)} to {number(found.last)}"
            elif found.chance and found.last > _ABOVE * found.chance:
                what += f", far above the {number(found.chance)} of guessing"
                what += f" among {classes} classes" if classes else ""
            elif classes and found.chance:
                equals = f" = ln {classes}" if abs(found.last - math.log(classes)) < 0.02 else ""
                what += f"{equals}, as if the net guessed among {classes} classes"
            elif found.chance and found.last < 1.1 * found.chance:
                what += ", as if the net guessed"
            elif not soon:
                what += ", where it began"
            what += f", {'in' if found.kind == SLOW else 'for'} {span} iterations"
            what += ", which are too few to be sure" if soon else ""
            rate = rate_there(log, run, loss.points[-1].iteration)
            known = () if cause.most else log.known(run)
            most = cause.most or "" if known else cause.most or unexplained(log, run)
            yield self.finding(
                log.at(found.since.line),
                joined(what, rate, most),
                evidence=joined(see(known), cause.others, "" if cause.most else begins(log, run)),
                severity=_severity(found, span, classes or 0, soon is not None),
                cause=Cause(cause.kind, what, joined(rate, most), LIKELY, known=known or cause.known),
            )


def _severity(found: Trend, span: int, classes: int, soon: bool) -> str | None:
    enough = bool(found.chance) and span >= _PATIENCE * classes
    if soon:
        return WARNING if enough else INFO
    return None if enough else WARNING
