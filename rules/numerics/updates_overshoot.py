from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.numerics import OVERSHOOT, fault, judged, least, number, remedy

from ._words import mend, net, place
from ._words import solver as solved

_SCORES = net("transform_param { scale: 0.00390625 }").replace("num_output: 10", "num_output: 1")
_DISTANCE = _SCORES.replace("SoftmaxWithLoss", "EuclideanLoss")
_HANDED_OVER = (
    'layer { name: "d" type: "Input" top: "d" top: "l" input_param { shape { dim: 64 dim: 900 }'
    ' shape { dim: 64 dim: 9 } } } layer { name: "f" type: "InnerProduct" bottom: "d" top: "f"'
    ' inner_product_param { num_output: 9 weight_filler { type: "xavier" } } }'
    ' layer { name: "loss" type: "EuclideanLoss" bottom: "f" bottom: "l" }'
)


class UpdatesOvershoot(ProjectRule):
    """Each update overshoots the targets of a EuclideanLoss by more than it missed them.

    How steep such a loss is as the weights see it follows from the shapes, the range of the data and the size of the
    weights: that of the fillers, or more, where the targets are known and the scores have to grow to spread as much;
    halfway between both, where weights may reach them by turning towards their inputs. Gradient descent bears a rate of
    2 divided by it, and momentum 1 + itself times as much.

    ## Why is this bad?
    The outputs swing around the targets, further with each update, until the loss is nan.

    ## Known problems
    Data that the text does not describe are taken to be about 1, and then only updates at least 4 times too large are
    reported, or 100 times where a program or HDF5 files hand them over. Nothing is said of records that a script of the
    project makes of floats. Weights that are loaded are not known: a net that shows a sign of them is not judged, nor
    is one with Python layers on its way. Only SGD and Nesterov without clip_gradients are judged. Of recurrent nets
    only what follows the recurrent layers counts, since gates bound what updates can do.

    ## References
    - Y. LeCun et al., Efficient BackProp, 1998: the largest rate of gradient descent
    - S. Du et al., Algorithmic regularization in learning deep homogeneous models, 2018: layers grow in proportion
    - euclidean_loss_layer.cpp; random projects on Caffe 1.0
    """

    code = "N106"
    name = "updates-overshoot"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": solved(0.0001), "n.prototxt": _DISTANCE},
        # Numbers of any size, 29 times too large if they are about 1.
        {"s.prototxt": solved(0.1), "n.prototxt": _HANDED_OVER},
        {"s.prototxt": solved(0.5, "momentum: 0.9 clip_gradients: 1"), "n.prototxt": _DISTANCE},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(0.04), "n.prototxt": _DISTANCE},
            span="base_lr: 0.04",
            message='the rate is 5.4 times the largest at which updates approach the targets of "loss", so training may'
            " diverge; try base_lr: 0.001",
            fixed={"s.prototxt": solved(0.001), "n.prototxt": _DISTANCE},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != OVERSHOOT:
            return
        best = found.cures[0]
        what = (
            f"the rate is {least(found)}{number(found.size)} times the largest at which updates approach the targets of"
            f' "{found.layer.name}"'
        )
        why = f"training may diverge; {remedy(best)}"
        yield self.finding(
            place(solver, best, found.layer),
            f"{what}, so {why}",
            cause=fault(found, what, why, "rate"),
            fixes=mend(solver, best),
        )
