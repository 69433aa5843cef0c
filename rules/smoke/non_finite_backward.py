from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import BACKWARD, BLOB, PARAM, UPDATE, NonFinite, Run, SmokeRule

from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, losses, project
from ._words import HUGE, amount, because, largest_read, read, value, when

_WHY = {
    "Power": "its gradient is power * top / bottom: 0 / 0 where what it reads is 0, save for power 0, 1 and 2;"
    " add a small shift",
    "Eltwise": "with stable_prod_grad: false the gradient of a product divides by the factor; set it to true",
    "Log": "its gradient is 1 / x: keep what it reads away from 0",
    "Sqrt": "its gradient is 1 / (2 sqrt(x)): keep what it reads away from 0",
    "MVN": "it divides by a deviation of 0: raise eps",
}


class NonFiniteBackward(SmokeRule):
    """In the backward pass or the update of a training run nan or inf came up, while the forward pass was finite.

    ## Why is this bad?
    The loss looks well in that iteration; the update then makes weights nan, and the next loss is. The layer that is
    named is the first, in the order of the backward pass, that wrote such a gradient; for an update the first layer
    whose weights are not finite behind it although their gradients were.

    ## References
    - net.cpp, BackwardFromTo; power_layer.cpp, Backward_cpu; sgd_solver.cpp and its like, ComputeUpdateValue
    """

    code = "X102"
    name = "non-finite-backward"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(
                NonFinite(
                    -1, 0, BACKWARD, "log", BLOB, "fc", 4, 0, 80, -1, 1, 0, {"log diff": (-1, 1, 0), "fc": (0, 1, 0)}
                )
            ),
            span="layer",
            message='before the first update the backward pass of "log" (Log) gives nan in 4 of 80 values of the'
            ' gradient of "fc"',
        ),
        Invalid(
            project(NonFinite(0, 0, UPDATE, "fc", PARAM, "0", 40, 0, 40, 0, 0, 10, {})),
            span="layer",
            message='in iteration 0 the update makes parameter 0 of "fc" (InnerProduct) nan in all 40 values, though'
            " its gradient is finite",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            if event.where not in (BACKWARD, UPDATE):
                continue
            layer = run.layer(event.layer, event.net)
            kind = layer.type if layer else ""
            of = f'"{event.layer}"' + (f" ({kind})" if kind else "")
            if event.where == UPDATE:
                what = f"{when(event)} the update makes parameter {event.name} of {of} "
                message = f"{what}{amount(event)}, though its gradient is finite"
                what += value(event)
                cause = too_large(run, event.iteration + 1)
            else:
                blob = f'"{event.name}"' if event.kind == BLOB else f"parameter {event.name}"
                what = f"{when(event)} the backward pass of {of} gives "
                message = f"{what}{amount(event)} of the gradient of {blob}"
                what += value(event)
                own = _WHY.get(kind) if largest_read(event) < HUGE else None
                cause = Cause("layer", "", own) if own else because(run, event)
            known = run.known([event.layer], ("power-gradient-at-zero", "adaptive-parameter-out-of-range"))
            cause = cause._replace(what=what, known=(*known, *(one for one in cause.known if one not in known)))
            yield self.finding(
                run.place(event.layer, event.net),
                message,
                evidence=evidence(read(event), cause.why, known=cause.known),
                cause=cause,
            )
