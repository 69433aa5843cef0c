from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import WEIGHTS, OutOfMemory, Run, SmokeRule

from ._evidence import evidence
from ._example import CALM, losses, project


class DoesNotFit(SmokeRule):
    """The run did not fit into memory.

    ## Why is this bad?
    TRAIN and TEST nets, their gradients, the solver's history and the convolutions' buffers have to fit at the same
    time. A smaller batch is the first remedy: with iter_size the gradient is that of the larger one all the same, save
    for BatchNorm.

    ## References
    - BVLC/caffe issue 6289; syncedmem.cpp
    """

    code = "X108"
    name = "out-of-memory"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(OutOfMemory("error == cudaSuccess (2 vs. 0) out of memory", "cuda:0")),
            span="layer",
            message="it does not fit into the memory of cuda:0: error == cudaSuccess (2 vs. 0) out of memory;"
            " make batch_size smaller, and iter_size larger in turn",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(OutOfMemory):
            remedy = "make batch_size smaller, and iter_size larger in turn"
            if event.most == WEIGHTS:
                remedy = "make the layers smaller"
            device = "this machine" if event.device == "cpu" else event.device
            what, why = f"it does not fit into the memory of {device}", f"{event.message}; {remedy}"
            known = run.known(rules=("memory-exceeded", "blob-too-large"))
            yield self.finding(
                run.nets[0].at(),
                f"{what}: {why}",
                evidence=evidence(known=known),
                cause=Cause("memory", what, why, known=known),
            )
