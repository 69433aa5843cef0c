from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import BUFFERS, WEIGHTS, OutOfMemory, Run, SmokeRule

from ._evidence import worded
from ._example import CALM, losses, project


class DoesNotFit(SmokeRule):
    """The run does not fit into memory.

    ## Why is this bad?
    TRAIN and TEST nets, their gradients, the solver's history and the convolutions' buffers all have to fit at the same
    time. Try a smaller batch first: with iter_size the gradient is still that of the larger one, except for BatchNorm.

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
            message="the run does not fit into the memory of cuda:0: error == cudaSuccess (2 vs. 0) out of memory;"
            " lower batch_size, and raise iter_size so that batch_size * iter_size stays the same",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(OutOfMemory):
            remedy = "lower batch_size, and raise iter_size so that batch_size * iter_size stays the same"
            if event.most == WEIGHTS:
                remedy = "make the layers smaller"
            elif event.most == BUFFERS:
                remedy = "make images or kernels smaller"
            device = "this machine" if event.device == "cpu" else event.device
            what, why = f"the run does not fit into the memory of {device}", f"{event.message}; {remedy}"
            known = run.known(rules=("memory-exceeds-gpu", "blob-too-large"))
            fed = next((one for one in run.built[0].layers if one.batch_size), None) if run.built else None
            place = run.place(fed.name, 0, fed.block, "batch_size") if fed is not None else run.nets[0].at()
            yield worded(self, place, Cause("memory", what, why, known=known))
