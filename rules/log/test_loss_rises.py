from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from caffelint.evidence.log.rule import (
    TEST,
    TESTED,
    Guesses,
    LogEvidence,
    Logged,
    LogRule,
    Point,
    Series,
    never_better,
    unlike_data,
    worse_tested,
)
from caffelint.lint import INFO, LIKELY, WARNING, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, with_tests
from ._suspects import explained
from ._words import called, joined, number

_ACCURACY = "".join(
    f"I1122 13:11:02.00 17644 solver.cpp:347] Iteration {iteration}, Testing net (#0)\n"
    f"I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #1: accuracy = {value}\n"
    for iteration, value in ((50, 0.8), (200, 0.9))
)


class TestLossRises(LogRule):
    """The test loss rises while the training loss still falls: the net learns its training data by heart.

    ## Why is this bad?
    The last snapshot is worse than an earlier one. Keep the earlier one, or give the net less room: more data or
    augmentation, weight_decay, Dropout, fewer parameters.

    Where the test loss is never better than guessing, the net has learned nothing that helps with the test data: all
    training labels are the same, or the test data have other labels, another mean or another scale. Where an accuracy
    is no worse in the end, the net is only surer of its mistakes: that is an info.
    """

    code = "T106"
    name = "test-loss-rises"
    severity = WARNING
    certainty = LIKELY
    _UNLIKE = (
        SOLVER
        + NET
        + "I1122 13:10:59.00 17644 solver.cpp:347] Iteration 0, Testing net (#0)\n"
        + "I1122 13:10:59.00 17644 solver.cpp:414]     Test net output #0: loss = 63.8 (* 1 = 63.8 loss)\n"
        + with_tests([2.2, 1.8, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4, 2.5])
    )
    VALID = [SOUND, with_tests([2.2, 1.8, 1.4, 1.2, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5])]
    INVALID = [
        Invalid(
            with_tests([2.2, 1.8, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4, 2.5]),
            span="I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #0: loss = 1.4 (* 1 = 1.4 loss)",
            message='test output "loss" rises from 1.4 in iteration 50 to 2.4, while the training loss falls by 76 %;'
            " keep the weights of iteration 50, or add data, weight_decay or Dropout",
        ),
        Invalid(
            with_tests([2.2, 1.8, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4, 2.5]) + _ACCURACY,
            span="I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #0: loss = 1.4 (* 1 = 1.4 loss)",
            message='test output "loss" rises from 1.4 in iteration 50 to 2.4, while the training loss falls by 76 %;'
            ' but test output "accuracy" goes from 0.8 to 0.85, so the net is only surer of its mistakes',
        ),
        Invalid(
            _UNLIKE,
            span="I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #0: loss = 1.4 (* 1 = 1.4 loss)",
            message='test output "loss" rises from 1.4 in iteration 50 to 2.4, while the training loss falls by 76 %;'
            " before any training it is 63.8, where the training loss is 2.3, so the test data have another scale or"
            " mean: `caffelint data` shows both",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if log.bad_first(run):
                continue
            if guess := never_better(run, log.recovered(run)):
                yield self._never_better(log, run, guess)
                continue
            found = worse_tested(run)
            if found is None:
                continue
            series, best, last, share = found
            what = f"{called(series)} rises from {number(best.value)} in iteration {best.iteration} to {number(last)}"
            what += f", while the training loss falls by {share:.0%}".replace("%", " %")
            snapshot = log.sound_snapshot(run, best.iteration + 1)
            near = f"the snapshot of iteration {snapshot.iteration} is nearest: {snapshot.path}" if snapshot else ""
            remedy = f"keep the weights of iteration {best.iteration}, or add data, weight_decay or Dropout"
            if unlike := unlike_data(run, log.recovered(run)):
                remedy = (
                    f"before any training it is {number(unlike.tested.value)}, where the training loss is"
                    f" {number(unlike.trained.value)}, so the test data have another scale or mean: `caffelint data`"
                    " shows both"
                )
            better = "" if unlike else _more_accurate(run, series, best)
            message = joined(what, better or remedy)
            severity = INFO if better else None
            yield self.finding(log.at(best.line), message, evidence="" if better else near, severity=severity)

    def _never_better(self, log: LogEvidence, run: Logged, guess: Guesses) -> Finding:
        what = (
            f"{called(guess.series)} is never better than the {number(guess.chance)} of guessing, but the training loss"
            f" falls to {number(guess.trained)}"
        )
        cause = explained(log, run, (TESTED,))
        usual = (
            "training labels that are all the same, or test data with other labels, another mean or another scale are"
            " the usual causes: `caffelint data` shows both"
        )
        most = cause.most if cause.is_sure else usual
        point = guess.series.points[-1]
        return self.finding(
            log.at(point.line), joined(what, most), cause=Cause(cause.kind, what, most, LIKELY, known=cause.known)
        )


def _more_accurate(run: Logged, series: Series, best: Point) -> str:
    """What an accuracy of the same test net says, if it is no worse in the end than where the loss was best."""
    for one in run.outputs(TEST):
        if one.net == series.net and one.weight is None and "acc" in one.name.lower():
            before = [point.value for point in one.finite if point.iteration <= best.iteration][-1:]
            last = median(point.value for point in one.finite[-3:]) if one.finite else 0.0
            if before and last >= before[0] > 0:
                so = "so the net is only surer of its mistakes"
                return f"but {called(one)} goes from {number(before[0])} to {number(last)}, {so}"
    return ""
