"""The public API of rules that look at a training run, with `caffelint.lint`: the kind of rule, a run, its events."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint import rule
from caffelint.lint.finding import Finding
from caffelint.smoke.alike import Crossed, Neighbours, Overlaid, Pairs, Stepped, Told
from caffelint.smoke.answers import CHANCE, SURE
from caffelint.smoke.diagnosis.batches import labels_outside
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypotheses import ADAPTIVE, hypotheses, strong
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.inputs import Input, large_input, scaled_again, small_input
from caffelint.smoke.diagnosis.signal import steepest
from caffelint.smoke.diagnosis.tried import CURED, UNTESTED, Tried, alone, cure, refuted, survivor
from caffelint.smoke.diagnosis.trouble import faded, flat, lags, trouble
from caffelint.smoke.drift import Drift, drift
from caffelint.smoke.events import (
    BACKWARD,
    BLOB,
    BUFFERS,
    CHANGE,
    DATA,
    DIFF,
    EXTREME,
    FORWARD,
    LABEL,
    LACKS,
    NOT_FINITE,
    PARAM,
    RATE,
    UNKNOWN,
    UPDATE,
    WEIGHTS,
    BadRecord,
    BadWeights,
    Batch,
    Compared,
    Crashed,
    Done,
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
    Spent,
    Statistics,
    Tested,
    TimedOut,
    Warned,
    WithoutGpu,
    to_line,
)
from caffelint.smoke.gpu import asks_for_gpu, wants_cudnn
from caffelint.smoke.infogain import matrix
from caffelint.smoke.learning import (
    Weights,
    blank_inputs,
    cut_off,
    dead_layers,
    first_ratios,
    gradient_ended,
    gradient_ends,
    is_zero,
    largest_ratios,
    limits,
    made_zeros,
    only_decays,
    same_scores,
    size,
    squashing,
    weightless,
    weights,
    without_weights,
)
from caffelint.smoke.loss import (
    TAIL,
    bad_start,
    begins,
    below_zero,
    best_constant,
    chance,
    clamped,
    classes,
    constant_of,
    ends,
    falls,
    fell,
    losses,
    recalled,
    rose,
    runs_away,
    slowest,
    staying,
    sums_more,
)
from caffelint.smoke.lost import Lost, lost
from caffelint.smoke.outcome import beats_constant, outcome
from caffelint.smoke.pulled import Pulled
from caffelint.smoke.run import Run, loss_grew, run_of
from caffelint.smoke.scanned import Odd, Scanned

__all__ = [
    "ADAPTIVE",
    "BACKWARD",
    "BLOB",
    "BUFFERS",
    "CHANCE",
    "CHANGE",
    "CURED",
    "DATA",
    "DIFF",
    "EXTREME",
    "FORWARD",
    "LABEL",
    "LACKS",
    "NOT_FINITE",
    "PARAM",
    "RATE",
    "SURE",
    "TAIL",
    "UNKNOWN",
    "UNTESTED",
    "UPDATE",
    "WEIGHTS",
    "BadRecord",
    "BadWeights",
    "Batch",
    "Blob",
    "BuiltLayer",
    "BuiltNet",
    "Change",
    "Compared",
    "Crashed",
    "Crossed",
    "Done",
    "Drift",
    "Event",
    "Gradient",
    "Hypothesis",
    "Input",
    "Iteration",
    "Loaded",
    "Lost",
    "Neighbours",
    "NonFinite",
    "Odd",
    "OutOfMemory",
    "Overlaid",
    "Pairs",
    "Pulled",
    "PythonLayer",
    "RateFound",
    "Refused",
    "Run",
    "Running",
    "Scanned",
    "SmokeRule",
    "Spent",
    "Statistics",
    "Stepped",
    "Tested",
    "TimedOut",
    "Told",
    "Tried",
    "Warned",
    "Weights",
    "WithoutGpu",
    "alone",
    "asks_for_gpu",
    "bad_start",
    "beats_constant",
    "begins",
    "below_zero",
    "best_constant",
    "blank_inputs",
    "chance",
    "clamped",
    "classes",
    "constant_of",
    "cure",
    "cut_off",
    "dead_layers",
    "drift",
    "ends",
    "faded",
    "falls",
    "fell",
    "first_ratios",
    "flat",
    "gradient_ended",
    "gradient_ends",
    "hypotheses",
    "is_zero",
    "labels_outside",
    "lags",
    "large_input",
    "largest_ratios",
    "limits",
    "loss_grew",
    "losses",
    "lost",
    "made_zeros",
    "matrix",
    "only_decays",
    "outcome",
    "recalled",
    "refuted",
    "rose",
    "runs_away",
    "same_scores",
    "scaled_again",
    "size",
    "slowest",
    "small_input",
    "squashing",
    "staying",
    "steepest",
    "strong",
    "sums_more",
    "survivor",
    "to_line",
    "trouble",
    "wants_cudnn",
    "weightless",
    "weights",
    "without_weights",
]


class SmokeRule(rule.SmokeRule):
    """Looks at a finished training run. In its examples the events of the run are the file `events`."""

    @classmethod
    def subject(cls, files: rule.Files) -> Run:
        return run_of(files)

    def check(self, run: Run) -> Iterator[Finding]:
        raise NotImplementedError
