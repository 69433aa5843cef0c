from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import (
    STUCK,
    LogEvidence,
    Logged,
    LogRule,
    Series,
    chance_of,
    guessed_chance,
    trend,
    whole_chance,
)
from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._words import begins, called, joined, number, rate_there, see

_FLAT = [2.3026, 2.3031, 2.3022, 2.3026, 2.3025, 2.303, 2.3027, 2.3026, 2.3025, 2.3026]
_STILL_FAST = 0.01
_PATIENCE = 5
"""Iterations for each class: with a thousand of them the loss may well stay for thousands of iterations."""
_RULES = (
    "missing-weight-filler",
    "constant-weights",
    "misread-filler",
    "no-gradient-path",
    "nothing-learnable",
    "frozen-without-weights",
    "softmax-twice",
    "sigmoid-twice",
    "no-loss",
    "clip-gradients-zero",
    "high-base-lr",
    "learning-rate-vanishes",
    "unscaled-input",
    "data-not-shuffled",
    "ignore-label-in-range",
    "single-class-softmax",
    "loss-needs-probabilities",
    "suspicious-loss-weight",
)


class LossDoesNotFall(LogRule):
    """The loss stays where it began, at ln C for C classes: the net does no better than guessing.

    ## Why is this bad?
    More iterations rarely help. No gradient reaches the weights (fillers left at 0, dead ReLUs, every lr_mult 0), the
    rate is far too low or so high that units died at once, or the labels have nothing to do with the input.

    ## Known problems
    A few displayed losses prove nothing: at least eight are needed. Some nets need thousands of iterations before
    their loss falls.

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
            " rate is 0.1 there",
        ),
        Invalid(
            losses([0.81, 0.8, 0.82, 0.79, 0.81, 0.8, 0.8, 0.81, 0.8, 0.8], 50, None),
            span="I1122 13:11:00.00 17644 solver.cpp:239] Iteration 0, loss = 0.81",
            message="the loss stays at 0.8, where it began, for 450 iterations",
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
            found = trend(loss, chance, fresh) if loss and not log.bad_first(run) and not loss.clamped else None
            if loss is None or found is None or found.kind != STUCK:
                continue
            span = loss.points[-1].iteration - found.since.iteration
            what = f"{called(loss)} stays at {number(found.last)}"
            if classes and found.chance:
                equals = f" = ln {classes}" if abs(found.last - math.log(classes)) < 0.02 else ""
                what += f"{equals}, as if the net guessed among {classes} classes"
            elif found.chance:
                what += ", as if the net guessed"
            else:
                what += ", where it began"
            what += f", for {span} iterations"
            rate = rate_there(log, run, loss.points[-1].iteration)
            known = log.known(run, rules=_rules(log, run, loss)) or log.known(run)
            yield self.finding(
                log.at(found.since.line),
                joined(what, rate),
                evidence=joined(see(known), begins(log, run)),
                severity=None if found.chance and span >= _PATIENCE * (classes or 0) else WARNING,
                cause=Cause("unknown", what, rate, LIKELY, known=known),
            )


def _rules(log: LogEvidence, run: Logged, loss: Series) -> list[str]:
    """The rules that may say why: not of a rate that falls later, nor of one too high where nothing ever rose."""
    values, points = loss.values, loss.points
    early = log.scheduled(run, points[len(points) // 4].iteration)
    first = log.scheduled(run, points[0].iteration)
    rules = list(_RULES)
    if early and first and early > _STILL_FAST * first:
        rules.remove("learning-rate-vanishes")
    if max(values) < 2 * abs(values[0]):
        rules.remove("high-base-lr")
    return rules
