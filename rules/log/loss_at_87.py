from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import BREAKS, CLAMPED, LARGE, LogEvidence, LogRule, Series
from caffelint.lint import ERROR, LIKELY, Cause, Finding, Invalid

from ._example import SOUND, losses
from ._suspects import explained, unexplained
from ._words import back_to, called, joined, rate_there, see


class LossAt87(LogRule):
    """A loss stays at 87.3365, which is -log(FLT_MIN): the right class has a probability of exactly 0.

    ## Why is this bad?
    The scores are so far apart that the softmax gives 1 and 0. The gradient of the wrong scores is as good as 0, and
    the loss stays there. Before it the weights have grown by an update that was too large, or the input, the fillers
    or weights that were loaded are.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu; BVLC/caffe issue 6014
    """

    code = "T102"
    name = "loss-at-87"
    severity = ERROR
    VALID = [SOUND, losses([2.3, 87.3365, 2.2, 2.1])]
    INVALID = [
        Invalid(
            losses([2.3, 87.3365, 87.3365, 87.3365]),
            span="I1122 13:11:01.00 17644 solver.cpp:258]     Train net output #0: loss = 87.3365 (* 1 = 87.3365 loss)",
            message='train output "loss" is 87.3365 = -log(FLT_MIN) from iteration 10 on, so the right class has a'
            " probability of 0; the rate is 0.1 there",
        ),
        Invalid(
            losses([87.3365] * 3, rate=None),
            span="I1122 13:11:00.00 17644 solver.cpp:258]     Train net output #0: loss = 87.3365 (* 1 = 87.3365 loss)",
            message='train output "loss" is 87.3365 = -log(FLT_MIN) from iteration 0 on, so the right class has a'
            " probability of 0; the rate is not the cause: scale the input, the fillers or the weights down",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            nan = log.bad_first(run)
            stays = [one for one in run.series.values() if one.clamped and _again(one)]
            for series in sorted(stays, key=lambda one: not one.name)[:1]:
                point = series.clamped
                if point is None or (nan and nan[1].iteration <= point.iteration):
                    continue
                what = f"{called(series)} is {CLAMPED} = -log(FLT_MIN) from iteration {point.iteration} on"
                why = rate_there(log, run, point.iteration)
                if point.iteration == 0 and run.restored is None:
                    why = "the rate is not the cause: scale the input, the fillers or the weights down"
                what += ", so the right class has a probability of 0"
                cause = explained(log, run, (BREAKS,) if point.iteration else (LARGE,))
                known = () if cause.most else log.known(run)
                back = back_to(log, run, point.iteration)
                yield self.finding(
                    log.at(point.line),
                    joined(what, why, cause.most or ("" if known else unexplained(log, run))),
                    evidence=joined(back, see(known), cause.others),
                    cause=Cause(cause.kind, what, joined(why, cause.most, back), LIKELY, known=known or cause.known),
                )


def _again(series: Series) -> bool:
    """Was it so in more than one iteration?"""
    return series.clamped is not None and series.at > series.clamped.iteration
