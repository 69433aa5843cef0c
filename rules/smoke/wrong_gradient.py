from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import BLOB, PARAM, Gradient, Run, SmokeRule

from ._example import project
from ._numbers import number

_RIGHT = Gradient("log", BLOB, "fc", 24, 0, 2, (3, 1), 0.5, 0.5001, 1.0, False, False, "")
_WRONG = _RIGHT._replace(wrong=24, analytic=0.5, numeric=0.25, factor=2.0)


class WrongGradient(SmokeRule):
    """A layer's backward does not give the gradient of its forward.

    ## Why is this bad?
    The solver then follows something else than the loss: training is slow, or stops, or diverges, and nothing says why.
    What is compared is the layer alone, at what it reads in the first pass: each value is moved a little to both sides,
    and the tops' answer is measured. Values at which the forward bends are left out. A layer that is meant to give
    another gradient, one that reverses or scales it or rounds going forward, is shown here, too.

    ## References
    - test_gradient_check_util.hpp, CheckGradientSingle; caffelint smoke --gradcheck
    """

    code = "X117"
    name = "wrong-gradient"
    severity = WARNING
    certainty = LIKELY
    VALID = [project(_RIGHT), project(_RIGHT._replace(checked=0, kinks=24, skipped="the forward bends"))]
    INVALID = [
        Invalid(
            project(_WRONG),
            span='bottom: "fc"',
            message='the backward of "log" (Log) is wrong for "fc" in all 24 values checked: at [3, 1] it gives 0.5,'
            " and the forward has a slope of 0.25; it is 2 times too large",
        ),
        Invalid(
            project(_WRONG._replace(kind=PARAM, layer="fc", name="0", wrong=5, factor=math.nan)),
            span="layer",
            message='the backward of "fc" (InnerProduct) is wrong for parameter 0 in 5 of 24 values checked: at [3, 1]'
            " it gives 0.5, and the forward has a slope of 0.25",
        ),
        Invalid(
            project(_WRONG._replace(analytic=0.0, zero=True, factor=0.0)),
            span='bottom: "fc"',
            message='the backward of "log" (Log) is wrong for "fc" in all 24 values checked: at [3, 1] it gives 0, and'
            " the forward has a slope of 0.25; it is 0 everywhere",
        ),
        Invalid(
            project(_WRONG._replace(checked=1, wrong=1, at=(), analytic=60.0, numeric=30.0)),
            span='bottom: "fc"',
            message='the backward of "log" (Log) is wrong for "fc" as a whole: summed up it gives 60, and the forward'
            " has a slope of 30; it is 2 times too large",
        ),
        Invalid(
            project(_RIGHT._replace(stale=True)),
            span='bottom: "fc"',
            message='the backward of "log" (Log) does not set the gradient of "fc": what stood there before stays or is'
            " added to; write bottom diffs with =, and all of them",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Gradient):
            if not event.wrong and not event.stale:
                continue
            layer = run.layer(event.layer)
            kind = f" ({_type(layer)})" if layer else ""
            place = run.place(event.layer)
            if event.kind == BLOB and layer is not None and layer.message is not None:
                bottoms = list(layer.message.bottom)
                if event.name in bottoms:
                    place = run.place(event.layer, 0, "bottom", bottoms.index(event.name))
            of = f'the backward of "{event.layer}"{kind}'
            if event.stale:
                what = f'{of} does not set the gradient of "{event.name}"'
                why = "what stood there before stays or is added to; write bottom diffs with =, and all of them"
                message = f"{what}: {why}"
            else:
                what = f"{of} is wrong for " + (f'"{event.name}"' if event.kind == BLOB else f"parameter {event.name}")
                share = f"all {event.checked}" if event.wrong == event.checked else f"{event.wrong} of {event.checked}"
                where = f"in {share} values checked: at {list(event.at)}" if event.at else "as a whole: summed up"
                why = f"it gives {number(event.analytic)}, and the forward has a slope of {number(event.numeric)}"
                why += _pattern(event)
                message = f"{what} {where} {why}"
            yield self.finding(place, message, cause=Cause("layer", what, why))


def _type(layer: object) -> str:
    message, kind = layer.message, layer.type  # type: ignore[attr-defined]
    return f"{message.python_param.module}.{message.python_param.layer}" if kind == "Python" else str(kind)


def _pattern(event: Gradient) -> str:
    """What is wrong with it all over."""
    factor = event.factor
    if event.zero:
        return "; it is 0 everywhere"
    if math.isnan(factor) or not factor:
        return ""
    if abs(factor + 1) < 0.03:
        return "; its sign is wrong"
    turned = "; its sign is wrong, and it" if factor < 0 else "; it"
    if abs(factor) > 1:
        return f"{turned} is {abs(factor):.3g} times too large"
    return f"{turned} is {1 / abs(factor):.3g} times too small"
