from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Compared, Run, SmokeRule

from ._evidence import subject
from ._example import project
from ._numbers import number

_AGREE = Compared("cpu", "cuda:0", "", -1, "", "", 2e-6, 0.0, 2e-6, (0.0, 0.0), -1, 1e-6, [])
_PART = _AGREE._replace(distance=0.25, noise=3e-7, shown=(2.0, 2.5))


class RunsPart(SmokeRule):
    """Two runs from the same weights and data compute different values.

    ## Why is this bad?
    Engines and devices add in different orders, so all runs differ in the last digits, and training makes that grow.
    How far is measured in another run, from weights that differ by a millionth. Values that differ by much more are
    computed in another way: a layer of a fork, another version of a library, a Python layer that keeps state, or broken
    hardware.

    ## References
    - solver.cpp, Step; caffelint smoke --compare
    """

    code = "X115"
    name = "runs-part"
    severity = WARNING
    VALID = [project(_AGREE)]
    INVALID = [
        Invalid(
            project(_PART._replace(stage="forward", layer="fc", name="fc", before=1e-7)),
            span="layer",
            message='InnerProduct "fc": cpu and cuda:0 differ in the forward pass: the largest difference in "fc" is'
            " 2 against 2.5, 25% of its largest value",
        ),
        Invalid(
            project(_PART._replace(stage="backward", layer="log", name="fc", before=1e-7)),
            span="layer",
            message='Log "log": cpu and cuda:0 differ in the backward pass: the largest difference in the gradient of'
            ' "fc" is 2 against 2.5, 25% of its largest value',
        ),
        Invalid(
            project(_PART._replace(stage="update", iteration=0, layer="fc", name="0", before=1e-7)),
            span="layer",
            message='InnerProduct "fc": cpu and cuda:0 differ in update 0: the largest difference in the change of'
            " parameter 0 is 2 against 2.5, 25% of its largest value; all gradients agree, so the solvers differ",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Compared):
            if not event.stage:
                continue
            where, what = {
                "forward": ("the forward pass", f'"{event.name}"'),
                "backward": ("the backward pass", f'the gradient of "{event.name}"'),
                "gradient": ("the backward pass", f"the gradient of parameter {event.name}"),
                "update": (f"update {event.iteration}", f"the change of parameter {event.name}"),
            }[event.stage]
            differ = f"{subject(run, event.layer)}: {event.first} and {event.second} differ in {where}"
            message = f"{differ}: {_largest(event, what)}"
            if event.stage == "update" and event.iteration == 0:
                message += "; all gradients agree, so the solvers differ"
            evidence = (
                f"rounding alone makes a difference of {event.noise:.1e} there, and everything computed before agrees"
                f" within {event.before:.1e}"
            )
            yield self.finding(run.place(event.layer), message, evidence=evidence, cause=Cause("unknown", differ))


def _largest(event: Compared, what: str) -> str:
    """The largest difference. Where there is none in numbers, one value is not finite or the shapes differ."""
    first, second = event.shown
    if math.isinf(event.distance) and math.isfinite(first) and math.isfinite(second):
        return f"{what} has {first:.0f} values against {second:.0f}"
    text = f"the largest difference in {what} is {number(first)} against {number(second)}"
    if math.isinf(event.distance):
        return text
    share = f"{event.distance:.3g} times" if event.distance > 1 else f"{100 * event.distance:.2g}% of"
    return f"{text}, {share} its largest value"
