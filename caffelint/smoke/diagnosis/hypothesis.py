"""What a run may have broken of."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.place import Place
from caffelint.lint.cause import CauseKind
from caffelint.lint.finding import INFO
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.change import Change

STRONG = 1.5
"""The score of what may keep a loss from falling."""


class Hypothesis(NamedTuple):
    """What may be to blame. place: of it in the user's text. score: by how many powers of ten it is out of the
    ordinary; the rate is an ordinary one unless it is above what its solver usually gets.

    changes: what would cure it, the smallest first. field: that it is of. layers: that it is of. value: to blame;
    figure: what was measured of it, in terms of its kind. proved: does it break any run? also: another that is to blame
    as well, as neither alone does. cured: how much of what the run itself was left with at the end, a cure may leave;
    None where what is left of the loss that an experiment starts with tells; least: of the one of several losses that
    falls most. beside: the most that another loss may end at than the one that a cure is for. told: what a check says,
    whose change is tried. entry: that is switched on in the param_str of a layer.
    """

    kind: CauseKind
    place: Place
    score: float
    changes: tuple[Change, ...] = ()
    field: str = ""
    layers: tuple[BuiltLayer, ...] = ()
    value: float = math.nan
    figure: float = math.nan
    proved: bool = False
    also: Hypothesis | None = None
    cured: float | None = None
    least: bool = False
    beside: float = math.inf
    told: ReportedFinding | None = None
    entry: str = ""

    @property
    def is_warned(self) -> bool:
        """Is it what a check warns of?"""
        return self.told is not None and self.told.severity != INFO

    @property
    def rank(self) -> tuple[bool, float]:
        """Orders those that an experiment confirmed: an ordinary rate comes late, since a lower one hides much, and
        chance last."""
        return (self.kind != "rate" or self.score > 0) and self.field != "seed", self.score
