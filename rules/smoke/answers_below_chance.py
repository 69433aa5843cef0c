from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Crossed, Event, Run, SmokeRule, Targets, Tested, beats_constant, below_chance

from ._evidence import worded
from ._example import NET, losses, project

_FALLS = (2.3, 2.3, 2.2, 2.2, 2.1, 2.0, 1.8, 1.6, 1.4, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2)
_AGREE = 0.6
"""Of the records of TEST, how many have the label of the nearest ones of TRAIN."""
_COUNTED = (
    NET + 'layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label" top: "acc" include { phase: TEST } }'
)
_SOLVER = 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed" test_iter: 50 test_interval: 100\n'
_SHARES = [0.1] * 10


def _run(accuracy: float, *more: Event, passes: int = 50, shares: Sequence[float] = _SHARES) -> dict[str, str]:
    test = Tested(1, passes, 3.2, {"acc": accuracy}, False)
    labels = [Targets("label", 2.302585, float("nan"), float("nan"), net, (), shares) for net in (0, 1)]
    return project(*losses(*_FALLS), test, *labels, *more, net=_COUNTED, solver=_SOLVER)


class AnswersBelowChance(SmokeRule):
    """The net has learned its loss, and answers worse than any answer that is always the same.

    ## Why is this bad?
    Who guesses is right as often as a label occurs; who is right less often knows the answers and gives others. The
    loss rewards them, as an InfogainLoss whose H holds costs in place of gains, or the labels of TEST are
    numbered otherwise than those of TRAIN.

    ## Known problems
    It is told only where each label occurs in TEST, and where so few right answers are no chance. Nets that keep
    statistics of batches are not judged.

    ## References
    - infogain_loss_layer.cpp, Forward_cpu; accuracy_layer.cpp; run on Caffe 1.0 with a matrix of costs
    """

    code = "X138"
    name = "answers-below-chance"
    severity = WARNING
    certainty = LIKELY
    # Right often enough; too few records to tell; a label that does not occur.
    VALID = [_run(0.06), _run(0.01, passes=10), _run(0, shares=[*_SHARES, 0])]
    INVALID = [
        Invalid(
            _run(0.01),
            span="layer",
            message='"acc" finds 1% of 400 records of TEST right, and an answer that is always the same at least 10%:'
            ' the net has learned its loss, so what SoftmaxWithLoss "loss" rewards is not what "acc" counts as right,'
            " or TEST is coded otherwise than TRAIN",
        ),
        Invalid(
            _run(0.01, Crossed("label", 1, 400, 0.9, 0.1, "", float("nan"), [])),
            span="layer",
            message='"acc" finds 1% of 400 records of TEST right, and an answer that is always the same at least 10%:'
            ' the net has learned its loss, and the nearest records of TRAIN have the same "label" in 90% of cases, so'
            ' what SoftmaxWithLoss "loss" rewards is not what "acc" counts as right',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        found = below_chance(run) if beats_constant(run) else None
        crossed = next((one for one in run.all(Crossed) if found is not None and one.net == found.net), None)
        if found is None or (crossed is not None and crossed.how) or not run.loss_layers:
            return  # train-test-disagree says in what TEST differs
        loss, top = run.loss_layers[0], found.layer.tops[0].name
        what = (
            f'"{top}" finds {_share(found.accuracy)} of {found.records:,} records of TEST right, and an answer that is'
        )
        what += f" always the same at least {_share(found.least)}"
        why, so = "the net has learned its loss", f'what {title(loss)} rewards is not what "{top}" counts as right'
        if crossed is not None and crossed.agree > _AGREE:
            why += (
                f', and the nearest records of TRAIN have the same "{crossed.name}" in {_share(crossed.agree)} of cases'
            )
        else:
            so += ", or TEST is coded otherwise than TRAIN"
        cause = Cause("loss", what, f"{why}, so {so}", LIKELY, known=run.known([loss.name]))
        remedy = "look for a sign, a weight or a matrix the wrong way round, and at what both read"
        yield worded(self, run.place(loss.name), cause, remedy)


def _share(share: float) -> str:
    return f"{100 * share:.2g}%"
