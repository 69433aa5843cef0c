from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import BACKWARD, BLOB, PARAM, UPDATE, NonFinite, Run, SmokeRule

from ._advice import advice
from ._cause import too_large
from ._evidence import evidence, subject
from ._example import CALM, losses, project
from ._words import HUGE, amount, because, largest_read, read, value, when


class NonFiniteBackward(SmokeRule):
    """The backward pass or the update of a training run gives nan or inf, although the forward pass is finite.

    ## Why is this bad?
    The loss still looks fine in that iteration; then the update makes weights nan, and with them the next loss. The
    finding names the first layer, in the order of the backward pass, that wrote such a gradient; for an update, the
    first layer whose weights are not finite after it although their gradients were.

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
            message='Log "log": the backward pass gives nan in 4 of 80 values of the gradient of "fc" before the first'
            " update",
        ),
        Invalid(
            project(NonFinite(0, 0, UPDATE, "fc", PARAM, "0", 40, 0, 40, 0, 0, 10, {})),
            span="layer",
            message='InnerProduct "fc": the update in iteration 0 makes parameter blob 0 nan in all 40 values,'
            " although its gradient is finite",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            if event.where not in (BACKWARD, UPDATE):
                continue
            layer = run.layer(event.layer, event.net)
            of = subject(run, event.layer, event.net)
            if event.where == UPDATE:
                happened = f"{of}: the update in iteration {event.iteration} makes parameter blob {event.name}"
                message = f"{happened} {amount(event)}, although its gradient is finite"
                cause = too_large(run, event.iteration + 1)
            else:
                blob = f'"{event.name}"' if event.kind == BLOB else f"parameter blob {event.name}"
                happened = f"{of}: the backward pass gives"
                message = f"{happened} {amount(event)} of the gradient of {blob} {when(event)}"
                own = advice(layer.type).backward.text if layer and largest_read(event) < HUGE else ""
                cause = Cause("layer", "", own) if own else because(run, event)
            known = run.known([event.layer], ("power-gradient-at-zero", "adaptive-parameter-out-of-range"))
            what = f"{happened} {value(event)}"
            cause = cause._replace(what=what, known=(*known, *(one for one in cause.known if one not in known)))
            yield self.finding(
                run.place(event.layer, event.net),
                message,
                evidence=evidence(read(event), cause.why, known=cause.known, ruled_out=cause.ruled_out),
                cause=cause,
            )
