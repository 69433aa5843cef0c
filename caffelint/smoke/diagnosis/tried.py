"""What experiments showed: what cured, and what was ruled out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.trouble import DIES, FLAT, STOPS, trouble
from caffelint.smoke.drift import drift
from caffelint.smoke.events import Gradient
from caffelint.smoke.loss import ends, falls
from caffelint.smoke.lost import lost

if TYPE_CHECKING:
    from caffelint.smoke.run import Run

_STRONGER = 3.0
_ENOUGH = 20
_CHANCE = 0.99
WELL = 0.5
"""Of the loss, or of what chance gives: a cure that leaves more may not be all of it."""
_FAR = 0.5
CURED, LATER, SAME, OTHER, UNTESTED = "cured", "later", "same", "other", "untested"


class Tried(NamedTuple):
    """An experiment. outcome: CURED (nothing goes wrong), LATER (it does at a later iteration), SAME (at the same one,
    or before), OTHER (Caffe does not take the change, or the run ended for another reason), UNTESTED (no time left).

    kind, iteration: of the trouble that it had; "" and -1 for none. first, last: loss before any update, and at the
    end. iterations: that it ran for. left: see `loss.least_left`.
    """

    hypothesis: Hypothesis
    change: Change
    outcome: str
    kind: str = ""
    iteration: int = -1
    first: float = 0.0
    last: float = 0.0
    iterations: int = 0
    left: float = math.nan
    held: str = ""
    beside: tuple[str, float] = "", math.nan

    @property
    def learned(self) -> bool:
        """Did the loss fall, and below what chance gives, or did a cure leave as little of it as was asked?"""
        asked = self.outcome == CURED and self.hypothesis.cured is not None
        return asked or (falls(self.first, self.last) and not self.left > _CHANCE)

    @property
    def idles(self) -> bool:
        """Does nothing go wrong any more, but nothing learn either, in enough iterations to tell?

        What was proved to go wrong needs no such evidence.
        """
        enough = self.iterations >= _ENOUGH and not self.hypothesis.proved
        return self.outcome == CURED and not self.learned and enough


def survivor(tried: Sequence[Tried]) -> Tried | None:
    """The one that cured with the strongest evidence; the rate only where nothing else did, as a lower one hides much,
    or where it is further above what its solver usually gets than all else is out of the ordinary.

    None where only the rate cured and something that is further out of the ordinary could not be tested.
    A change with which the loss falls goes before one that only keeps values finite, and one with which it falls far
    before one with which it falls by little.
    """
    cured = [one for one in tried if one.outcome == CURED]
    if not cured:
        return None
    likeliest = max(cured, key=lambda one: one.hypothesis.rank).hypothesis
    if learned := [one for one in cured if one.learned]:
        best = max(learned, key=lambda one: one.hypothesis.rank).hypothesis
        if best.kind != "rate" or likeliest.kind == "rate":
            likeliest, cured = best, learned
        if better := _far_better(learned, likeliest):
            return better
    if likeliest.kind == "rate" and any(one.rank > max(likeliest.rank, (True, STRONG)) for one in _untested(tried)):
        return None
    own = [one for one in cured if _is_alike(one.hypothesis, likeliest)]
    if own[0].held:  # of two losses, either may weigh less or more
        own = [one for one in cured if one.held]
    enough = [one for one in own if not one.left > WELL] if own[0].held else []
    return enough[0] if enough else min(own, key=lambda one: one.left) if own[0].held else own[0]


def _is_alike(one: Hypothesis, other: Hypothesis) -> bool:
    """Do both blame the same? Fields that a solver lacks have one place."""
    return (one.kind, one.place) == (other.kind, other.place)


def _far_better(learned: Sequence[Tried], likeliest: Hypothesis) -> Tried | None:
    """The one of those that learned which leaves least, where the likeliest leaves much more; no rate, nor a chance."""
    own = min((one.left for one in learned if _is_alike(one.hypothesis, likeliest)), default=math.nan)
    able = [one for one in learned if one.hypothesis.kind != "rate" and one.hypothesis.score > 0]
    best = min(able, key=lambda one: one.left, default=None)
    return best if best is not None and own > WELL and best.left < _FAR * own else None


def cure(run: Run) -> Tried | None:
    """The survivor; None where a layer of the user's own has a wrong gradient, or brings data that does not stay what
    it was, which a lower rate only hides, or where only the solver was changed and what tells the targets does not get
    to the loss.

    What is far out of the ordinary is to blame all the same: a layer may give another gradient on purpose.
    None too for an ordinary rate with a lower one of which nothing is learned either, and for any with a lower one of
    which less is learned than in the run itself.
    """
    best = survivor(run.tried)
    own = (event for event in run.all(Gradient) if (layer := run.layer(event.layer)) and layer.type == "Python")
    if best is None:
        return None
    weak = best.hypothesis.score < STRONG and _only_idled(run)
    if best.hypothesis.kind == "rate" and best.idles and (weak or run.finite and ends(run) <= best.last):
        return None
    if best.hypothesis.score >= _STRONGER:
        return best
    if best.change.of_solver and lost(run) is not None:
        return None
    return None if drift(run) is not None or any(one.is_wrong and not one.flat for one in own) else best


def _only_idled(run: Run) -> bool:
    """Did the run itself break nothing, so that a change with which nothing is learned either has cured nothing?"""
    was = trouble(run)
    return was is not None and was.kind in (DIES, FLAT, STOPS)


def blamed(one: Hypothesis) -> tuple[Hypothesis, ...]:
    """Itself, and the one that is to blame as well."""
    return (one,) if one.also is None else (one, one.also)


def alone(run: Run, both: Tried) -> list[Tried]:
    """Of two that cured together, what came of each by itself."""
    texts = [part.text for part in both.change.parts]
    return [one for one in run.tried if one.change.text in texts and one.outcome not in (CURED, UNTESTED, OTHER)]


def _untested(tried: Sequence[Tried]) -> list[Hypothesis]:
    tested = {id(one.hypothesis) for one in tried if one.outcome not in (UNTESTED, OTHER)}
    return [one.hypothesis for one in tried if id(one.hypothesis) not in tested]


def refuted(tried: Sequence[Tried]) -> list[Tried]:
    """Of each hypothesis that was tested, does not break any run and of which no change cured, the first experiment."""
    single = {one.hypothesis.place for one in tried if one.outcome == CURED and one.hypothesis.also is None}
    blames = [[each.place for each in blamed(one.hypothesis)] for one in tried if one.outcome == CURED]
    # Where one of two cures alone, the other one is not to blame.
    cured = {*single, *(place for places in blames if single.isdisjoint(places) for place in places)}
    # Of the solver's schedule and such, one fault was ruled out and another one found.
    kinds = {one.hypothesis.kind for one in tried if one.outcome == CURED and one.change.of_solver}
    first: dict[tuple[str, str], Tried] = {}
    for one in tried:
        known = one.hypothesis.proved or one.hypothesis.also is not None or one.hypothesis.place in cured
        known = known or one.hypothesis.kind in kinds
        if one.outcome not in (UNTESTED, OTHER) and not known:
            first.setdefault((one.hypothesis.kind, one.hypothesis.field), one)
    return list(first.values())
