"""Causes of findings, as values from which verdicts and reports are printed."""

from __future__ import annotations

from typing import Literal

from caffelint.caffe.place import Place
from caffelint.lint.finding import CERTAIN
from caffelint.text.records import NamedTuple

CauseKind = Literal[
    "data",
    "labels",
    "input-scale",
    "start",
    "fillers",
    "weights",
    "statistics",
    "layer",
    "rate",
    "schedule",
    "momentum",
    "iter-size",
    "delta",
    "weight-decay",
    "clip-gradients",
    "loss",
    "loss-weight",
    "target-scale",
    "depth",
    "lr-mult",
    "refusal",
    "engine",
    "gpu",
    "memory",
    "time",
    "crash",
    "python-layer",
    "phases",
    "unknown",
]
"""What is to blame. `start`: what a net reads or begins with, before any update. `layer`: what the layer's type does
with such values. `loss`: it is 0, has no bound, or is not a loss. `phases`: TRAIN and TEST differ."""


class Suggested(NamedTuple):
    """A value to try: of a field of the solver, or of a layer where `layer` names one."""

    field: str
    value: float
    layer: str = ""

    @property
    def text(self) -> str:
        """As it is written in a prototxt: `base_lr: 0.01`."""
        return f"{self.field}: {self.value:.10g}"


class Known(NamedTuple):
    """What a rule that looks at the text says of the same."""

    name: str
    file: str
    line: int | None
    message: str

    @property
    def where(self) -> str:
        return f"{self.name} at {self.file}:{self.line}"


class Cause(NamedTuple):
    """what: what happened, in short. why: the reason and the remedy, "" where neither is known.

    certainty: of the cause, that of the finding is of what happened. place: where the cause is, None for the finding's
    own place. known: what rules of the text say of it. suggested: the value that would mend it, where there is one.
    ruled_out: what experiments showed not to be the cause, each with what came of it.
    """

    kind: CauseKind
    what: str
    why: str = ""
    certainty: str = CERTAIN
    place: Place | None = None
    known: tuple[Known, ...] = ()
    suggested: Suggested | None = None
    ruled_out: tuple[str, ...] = ()


class ReportedCause(NamedTuple):
    """A cause in plain values; `file` and `line` as in `ReportedFinding`."""

    kind: str
    what: str
    why: str
    certainty: str
    file: str
    line: int | None
    known: tuple[Known, ...] = ()
    suggested: Suggested | None = None
    ruled_out: tuple[str, ...] = ()
