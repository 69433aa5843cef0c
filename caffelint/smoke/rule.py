"""The public API of rules that look at a training run, with `caffelint.lint`: the kind of rule, a run, its events."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint import rule
from caffelint.lint.finding import Finding
from caffelint.smoke.events import (
    BACKWARD,
    BLOB,
    CHANGE,
    DATA,
    DIFF,
    FORWARD,
    LACKS,
    PARAM,
    RATE,
    UNKNOWN,
    UPDATE,
    WEIGHTS,
    Compared,
    Crashed,
    Event,
    Gradient,
    Iteration,
    Loaded,
    NonFinite,
    OutOfMemory,
    PythonLayer,
    RateFound,
    Refused,
    Running,
    Statistics,
    Tested,
    TimedOut,
    to_line,
)
from caffelint.smoke.run import Run, loss_grew, run_of

__all__ = [
    "BACKWARD",
    "BLOB",
    "CHANGE",
    "DATA",
    "DIFF",
    "FORWARD",
    "LACKS",
    "PARAM",
    "RATE",
    "UNKNOWN",
    "UPDATE",
    "WEIGHTS",
    "Blob",
    "BuiltLayer",
    "BuiltNet",
    "Compared",
    "Crashed",
    "Event",
    "Gradient",
    "Iteration",
    "Loaded",
    "NonFinite",
    "OutOfMemory",
    "PythonLayer",
    "RateFound",
    "Refused",
    "Run",
    "Running",
    "SmokeRule",
    "Statistics",
    "Tested",
    "TimedOut",
    "loss_grew",
    "to_line",
]


class SmokeRule(rule.SmokeRule):
    """Looks at a finished training run. In its examples the events of the run are the file `events`."""

    @classmethod
    def subject(cls, files: rule.Files) -> Run:
        return run_of(files)

    def check(self, run: Run) -> Iterator[Finding]:
        raise NotImplementedError
