from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.numerics import ALIKE, fault, judged, number, remedy

from ._words import mend, place
from ._words import solver as solved

_DEEP = (
    'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { batch_size: 32 new_height: 28'
    ' new_width: 28 source: "list" } transform_param { scale: 0.00390625 mean_value: 115 } }\n'
    + "".join(
        f'layer {{ name: "fc{n}" type: "InnerProduct" bottom: "{"data" if n == 1 else f"fc{n - 1}"}" top: "fc{n}"'
        f' inner_product_param {{ num_output: 64 weight_filler {{ type: "xavier" }} }} }}\n'
        f'layer {{ name: "act{n}" type: "%s" bottom: "fc{n}" top: "fc{n}" }}\n'
        for n in range(1, 9)
    )
    + 'layer { name: "fc9" type: "InnerProduct" bottom: "fc8" top: "fc9" inner_product_param { num_output: 10'
    ' weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc9" bottom: "label" top: "loss" }'
)


class SamplesLookAlike(ProjectRule):
    """Next to nothing of the scores depends on the sample.

    ## Why is this bad?
    The signal vanishes on its way through the net, in a row of sigmoids or behind fillers that are far too small, until
    all samples give the same scores. The gradient then says how often each class occurs, and nothing else: the loss
    stays at that of guessing.

    ## Known problems
    Data that the text does not describe are taken to be about 1. Weights that are loaded are not known: a net that
    shows a sign of them is not judged, nor is one with Python layers on its way.

    ## References
    - Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010
    - Of 250 random projects on Caffe 1.0 that nothing was tuned with, none of the 7 that are reported learned
    """

    code = "N103"
    name = "samples-look-alike"
    severity = WARNING
    certainty = LIKELY
    VALID = [{"s.prototxt": solved(0.01), "n.prototxt": _DEEP.replace("%s", "ReLU").replace("xavier", "msra")}]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(0.01), "n.prototxt": _DEEP.replace("%s", "Sigmoid")},
            span="layer",
            message='the scores that "loss" reads differ between samples by 1.9e-11 of their size, so the net may learn'
            " nothing; use ReLU in place of Sigmoid, normalise, or draw larger weights",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != ALIKE:
            return
        best = found.cures[0] if found.cures else None
        what = (
            f'the scores that "{found.layer.name}" reads differ between samples by {number(found.size)} of their size'
        )
        why = (
            f"the net may learn nothing; {remedy(best)}"
            if best
            else ("the net may learn nothing; use ReLU in place of Sigmoid, normalise, or draw larger weights")
        )
        at = place(solver, best, found.layer)
        yield self.finding(
            at,
            f"{what}, so {why}",
            cause=fault(found, what, why, "depth"),
            fixes=mend(solver, best),
        )
