"""What may be to blame: a value of the solver or the net that is out of the ordinary, or what no text tells."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.evidence.log.values import Line
from caffelint.lint.cause import Known

FIRST, LARGE, BREAKS, SUDDEN, FLAT, TESTED = "first", "large", "breaks", "sudden", "flat", "tested"
"""Effects: nan before any update; a first loss far above what the net gives; growth until nothing is finite; nan at
once, after losses that fell; a loss that hardly falls; a test net that alone gives nan."""

RATE, MOMENTUM, DECAY, L1, CLIP, SCHEDULE, SLOW_RATE = (
    "rate",
    "momentum",
    "decay",
    "l1",
    "clip-gradients",
    "schedule",
    "slow-rate",
)
LOSS_WEIGHT, DOMINATES, SUMMED, INFOGAIN = "loss-weight", "dominates", "summed", "infogain"
FILLER, NO_WEIGHTS, ALIKE, BIAS, VANISHES, SATURATES = "filler", "no-weights", "alike", "bias", "vanishes", "saturates"
DOMAIN, NO_SCALE, EPS, INDEX, NO_DATA = "domain", "no-scale", "eps", "index", "no-data"
DELTA, STATISTICS = "delta", "statistics"
NO_GRADIENT, FROZEN, LR_MULT, DECAY_MULT, DROPOUT = "no-gradient", "frozen", "lr-mult", "decay-mult", "dropout"
LAST_RELU = "last-relu"
INPUT, TARGETS, LABELS, RECORDS, LOADED, PYTHON = "input", "targets", "labels", "records", "loaded", "python"
CHECKED = "checked"


class Suspect(NamedTuple):
    """kind: one of the names above. score: how far it is out of the ordinary, about the powers of ten. effects: what it
    leads to.

    line: of the log, where the log holds the text. layer: whose, "" for the solver. value: as it is written. figure:
    what follows from it. more: so many other layers have it as well. name: of a file, a blob or another layer.
    better: a value to try.

    known: the finding of a check that says it.
    """

    kind: str
    score: float
    effects: tuple[str, ...]
    line: Line | None = None
    layer: str = ""
    value: float = math.nan
    figure: float = math.nan
    more: int = 0
    name: str = ""
    better: float = math.nan
    known: Known | None = None
