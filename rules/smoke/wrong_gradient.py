from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import BLOB, PARAM, Gradient, Run, SmokeRule

from ._example import project
from ._gradient import in_words

_RIGHT = Gradient("log", BLOB, "fc", 24, 0, 2, (3, 1), 0.5, 0.5001, 1.0, False, False, "")
_WRONG = _RIGHT._replace(wrong=24, analytic=0.5, numeric=0.25, factor=2.0)


class WrongGradient(SmokeRule):
    """A layer's backward pass does not compute the gradient of its forward pass.

    ## Why is this bad?
    The solver then follows something other than the loss: training is slow, stalls or diverges, and nothing says why.
    Each layer is compared alone, on its input in the first pass: each value is moved a little to both sides, and the
    change of the tops is measured. Values at which the forward pass has a kink are left out. A layer that gives another
    gradient on purpose, because it reverses or scales it, is reported, too; of one whose forward pass rounds or
    compares, that is an info.

    ## References
    - test_gradient_check_util.hpp, CheckGradientSingle; caffelint smoke --gradcheck
    """

    code = "X117"
    name = "wrong-gradient"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(_RIGHT),
        project(_RIGHT._replace(checked=0, kinks=24, skipped="the forward has a kink at every value that was tried")),
    ]
    INVALID = [
        Invalid(
            project(_WRONG),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong in all 24 values checked: at [3, 1] backward gives 0.5,'
            " but the slope of forward is 0.25; it is 2 times too large",
        ),
        Invalid(
            project(_WRONG._replace(kind=PARAM, layer="fc", name="0", wrong=5, factor=math.nan)),
            span="layer",
            message='InnerProduct "fc": the gradient of parameter blob 0 is wrong in 5 of 24 values checked: at [3,'
            " 1] backward gives 0.5, but the slope of forward is 0.25",
        ),
        Invalid(
            project(_WRONG._replace(analytic=0.0, zero=True, factor=0.0)),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong in all 24 values checked: at [3, 1] backward gives 0, but'
            " the slope of forward is 0.25; it is 0 everywhere",
        ),
        Invalid(
            project(_WRONG._replace(checked=1, wrong=1, at=(), analytic=60.0, numeric=30.0)),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong as a whole: summed up, backward gives 60, but the slope'
            " of forward is 30; it is 2 times too large",
        ),
        Invalid(
            project(_WRONG._replace(wrong=5, factor=math.nan, also=(0.1, -0.4), also_at=(0, 2))),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong in 5 of 24 values checked: at [3, 1] backward gives 0.5,'
            " but the slope of forward is 0.25; at [0, 2] it gives 0.1 for -0.4, another factor there",
        ),
        Invalid(
            project(_WRONG._replace(factor=math.nan, also=(0.25, 0.5), also_at=(3, 1), about="label")),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong in all 24 values checked: at [3, 1] backward gives 0.5,'
            ' but the slope of forward is 0.25; with all values on the other side of "label" it gives 0.25 for 0.5,'
            " another factor there",
        ),
        Invalid(
            project(_RIGHT._replace(kept=True)),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is another one in each pass, though what it reads is the same: it'
            " adds to what earlier passes left in self; assign that with = in each forward",
        ),
        Invalid(
            project(_RIGHT._replace(stale=True)),
            span='bottom: "fc"',
            message='Log "log": backward does not set the gradient of "fc": it keeps old values or adds to them;'
            " assign every bottom diff with =",
        ),
        Invalid(
            project(_RIGHT._replace(stale=True, zero=True, wrong=24)),
            span='bottom: "fc"',
            message='Log "log": backward writes no gradient of "fc", so nothing before it learns from what comes after;'
            " write the derivative to bottom[0].diff",
        ),
        Invalid(
            project(_WRONG._replace(overwritten=True)),
            span='bottom: "fc"',
            message='Log "log": the gradient of "fc" is wrong as the layer runs in place: backward computes with its'
            " output where it needs its input, with which the gradient is right; give its top another name",
        ),
        Invalid(
            project(_WRONG._replace(numeric=0.0, factor=math.nan, flat=True)),
            span='bottom: "fc"',
            message='Log "log": forward does not change with "fc", as what rounds or compares does not, but backward'
            " gives 0.5; if that is not meant, let forward change",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Gradient):
            if not event.is_wrong:
                continue
            layer = run.layer(event.layer)
            place = run.place(event.layer)
            if event.kind == BLOB and layer is not None and layer.message is not None:
                bottoms = list(layer.message.bottom)
                if event.name in bottoms:
                    place = run.place(event.layer, 0, "bottom", bottoms.index(event.name))
            what, where, why = in_words(run, event)
            severity = INFO if event.flat else None
            yield self.finding(place, f"{what}{where}{why}", severity=severity, cause=Cause("layer", what, why))
