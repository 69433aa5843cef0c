"""What a loss of the user's own leads its scores to, in place of what its labels say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from caffelint.lint import LIKELY, Cause
from caffelint.smoke.rule import Pulled, Run

from ._evidence import subject
from ._numbers import number

_NOTHING, _MUCH = 1e-4, 0.05
"""Shares of what scores by chance change, below which a shift of scores changes nothing, and above which it does."""
_TIMES = 3.0
"""How much numbers and weights of two labels differ where they say something: more than those of a Dice loss do."""
_SHOWN = 3


class Astray(NamedTuple):
    """event: of the loss. what: it does. remedy: what comes of that, and what to do."""

    event: Pulled
    what: str
    remedy: str


def astray(run: Run) -> Astray | None:
    """The first such loss."""
    for event in run.all(Pulled):
        layer = run.layer(event.layer)
        if layer is None or layer.message is None:
            continue
        own = layer.message.python_param
        name = f"{subject(run, event.layer)} ({own.module}.{own.layer})"
        for told in (_over_the_batch, _of_other_classes, _turned, _frequent):
            if found := told(event):
                return Astray(event, f"{name} {found[0]}", found[1])
    return None


def cause_of(run: Run) -> Cause | None:
    """The same as the cause of what went wrong."""
    found = astray(run)
    place = run.place(found.event.layer) if found else None
    return Cause("python-layer", "", f"{found.what}; {found.remedy}", LIKELY, place) if found else None


def _over_the_batch(event: Pulled) -> tuple[str, str] | None:
    reach = abs(event.shifted - event.value)
    places, columns = abs(event.places - event.value), abs(event.columns - event.value)
    if event.classes < 2 or not (columns <= _NOTHING * reach and places > _MUCH * reach):
        return None
    what = "changes when all scores of a record rise alike, and does not when those of a class rise in all records"
    return what, "it compares the records of a batch, not the classes; take maximum and sum over axis 1"


def _of_other_classes(event: Pulled) -> tuple[str, str] | None:
    known = [one for one in event.kinds if one[2] >= 0]
    other = [one for one in known if one[2] != one[0]]
    if event.classes < 2 or len(known) < 2 or event.nearer < event.value or 2 * _places(other) < _places(known):
        return None
    shown = ", ".join(f"{to} for label {label}" for label, _, to, _ in other[:_SHOWN])
    rest = f" and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
    return (
        f"raises the scores of other classes: {shown}{rest}",
        "so those are learned; compare each label with its own score",
    )


def _places(kinds: Sequence[tuple[int, int, int, float]]) -> int:
    return sum(count for _, count, _, _ in kinds)


def _turned(event: Pulled) -> tuple[str, str] | None:
    if not event.nearer > event.value > event.farther:
        return None
    grows = f"from {number(event.value)} to {number(event.nearer)}"
    return (
        f"grows, {grows}, when the scores of the labels do",
        "so they are driven away from the labels; turn its sign, in forward and in backward",
    )


def _frequent(event: Pulled) -> tuple[str, str] | None:
    """Is the frequent label worth more, as nobody wants it?"""
    kinds = sorted(event.kinds, key=lambda one: one[1])
    if len(kinds) < 2 or not all(0 < one[3] < math.inf for one in kinds):
        return None
    rare, often = kinds[0], kinds[-1]
    falls = any(right[3] < left[3] and right[1] > left[1] for left, right in pairwise(kinds))
    if falls or often[1] < _TIMES * rare[1] or often[3] < _TIMES * rare[3]:
        return None
    times = number(often[3] / rare[3])
    what = f"weighs label {often[0]}, {often[1]:,} of {_places(kinds):,} labels, {times} times as much as label"
    return (
        f"{what} {rare[0]}, {rare[1]:,} of them",
        "so the frequent one alone is learned; give the rare one the larger weight",
    )
