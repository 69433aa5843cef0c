from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Mined, Run, SmokeRule

from ._evidence import subject, worded
from ._example import NET, losses, project

_NET = NET.replace(
    'type: "SoftmaxWithLoss"', 'type: "Python" python_param { module: "own" layer: "Loss" } loss_weight: 1'
)
_RIGHT = Mined("loss", "log", "label", 50, 150, 0.0)
_SURE, _MOST = 0.9, 0.5
"""The share of pairs in which what is dropped costs more, and of what is kept: a loss that leaves out a few records,
which may be labelled wrongly, keeps most of them."""


class EasiestKept(SmokeRule):
    """A layer of one's own keeps the records for the loss that cost least, and drops the hardest.

    After a run, each Python loss, and each Python layer that gives a loss its labels or weights, is given scores by
    chance, or values near and far from their targets, in a process of its own. Of records of the same label, or of all
    that have a target, those that it drops (which get no gradient, a label that is ignored, or a weight of 0) are
    compared with those that it keeps.

    ## Why is this bad?
    Hard examples are mined to learn from them. A sort in the wrong order trains on what the net knows, and never on its
    mistakes.

    ## Known problems
    Where a curriculum begins with what is easy, the warning is wrong.
    """

    code = "X139"
    name = "easiest-kept"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(2.3, 2.2), _RIGHT, net=_NET),
        project(*losses(2.3, 2.2), _RIGHT._replace(harder=0.5), net=_NET),
        project(*losses(2.3, 2.2), _RIGHT._replace(harder=1.0, kept=180, dropped=20), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(*losses(2.3, 2.2), _RIGHT._replace(harder=1.0), net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) keeps 50 of 200 records, those that cost least: of two with the same'
            " label the one that it drops costs more in 100% of cases",
        ),
        Invalid(
            project(*losses(2.3, 2.2), _RIGHT._replace(harder=1.0, of_classes=False), net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) keeps 50 of 200 records, those that cost least: of two the one that it'
            " drops costs more in 100% of cases",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Mined):
            layer = run.layer(event.layer)
            count = event.kept + event.dropped
            if layer is None or event.harder < _SURE or event.kept > _MOST * count:
                continue
            own = layer.message.python_param
            what = f"{subject(run, event.layer)} ({own.module}.{own.layer}) keeps {event.kept:,} of {count:,} records,"
            of_two = "of two with the same label" if event.of_classes else "of two"
            what += f" those that cost least: {of_two} the one that it drops costs more in {event.harder:.0%} of cases"
            cause = Cause("python-layer", what, "", LIKELY)
            remedy = "to mine hard examples, keep those of the largest loss: sort in descending order"
            yield worded(self, run.place(event.layer), cause, remedy)
