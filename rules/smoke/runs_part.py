from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Compared, Run, SmokeRule

from ._example import project
from ._numbers import number

_AGREE = Compared("cpu", "cuda:0", "", -1, "", "", 2e-6, 0.0, 2e-6, (0.0, 0.0), -1, 1e-6, [])
_PART = _AGREE._replace(distance=0.25, noise=3e-7, shown=(2.0, 2.5))


class RunsPart(SmokeRule):
    """Two runs from the same weights and data compute different things.

    ## Why is this bad?
    Engines and devices add in another order, so all runs differ in the last digits, and training makes that grow: how
    far is measured on another run from weights that differ by a millionth. What parts by much more is computed in
    another way: a layer of a fork, another version of a library, a Python layer that keeps something to itself, or
    hardware that is broken.

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
            message='cpu and cuda:0 part in the forward pass of "fc": "fc" differs by 25 % of its largest value,'
            " 2 and 2.5",
        ),
        Invalid(
            project(_PART._replace(stage="backward", layer="log", name="fc", before=1e-7)),
            span="layer",
            message='cpu and cuda:0 part in the backward pass of "log": the gradient of "fc" differs by 25 % of its'
            " largest value, 2 and 2.5",
        ),
        Invalid(
            project(_PART._replace(stage="update", iteration=0, layer="fc", name="0", before=1e-7)),
            span="layer",
            message='cpu and cuda:0 part in update 0 of "fc": what is taken off its parameter 0 differs by 25 % of its'
            " largest value, 2 and 2.5; all gradients before agree, so the solvers differ",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(Compared):
            if not event.stage:
                continue
            where, what = {
                "forward": ("the forward pass", f'"{event.name}"'),
                "backward": ("the backward pass", f'the gradient of "{event.name}"'),
                "gradient": ("the backward pass", f"the gradient of its parameter {event.name}"),
                "update": (f"update {event.iteration}", f"what is taken off its parameter {event.name}"),
            }[event.stage]
            message = (
                f'{event.first} and {event.second} part in {where} of "{event.layer}": {what} differs by'
                f" {_share(event.distance)} its largest value, {number(event.shown[0])} and {number(event.shown[1])}"
            )
            if event.stage == "update" and event.iteration == 0:
                message += "; all gradients before agree, so the solvers differ"
            evidence = (
                f"rounding alone gives {event.noise:.1e} there, and all that is computed before agrees within"
                f" {event.before:.1e}"
            )
            what = f'{event.first} and {event.second} part in {where} of "{event.layer}"'
            yield self.finding(run.place(event.layer), message, evidence=evidence, cause=Cause("unknown", what))


def _share(distance: float) -> str:
    if distance == float("inf"):
        return "all of"
    return f"{distance:.3g} times" if distance > 1 else f"{100 * distance:.2g} % of"
