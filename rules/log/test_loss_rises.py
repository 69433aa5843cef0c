from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import TEST, LogEvidence, LogRule, constant, worse_tested
from caffelint.lint import LIKELY, WARNING, Finding, Invalid

from ._example import FALLING, SOUND, losses
from ._words import called, joined, number


def _tested(values: list[float], name: str = "loss", weighted: bool = True) -> str:
    """A test after every other display."""
    text = ""
    shown = losses(FALLING).splitlines()
    for index, value in enumerate(values):
        at = f"I1122 13:11:{index:02d}.00 17644"
        text += "\n".join(shown[6 * index : 6 * index + 6]) + "\n"
        text += f"{at} solver.cpp:347] Iteration {20 * index + 10}, Testing net (#0)\n"
        weight = f" (* 1 = {value} loss)" if weighted else ""
        text += f"{at} solver.cpp:414]     Test net output #0: {name} = {value}{weight}\n"
    return text


class TestLossRises(LogRule):
    """The test loss rises while the training loss still falls: the net learns its training data by heart.

    ## Why is this bad?
    The last snapshot is worse than an earlier one. Stop there, or give the net less room: more data or augmentation,
    weight_decay, Dropout, fewer parameters.
    """

    code = "T106"
    name = "test-loss-rises"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, _tested([2.2, 1.8, 1.4, 1.2, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5])]
    INVALID = [
        Invalid(
            _tested([2.2, 1.8, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4, 2.5]),
            span="I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #0: loss = 1.4 (* 1 = 1.4 loss)",
            message='test output "loss" rises from 1.4 in iteration 50 to 2.4, while the training loss falls by 76 %;'
            " stop there, or add data, weight_decay or Dropout",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            found = None if log.bad_first(run) else worse_tested(run)
            if found is None:
                continue
            series, best, last, share = found
            what = f"{called(series)} rises from {number(best.value)} in iteration {best.iteration} to {number(last)}"
            what += f", while the training loss falls by {share:.0%}".replace("%", " %")
            snapshot = log.sound_snapshot(run, best.iteration + 1)
            near = f"the snapshot of iteration {snapshot.iteration} is nearest: {snapshot.path}" if snapshot else ""
            message = joined(what, "stop there, or add data, weight_decay or Dropout")
            yield self.finding(log.at(best.line), message, evidence=near)


class AccuracyStuck(LogRule):
    """A test net gives exactly the same accuracy in every test.

    ## Why is this bad?
    It gives every image the same class: the weights are nan, the net is dead, or it is tested on one label. Caffe's
    Accuracy counts a nan as right where it stands first, so that it may even look good.

    ## References
    - accuracy_layer.cpp, Forward_cpu
    """

    code = "T107"
    name = "accuracy-stuck"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, _tested([0.1, 0.3, 0.5, 0.6, 0.7, 0.8], "accuracy", False)]
    INVALID = [
        Invalid(
            _tested([0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "accuracy", False),
            span="I1122 13:11:00.00 17644 solver.cpp:414]     Test net output #0: accuracy = 0.1",
            message='test output "accuracy" is 0.1 in each of 6 tests, so the net gives the same answer whatever it'
            " sees",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            for series in run.outputs(TEST):
                value = constant(series)
                if value is None or not 0 < value < 1 or series.weight is not None:
                    continue
                what = f"{called(series)} is {number(value)} in each of {series.count} tests, so the net gives the same"
                yield self.finding(log.at(series.points[0].line), f"{what} answer whatever it sees")
                break
