"""The public API of rules that look at a log of training, with `caffelint.lint`: the kind of rule, and what is read."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.beginning import Beginning, FirstLoss
from caffelint.evidence.log.compare import Differs, net_differs, solver_differs
from caffelint.evidence.log.endings import refusal_of, unknown_field
from caffelint.evidence.log.evidence import LogEvidence, evidence_of
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.suspects.suspect import BREAKS, FIRST, FLAT, LARGE, SUDDEN, TESTED, Suspect
from caffelint.evidence.log.trend import (
    JUMPS,
    RISES,
    SLOW,
    STEPS,
    STOPPED,
    STUCK,
    Guesses,
    Trend,
    brief,
    chance_of,
    constant,
    guessed_chance,
    is_zero,
    never_better,
    slow,
    trend,
    unlike_data,
    vanishes,
    whole_chance,
    worse_tested,
)
from caffelint.evidence.log.values import (
    AT_EXIT,
    BACKWARD,
    CHECK,
    CLAMPED,
    COPY,
    CUDA,
    DATA,
    DISK,
    FORWARD,
    GPU,
    KILLED,
    LOSS,
    MEMORY,
    RAISED,
    RATE,
    SIGNAL,
    STATE,
    TEST,
    TEXT,
    TRAIN,
    UPDATE,
    Ended,
    Line,
    Logged,
    Measured,
    Pass,
    Point,
    Series,
    Snapshot,
)
from caffelint.lint import rule
from caffelint.lint.finding import Finding

__all__ = [
    "AT_EXIT",
    "BACKWARD",
    "BREAKS",
    "CHECK",
    "CLAMPED",
    "COPY",
    "CUDA",
    "DATA",
    "DISK",
    "FIRST",
    "FLAT",
    "FORWARD",
    "GPU",
    "JUMPS",
    "KILLED",
    "LARGE",
    "LOSS",
    "MEMORY",
    "RAISED",
    "RATE",
    "RISES",
    "SIGNAL",
    "SLOW",
    "STATE",
    "STEPS",
    "STOPPED",
    "STUCK",
    "SUDDEN",
    "TEST",
    "TESTED",
    "TEXT",
    "TRAIN",
    "UPDATE",
    "Beginning",
    "Differs",
    "Ended",
    "FirstLoss",
    "Guesses",
    "Line",
    "LogEvidence",
    "LogRule",
    "Logged",
    "Measured",
    "Pass",
    "Point",
    "Recovered",
    "Series",
    "Snapshot",
    "Suspect",
    "Trend",
    "brief",
    "chance_of",
    "constant",
    "guessed_chance",
    "is_zero",
    "net_differs",
    "never_better",
    "refusal_of",
    "slow",
    "solver_differs",
    "trend",
    "unknown_field",
    "unlike_data",
    "vanishes",
    "whole_chance",
    "worse_tested",
]


class LogRule(rule.LogRule):
    """Looks at a log of training. In its examples the log is the text."""

    @classmethod
    def subject(cls, files: rule.Files) -> LogEvidence:
        return evidence_of(files)

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        raise NotImplementedError
