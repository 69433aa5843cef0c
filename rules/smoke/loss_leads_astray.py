from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Pulled, Run, SmokeRule

from ._astray import astray
from ._evidence import worded
from ._example import NET, losses, project

_HEAD = 'type: "InnerProduct" inner_product_param { num_output: 10 }'
_NET = NET.replace('type: "Log"', _HEAD).replace(
    'type: "SoftmaxWithLoss"', 'type: "Python" python_param { module: "own" layer: "Loss" } loss_weight: 1'
)
_KINDS = ((0, 5, 0, -1, 0.2), (1, 3, 1, -1, 0.2))
_RIGHT = Pulled("loss", "log", "label", 10, 2.3, 1.4, 3.2, 2.5, 2.3, 2.4, _KINDS)


class LossLeadsAstray(SmokeRule):
    """A loss of one's own leads the scores elsewhere than to their labels.

    After a run, each Python loss is given scores that are all alike, in a process of its own. Nothing but its labels
    then tells one place from another. Where the net does not learn, the loss has to fall when the score of each label
    rises, its gradient has to raise the score of the label, and a softmax over classes does not change when all scores
    of a record rise alike. In any net a rare label is not to weigh far less than a frequent one.

    ## Why is this bad?
    The net learns what the loss asks, and its loss may fall well.

    ## Known problems
    Only of losses that compare scores with labels of classes, or with 0 and 1. Where the cost of a mistake is meant to
    grow with how often a label occurs, the warning about weights is wrong.

    ## References
    - caffelint smoke --gradcheck tells whether its backward is the gradient of its forward
    """

    code = "X131"
    name = "loss-leads-astray"
    severity = WARNING
    certainty = LIKELY
    _SIGN = _RIGHT._replace(nearer=3.2, farther=1.4, kinds=((0, 5, -1, 0, 0.2), (1, 3, -1, 1, 0.2)))
    VALID = [
        project(_RIGHT, net=_NET),
        # A label that gives no gradient is ignored; a loss over the pairs of a batch changes either way.
        # Features that are drawn to a centre are no scores.
        project(_RIGHT._replace(kinds=((0, 5, -1, -1, 0.2), (1, 3, -1, 0, 0.9)), nearer=3.2, farther=1.4), net=_NET),
        project(_RIGHT._replace(kinds=((0, 5, -1, -1, 0.0), (1, 3, 1, -1, 0.2)), places=2.6), net=_NET),
        # Neither are distances; an adversary is told to fail; and what learns follows its labels.
        project(
            _SIGN, net=_NET.replace('type: "InnerProduct" inner_product_param { num_output: 10 }', 'type: "AbsVal"')
        ),
        project(_SIGN, net=_NET.replace("loss_weight: 1", "loss_weight: -1")),
        project(*losses(*(9 / (1 + number) for number in range(40))), _SIGN, net=_NET),
        # A focal loss weighs by 3.
        project(_RIGHT._replace(classes=1, kinds=((0, 950, 0, 1, 1.5), (1, 50, 1, 0, 0.5))), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(_RIGHT._replace(places=2.6, columns=2.3), net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) changes when all scores of a record rise alike, and does not when those'
            " of a class rise in all records",
        ),
        Invalid(
            project(_RIGHT._replace(kinds=((0, 5, 9, -1, 0.2), (1, 3, 0, -1, 0.2)), nearer=2.4), net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) raises the scores of other classes: 9 for label 0, 0 for label 1',
        ),
        Invalid(
            project(_SIGN, net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) grows from 2.3 to 3.2 when the scores of the labels rise',
        ),
        Invalid(
            project(_RIGHT._replace(classes=1, kinds=((0, 950, 0, 1, 9.0), (1, 50, 1, 0, 0.5))), net=_NET),
            span="layer",
            message='Python "loss" (own.Loss) weighs label 0, 950 of 1,000 labels, 18 times as much as label 1, 50 of'
            " them",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if found := astray(run):
            cause = Cause("python-layer", found.what, "", LIKELY)
            yield worded(self, run.place(found.event.layer), cause, found.remedy)
