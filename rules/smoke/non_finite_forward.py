from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid
from caffelint.smoke.rule import BLOB, FORWARD, NonFinite, Run, SmokeRule

from ._evidence import evidence
from ._example import CALM, losses, project
from ._words import amount, because, read, value, when


class NonFiniteForward(SmokeRule):
    """In the forward pass of a training run a layer gave nan or inf.

    ## Why is this bad?
    One such value reaches the loss, the loss every gradient, and the first update every weight: from then on nothing is
    learnt, and Caffe goes on to the last iteration without a word.

    The layer that is named is the first, in Caffe's order, whose output was not finite while the run had been up to
    there; what it read is told. Before the first update the rate cannot be the cause: data, fillers and BatchNorm are.

    ## References
    - net.cpp, ForwardFromTo; solver.cpp, Step, which never looks at the loss
    - BVLC/caffe issues 409 and 5986
    """

    code = "X101"
    name = "non-finite-forward"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(NonFinite(-1, 0, FORWARD, "log", BLOB, "log", 0, 41, 80, -3.2, 0.9, 0, {"fc": (0.0, 2.4, 0)})),
            span="layer",
            message='before the first update the forward pass of "log" (Log) gives inf in 41 of 80 values of "log"',
        ),
        Invalid(
            project(
                *losses(2.3, 80.1, 7e8),
                NonFinite(3, 0, FORWARD, "fc", BLOB, "fc", 2, 78, 80, 0, 0, 10, {"data": (-2.0, 2.0, 0)}),
            ),
            span="layer",
            message='in iteration 3 the forward pass of "fc" (InnerProduct) gives nan and inf in all 80 values of "fc"',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            if event.where == FORWARD:
                layer = run.layer(event.layer, event.net)
                kind = f" ({layer.type})" if layer else ""
                phase = " of the TEST net" if event.net else ""
                time = "after training" if event.net else when(event)
                pass_of = f'{time} the forward pass of "{event.layer}"{kind}{phase} gives'
                cause = because(run, event)
                known = run.known([event.layer])
                known = (*known, *(one for one in cause.known if one not in known))
                yield self.finding(
                    run.place(event.layer, event.net),
                    f'{pass_of} {amount(event)} of "{event.name}"',
                    evidence=evidence(read(event), cause.why, known=known),
                    cause=cause._replace(what=f"{pass_of} {value(event)}", known=known),
                )
