from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import BREAKS, RISES, TRAIN, LogEvidence, LogRule, trend, whole_chance
from caffelint.lint import ERROR, LIKELY, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._suspects import explained, unexplained
from ._words import back_to, called, joined, number, rate_there


class LossRises(LogRule):
    """The loss ends at several times its lowest value and above its start, or back at that of guessing.

    ## Why is this bad?
    Updates that are too large make it grow, and sooner or later it is nan. The snapshot of the lowest loss is better
    than the last one.
    """

    code = "T104"
    name = "loss-rises"
    severity = ERROR
    certainty = LIKELY
    VALID = [SOUND]
    INVALID = [
        Invalid(
            losses([2.3, 2.1, 2.2, 2.6, 3.5, 5.0, 9.1, 14.0, 22.0, 37.0, 70.0, 130.0]),
            span="I1122 13:11:01.00 17644 solver.cpp:239] Iteration 10, loss = 2.1",
            message="the loss rises from 2.1 in iteration 10 to 100; the rate is 0.1 there",
        ),
        Invalid(
            SOLVER + NET + losses([2.4, 0.6, 0.3, 0.5, 3.9, 17.9, *[2.31, 2.3, 2.295] * 4], 20),
            span="I1122 13:11:02.00 17644 solver.cpp:239] Iteration 40, loss = 0.3",
            message="the loss rises from 0.3 in iteration 40 to 2.297, that of guessing; the rate is 0.1 there; nothing"
            " in the solver and the net explains it, so look at the data (`caffelint data`: is the input about 1 in"
            " size and in random order, do labels and input belong together?), and at what each layer gives"
            " (`caffelint smoke`)",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = next((one for one in run.outputs(TRAIN) if one.weight and one.weight < 0), run.loss)
            chance = whole_chance(run, log.recovered(run))
            found = trend(loss, chance) if loss and not log.bad_first(run) and not loss.clamped else None
            if loss is None or found is None or found.kind != RISES:
                continue
            low = found.since
            what = f"{called(loss)} rises from {number(low.value)} in iteration {low.iteration} to {number(found.last)}"
            what += ", that of guessing" if found.chance else ""
            rate = rate_there(log, run, low.iteration)
            found_cause = explained(log, run, (BREAKS,))
            back = back_to(log, run, low.iteration + 1)
            yield self.finding(
                log.at(low.line),
                joined(what, rate, found_cause.most or unexplained(log, run)),
                evidence=joined(back, found_cause.others),
                cause=Cause(
                    found_cause.kind, what, joined(rate, found_cause.most, back), LIKELY, known=found_cause.known
                ),
            )
