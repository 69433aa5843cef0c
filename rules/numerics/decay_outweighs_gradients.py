from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.numerics import DECAY, fault, judged, number, remedy

from ._words import mend, net, place
from ._words import solver as solved

_SURE = 10.0
"""Times the gradients: what pulls harder is a warning."""
_SCALED = "transform_param { scale: 0.00390625 mean_value: 115 }"


class DecayOutweighsGradients(ProjectRule):
    """weight_decay pulls most weights towards 0 with more force than the loss moves them.

    From the fillers, the shapes and the range of the data follow the sizes of the first gradients. Decay adds
    `weight_decay` times the weight to each; the two are compared.

    ## Why is this bad?
    The weights shrink until the net gives the same scores for all samples, and the loss stays at that of guessing. If
    `weight_decay` is as usual, the gradients are far too small: the signal vanishes on its way through the net, or the
    loss weighs too little. A pull of 10 times the gradients is a warning, a lesser one an info.

    ## Known problems
    Data that the text does not describe are taken to be about 1. Weights that are loaded are not known: a net that
    shows a sign of them is not judged, nor is one with Python layers on its way. Weights whose output is normalised do
    not count: their size is of no effect.

    ## References
    - sgd_solver.cpp, Regularize
    - Of 250 random projects on Caffe 1.0 that nothing was tuned with, 9 of the 10 that are reported did not learn
    """

    code = "N105"
    name = "decay-outweighs-gradients"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": solved(0.01, "weight_decay: 0.0005"), "n.prototxt": net(_SCALED)},
        {"s.prototxt": solved(0.01, 'weights: "a.caffemodel" weight_decay: 9'), "n.prototxt": net(_SCALED)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(0.01, "weight_decay: 2"), "n.prototxt": net(_SCALED)},
            span="weight_decay: 2",
            message="weight_decay 2 pulls the weights of half of the layers at least 3 times as hard as their"
            " gradients,"
            " so the net may learn nothing; set weight_decay: 0.07",
            fixed={"s.prototxt": solved(0.01, "weight_decay: 0.07"), "n.prototxt": net(_SCALED)},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != DECAY:
            return
        best = found.cures[0]
        what = (
            f"weight_decay {number(solver.message.weight_decay)} pulls the weights of half of the layers at least"
            f" {number(found.size)} times as hard as their gradients"
        )
        why = f"the net may learn nothing; {remedy(best)}"
        yield self.finding(
            place(solver, best, found.layer),
            f"{what}, so {why}",
            cause=fault(found, what, why, "weight-decay"),
            severity=INFO if found.assumed or found.size < _SURE else None,
            fixes=mend(solver, best),
        )
