"""Events of an engine (events.py) on what a layer of the user's own does to scores and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Pulled(NamedTuple):
    """What a Python loss makes of scores that are all alike (pulls.py). scores, labels: its bottoms.

    classes: how many scores a label chooses from, 1 where each score has a label of its own, 0 or 1. value: of the
    loss; nearer, farther: with the score of each label higher, or lower, than the others; shifted: with every score
    moved by chance; places: with all scores of a place moved alike; columns: with those of a class moved alike in all
    places. kinds: of each label its number, its places, the one class whose score its gradient raises, the one whose
    score it lowers (-1 for none and for several), and the mean sum of the gradient's sizes in a place.
    """

    layer: str
    scores: str
    labels: str
    classes: int
    value: float
    nearer: float
    farther: float
    shifted: float
    places: float
    columns: float
    kinds: Sequence[tuple[int, int, int, int, float]]


class Mined(NamedTuple):
    """Which records a Python layer keeps for the loss (mined.py), of scores by chance. scores, labels: its bottoms.

    kept, dropped: how many. harder: the share of pairs of one label in which the dropped record costs more.
    of_classes: else of values, which it compares with their targets.
    """

    layer: str
    scores: str
    labels: str
    kept: int
    dropped: int
    harder: float
    of_classes: bool = True


Doing = Pulled | Mined
DOINGS: dict[str, Any] = {"pulled": Pulled, "mined": Mined}
