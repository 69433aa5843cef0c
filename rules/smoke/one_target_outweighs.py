from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from caffelint.lint import WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Run, SmokeRule, Targets

from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._numbers import number

_FAR = 1000.0
"""Times the variance of all others together."""
_NET = NET.replace("SoftmaxWithLoss", "EuclideanLoss").replace("shape { dim: 8 }", "shape { dim: 8 dim: 10 }")
_ALIKE = Targets("label", float("nan"), 0.1, float("nan"), 0, (0.14, 0.14, 0.09))


class OneTargetOutweighs(SmokeRule):
    """One column of the targets varies so much that next to nothing of a loss is of the others.

    ## Why is this bad?
    A EuclideanLoss adds up the squares of all columns. One in pixels, grams or seconds beside others from 0 to 1 is all
    that the gradient follows, and a rate that it bears learns nothing of the others. A smaller loss_weight, or a scale
    for all, does not help these.

    ## Example
    Boxes as `[cx, cy, w, h, area]` with an area of 400 pixels beside fractions of the image.

    Use instead: `area / (width * height)`, when the targets are written.

    ## References
    - euclidean_loss_layer.cpp, Forward_cpu
    """

    code = "X133"
    name = "one-target-outweighs"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _ALIKE, net=_NET),
        # A class and a number, which no distance compares.
        project(*losses(*CALM), _ALIKE._replace(columns=(0.1, 101.0)), net=NET),
        # A column that never changes is learned at once.
        project(*losses(*CALM), _ALIKE._replace(columns=(0.0, 101.0)), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _ALIKE._replace(columns=(0.14, 0.14, 0.09, 101.0)), net=_NET),
            span="layer",
            message='EuclideanLoss "loss": column 3 of its targets "label" varies by 101, and the others by 0.14, so it'
            " is all that the loss follows",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for layer in run.loss_layers:
            target = layer.bottoms[1].original.name if layer.is_distance and len(layer.bottoms) > 1 else ""
            seen = next((one for one in run.all(Targets) if not one.net and one.name == target), None)
            columns = list(seen.columns) if seen is not None else []
            most = max(columns, default=0.0)
            others = [one for one in columns if 0 < one < most]
            if others and most**2 > _FAR * sum(one**2 for one in others):
                varies = f"varies by {number(most)}, and the others by {number(median(others))}"
                what = f'{title(layer)}: column {columns.index(most)} of its targets "{target}" {varies}, so it is all'
                what += " that the loss follows"
                remedy = "its squares are added to theirs; bring it to their scale where the targets are written"
                yield worded(self, run.place(layer.name), Cause("target-scale", what, ""), remedy)
