from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import BLOB, DATA, Run, SmokeRule, Statistics, classes

from ._example import CALM, losses, project
from ._numbers import number

_MANY = 8


def _labels(iteration: int, value: float) -> Statistics:
    return Statistics(iteration, "data", BLOB, "label", DATA, value, value, value, 0, 0)


class ConstantLabels(SmokeRule):
    """Every label of the run was the same.

    ## Why is this bad?
    The net learns to give that one answer whatever its input: the loss falls to 0, the accuracy is 1, and nothing is
    learned. The labels were lost when the data was converted, or the images are sorted by class and not shuffled.

    ## Known problems
    Synthetic labels are not judged. Neither is a net with several losses, which may need constant labels, as a
    generative adversarial net does.

    ## References
    - BVLC/caffe issues 5127 and 2343
    """

    code = "X116"
    name = "constant-labels"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _labels(-1, 3), _labels(5, 4)),
        project(*losses(*CALM), Statistics(-1, "data", BLOB, "label", DATA, 0, 9, 4.5, 3, 0.1)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _labels(-1, 3), _labels(5, 3)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": every label is 3, so the net learns to give that answer for any input',
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic or len(run.loss_layers) != 1 or len(run.iterations) < 2:
            return
        layer = run.loss_layers[0]
        if (classes(layer) or 0) < 2:
            return
        name, shape = layer.bottoms[1].original.name, layer.bottoms[1].shape
        seen = [event for event in run.all(Statistics) if (event.kind, event.part, event.name) == (BLOB, DATA, name)]
        count = len(seen) * math.prod(shape or (1,))
        if count < _MANY or len({end for event in seen for end in (event.min, event.max)}) != 1:
            return
        value = seen[0].min
        loss = layer.message.loss_param
        if loss.HasField("ignore_label") and loss.ignore_label == value:
            return
        if not 0 <= value < (classes(layer) or 0):
            return
        what = f"{title(layer)}: every label is {number(value)}"
        reason = f"{count} labels read; conversion may have lost them, or the data is sorted by class and not shuffled"
        effect = "so the net learns to give that answer for any input"
        yield self.finding(
            run.place(layer.name, 0, "bottom", 1),
            f"{what}, {effect}",
            evidence=reason,
            cause=Cause("labels", what, reason, LIKELY),
        )
