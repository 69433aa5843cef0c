from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.depth import VALUES, lost_in_depth
from caffelint.lint.numerics import number, remedy

from ._words import mend, place
from ._words import solver as solved

_DEEP = (
    'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { batch_size: 32 new_height: 28'
    ' new_width: 28 source: "list" } transform_param { scale: 0.0078125 mean_value: 115 } }\n'
    + "".join(
        f'layer {{ name: "fc{n}" type: "InnerProduct" bottom: "{"data" if n == 1 else f"fc{n - 1}"}" top: "fc{n}"'
        f" inner_product_param {{ num_output: 64 weight_filler {{ %s }} }} }}\n"
        f'layer {{ name: "act{n}" type: "ReLU" bottom: "fc{n}" top: "fc{n}" }}\n'
        for n in range(1, 7)
    )
    + 'layer { name: "fc7" type: "InnerProduct" bottom: "fc6" top: "fc7" inner_product_param { num_output: 10'
    " weight_filler { %s } } }\n"
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc7" bottom: "label" top: "loss" }'
)
_OTHERWISE = 'draw the weights by "msra", or normalise'
_SMALL, _MSRA = 'type: "gaussian" std: 0.01', 'type: "msra"'


def _filled(filler: str) -> str:
    return _DEEP.replace("%s", filler)


class SignalLostInDepth(ProjectRule):
    """On the way through the layers, values or gradients fade, or grow, a hundred thousand times.

    ## Why is this bad?
    Each layer with weights multiplies what it reads. With fillers that are a little too small, or too large, or with a
    row of sigmoids, that adds up: what comes out no longer tells one sample from another, or the gradients of the first
    layers are so much smaller or larger than those of the last that no rate suits both. Plain descent (SGD, Nesterov)
    then stays where it is, or blows up.

    ## Known problems
    Solvers that scale each update to its gradients are not judged, nor nets with several losses of very different
    weights. Weights that are loaded are not known: a net that shows a sign of them is not judged, nor is one with
    Python layers on its way, or with data of unknown shape.

    ## References
    - X. Glorot and Y. Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010
    - K. He et al., Delving deep into rectifiers, 2015
    """

    code = "N108"
    name = "signal-lost-in-depth"
    severity = WARNING
    certainty = LIKELY
    preview = True
    VALID = [
        {"s.prototxt": solved(0.01), "n.prototxt": _filled(_MSRA)},
        {"s.prototxt": solved(0.001, 'type: "Adam" momentum: 0.9'), "n.prototxt": _filled(_SMALL)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(0.01), "n.prototxt": _filled(_SMALL)},
            span="weight_filler",
            message='samples differ by 0.44 in "data" and by 1.3e-06 in "fc5", so the net may learn nothing; the'
            ' weights of "fc2" and 6 more begin at about 0.01, 1/18 of the 0.18 that keeps the size of a signal; set'
            ' weight_filler { type: "msra" }',
            fixed={"s.prototxt": solved(0.01), "n.prototxt": _filled(_MSRA)},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        lost = lost_in_depth(solver)
        if lost is None:
            return
        found, cure = lost.found, lost.cure
        before, after = number(found.before), number(found.after)
        if found.what == VALUES:
            what = f'samples differ by {before} in "{found.first.top_names[0]}" and by {after} in "{found.layer.name}"'
            why = "the net may learn nothing"
        else:
            way = "fade" if found.fades else "grow"
            what = f'gradients {way} from {before} at "{found.first.name}" to {after} at "{found.layer.name}"'
            why = "no rate suits both"
        why += f"; {remedy(cure) if cure else lost.otherwise or _OTHERWISE}"
        yield self.finding(
            place(solver, cure, found.layer),
            f"{what}, so {why}",
            cause=Cause("fillers" if cure else "depth", what, why, LIKELY),
            fixes=mend(solver, cure),
        )
