"""What a loss of the user's own leads its scores to, in place of what its labels say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from caffelint.lint import LIKELY, Cause, NamedTuple
from caffelint.smoke.rule import Pulled, Run, outcome

from ._evidence import subject
from ._numbers import number

_NOTHING, _MUCH = 1e-4, 0.05
"""Shares of what scores by chance change, below which a shift of scores changes nothing, and above which it does."""
_TIMES, _FEW = 5.0, 10
"""How much numbers and weights of two labels differ, and how many of a label there are, where they say something: a
focal loss weighs by 3, some costs by more, and a small batch holds few of any label."""
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
        maker = next((blob.maker for blob in layer.bottoms if blob.original.name == event.scores), None)
        # Distances fall where likeness rises, an adversary is told to fail, and what learns follows its labels.
        plain = maker is not None and maker.has_weights and not any(weight < 0 for weight in layer.loss_weights)
        asked = (_over_the_batch, _of_other_classes, _turned) if plain and not outcome(run).learns else ()
        for told in (*asked, _frequent):
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
    other = [one for one in event.kinds if one[2] not in (-1, one[0])]
    if event.classes < 3 or len(other) < 2 or event.nearer < event.value or 2 * _places(other) < _places(event.kinds):
        return None
    shown = ", ".join(f"{to} for label {label}" for label, _, to, _, _ in other[:_SHOWN])
    rest = f" and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
    what = f"raises the scores of other classes: {shown}{rest}"
    return what, "those are learned; compare each label with its own score"


def _places(kinds: Sequence[tuple[int, int, int, int, float]]) -> int:
    return sum(one[1] for one in kinds)


def _turned(event: Pulled) -> tuple[str, str] | None:
    if not event.nearer > event.value > event.farther or any(down != label for label, _, _, down, _ in event.kinds):
        return None
    what = f"grows from {number(event.value)} to {number(event.nearer)} when the scores of the labels rise"
    return what, "they are driven away from the labels; turn its sign, in forward and in backward"


def _frequent(event: Pulled) -> tuple[str, str] | None:
    """Is the frequent label worth more, as nobody wants it?"""
    kinds = sorted((count, size, label) for label, count, up, _, size in event.kinds if up == label and size < math.inf)
    if len(kinds) < 2 or len(kinds) < len(event.kinds) or any(right[1] < left[1] for left, right in pairwise(kinds)):
        return None
    (few, least, rare), (many, most, often) = kinds[0], kinds[-1]
    if few < _FEW or many < _TIMES * few or most < _TIMES * least:
        return None
    what = f"weighs label {often}, {many:,} of {_places(event.kinds):,} labels, {number(most / least)} times as much as"
    what += f" label {rare}, {few:,} of them"
    return what, "the frequent one alone is learned; give the rare one the larger weight"
