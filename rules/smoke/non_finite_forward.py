from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid
from caffelint.smoke.rule import BLOB, FORWARD, NonFinite, Run, SmokeRule, rose

from ._evidence import evidence, subject
from ._example import CALM, losses, project
from ._words import amount, because, read, value, when


class NonFiniteForward(SmokeRule):
    """A layer gives nan or inf in the forward pass of a training run.

    ## Why is this bad?
    One such value reaches the loss, then every gradient, and with the first update every weight: from then on nothing
    is learned, and Caffe runs to the last iteration without a warning.

    The finding names the first layer, in Caffe's order, whose output is not finite, with the range of its input. Before
    the first update the rate cannot be the cause; data, fillers and BatchNorm can.

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
            message='Log "log": the forward pass gives inf in 41 of 80 values of "log" before the first update',
        ),
        Invalid(
            project(
                *losses(2.3, 80.1, 7e8),
                NonFinite(3, 0, FORWARD, "fc", BLOB, "fc", 2, 78, 80, 0, 0, 10, {"data": (-2.0, 2.0, 0)}),
            ),
            span="layer",
            message='InnerProduct "fc": the forward pass gives nan and inf in all 80 values of "fc" in iteration 3',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            # What broke in TRAIN, diverging tells.
            if event.where == FORWARD and not (event.net and rose(run)):
                phase = " of the TEST net" if event.net else ""
                time = "after training" if event.net else when(event)
                gives = f"{subject(run, event.layer, event.net)}: the forward pass{phase} gives"
                cause = because(run, event)
                known = run.known([event.layer])
                known = (*known, *(one for one in cause.known if one not in known))
                yield self.finding(
                    run.place(event.layer, event.net),
                    f'{gives} {amount(event)} of "{event.name}" {time}',
                    evidence=evidence(read(event), cause.why, known=known, ruled_out=cause.ruled_out),
                    cause=cause._replace(what=f"{gives} {value(event)}", known=known),
                )
