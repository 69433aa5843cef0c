from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Net,
    Place,
    ProjectRule,
    Solver,
    fix,
    insert_behind,
    replace,
)
from caffelint.lint.half import LARGEST, Overflow, half
from caffelint.lint.numerics import number, remedy

from ._words import mend, net, place
from ._words import solver as solved

_TYPES = "default_forward_type: FLOAT16\ndefault_backward_type: FLOAT16\n"
_DEEP = net(
    between='layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 64'
    ' kernel_size: 5 weight_filler { type: "gaussian" std: %s } } }\n'
    'layer { name: "bend" type: "ReLU" bottom: "conv" top: "conv" }\n'
).replace('bottom: "data" top: "fc"', 'bottom: "conv" top: "fc"')
_SMALL = net("transform_param { scale: 0.00390625 }", 'type: "gaussian" std: 1e-6').replace(
    'top: "loss"', 'top: "loss" loss_weight: 1e-6'
)


class HalfPrecisionRange(ProjectRule):
    """Values, or gradients, of a net in half precision are beyond what float16 holds.

    ## Why is this bad?
    With `default_forward_type: FLOAT16`, NVIDIA's Caffe keeps blobs in half precision, which ends at 65504: what is
    larger is infinite, and the loss nan. With `default_backward_type: FLOAT16` it keeps gradients in it, too, where
    what is below 3e-8 is 0: layers that get only such gradients never learn. `global_grad_scale` makes all gradients
    larger on their way, and divides the updates by it.

    ## Known problems
    It tells of the start of the training only; gradients become smaller as the loss does. Those of a net with
    `global_grad_scale_adaptive` are not judged. Weights that are loaded are not known: a net that shows a sign of them
    is not judged, nor is one with Python layers on its way, or with data of unknown shape.

    ## References
    - IEEE 754-2008, binary16; net.cpp and softmax_loss_layer.cu of NVIDIA/caffe
    - P. Micikevicius et al., Mixed precision training, 2018
    """

    code = "N107"
    name = "half-precision-range"
    severity = WARNING
    certainty = LIKELY
    preview = True
    VALID = [
        {"s.prototxt": solved(0.01), "n.prototxt": _DEEP % "2"},
        {"s.prototxt": solved(0.01), "n.prototxt": _TYPES + _DEEP % "0.1"},
        {"s.prototxt": solved(0.01), "n.prototxt": _TYPES + "global_grad_scale: 1e6\n" + _SMALL},
        {"s.prototxt": solved(0.01), "n.prototxt": _TYPES + "global_grad_scale_adaptive: true\n" + _SMALL},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(0.01), "n.prototxt": _TYPES + _DEEP % "100"},
            span="layer",
            message='the values of "conv" are about 110000, and about 670000 of them are beyond 65504, the largest of'
            ' float16, so they are infinite; the values of "data" are about 130; bring them to about 1 with a scale of'
            " 0.0076",
        ),
        Invalid(
            {"s.prototxt": solved(0.01), "n.prototxt": _TYPES + _SMALL},
            span="default_backward_type: FLOAT16",
            message='the gradients of "fc" are about 9.4e-09, of which float16 makes 100% 0, so nothing is learned of'
            " them; set global_grad_scale: 10000",
            fixed={"s.prototxt": solved(0.01), "n.prototxt": _TYPES + "global_grad_scale: 10000\n" + _SMALL},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        one, trained = half(solver), solver.train_net
        if one is None or trained is None:
            return
        found = one.found
        if isinstance(found, Overflow):
            best = one.cures[0] if one.cures else None
            what = (
                f'the values of "{found.layer.top_names[0]}" are about {number(found.size)}, and about'
                f" {number(found.beyond)} of them are beyond {LARGEST:.0f}, the largest of float16, so they are"
                " infinite"
            )
            yield self.finding(
                place(solver, best, found.layer),
                f"{what}; {remedy(best) if best else 'make them smaller, or keep this layer in FLOAT'}",
                fixes=mend(solver, best),
            )
            return
        names = f'"{found.layers[0].name}"' + (f" and {len(found.layers) - 1} more" if found.layers[1:] else "")
        kept = f"global_grad_scale: {found.scale:g}" if found.scale else "default_backward_type: FLOAT"
        at = trained.at("default_backward_type")
        yield self.finding(
            at,
            f"the gradients of {names} are about {number(found.size)}, of which float16 makes {found.share:.0%} 0, so"
            f" nothing is learned of them; set {kept}",
            fixes=_scaled(trained, at, kept) if found.scale else (),
        )


def _scaled(trained: Net, at: Place, text: str) -> tuple[Fix, ...]:
    if trained.message.HasField("global_grad_scale"):
        return fix(f"set {text}", UNSAFE, (replace(trained.at("global_grad_scale"), text),))
    return fix(f"set {text}", UNSAFE, (insert_behind(at, f"\n{text}"),))
