from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import (
    BREAKS,
    LARGE,
    RISES,
    STUCK,
    LogEvidence,
    Logged,
    LogRule,
    Series,
    slow,
    trend,
)
from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._suspects import explained, unexplained
from ._words import called, far_targets, joined, number

_FAR = 1000.0
"""Of targets: below, many a net learns them all the same."""
_LEARNED = 0.01
_FEW, _ENORMOUS = 8, 1e8


class FirstLossOutOfScale(LogRule):
    """The first loss of a regression is far above what its fillers and targets of about 1 give.

    ## Why is this bad?
    Its gradient is as many times larger. With targets of 100,000 the loss begins at 10 to the power of 10: only a tiny
    rate does not diverge, and a net that does not diverge learns little but the mean. A regression trains best with
    input and targets of about 1.

    ## References
    - euclidean_loss_layer.cpp, Forward_cpu
    """

    code = "T117"
    name = "first-loss-out-of-scale"
    severity = WARNING
    certainty = LIKELY
    _EUCLIDEAN = NET.replace("SoftmaxWithLoss", "EuclideanLoss").replace("dim: 8 }", "dim: 8 dim: 10 }")
    _FALLING = [5e10 * 0.9**step for step in range(30)]
    VALID = [SOUND, SOLVER + _EUCLIDEAN + losses([5.0, 4.0, 3.0, 2.0])]
    INVALID = [
        Invalid(
            SOLVER + _EUCLIDEAN + losses(_FALLING),
            span="I1122 13:11:00.00 17644 solver.cpp:258]     Train net output #0: loss = 50000000000.0 (* 1 ="
            " 50000000000.0 loss)",
            message='the first loss of "loss" is 5e+10, so its targets are about 100000, or what the net reads is as'
            " large; divide them by 100000, so that they are about 1 (`caffelint data` shows their range)",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss, first = run.loss, log.beginning(run).far_targets()
            if loss is not None and first is None and not log.bad_first(run) and not run.restored:
                yield from self._enormous(log, run, loss)
            if loss is None or first is None or log.bad_first(run) or slow(loss, None) or first.targets < _FAR:
                continue
            if loss.points[-1].value < _LEARNED * first.value:
                continue
            goes = trend(loss, None)
            if goes is not None and goes.kind in (RISES, STUCK):  # the rules of these name it
                continue
            are, why = far_targets(first.targets)
            what = f'the first loss of "{first.layer}" is {number(first.value)}, so its targets {are}'
            at = log.at(first.line, first.layer)
            yield self.finding(at, f"{what}; {why}", cause=Cause("target-scale", what, why, LIKELY))

    def _enormous(self, log: LogEvidence, run: Logged, loss: Series) -> Iterator[Finding]:
        """A loss that begins and ends larger than any loss of a net that learns."""
        points = loss.finite
        if len(points) < _FEW or min(point.value for point in points) < _ENORMOUS or trend(loss, None):
            return
        what = f"{called(loss)} begins at {number(points[0].value)} and is {number(points[-1].value)} in the end"
        cause = explained(log, run, (LARGE, BREAKS))
        why = cause.most or unexplained(log, run)
        kind = Cause(cause.kind, what, why, LIKELY, known=cause.known)
        yield self.finding(log.at(points[0].line), joined(what, why), evidence=cause.others, cause=kind)
