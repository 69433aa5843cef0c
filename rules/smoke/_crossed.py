"""In what the records of TEST differ from those of TRAIN, in words."""

from __future__ import annotations

import math

from caffelint.smoke.rule import Crossed

_CHANGES = {
    "channels": ("with their channels in the other order", "write RGB in both, or BGR"),
    "mirrored": ("mirrored", "write both with the same side to the left"),
    "upside down": ("upside down", "write both with the same side up"),
    "transposed": ("with rows and columns swapped", "write both as height x width"),
    "negative": ("as negatives", "write both with dark values low, or high"),
}
_CODED = {
    "ids": (
        "by the values that occur",
        "these are numbered otherwise in the two, as words by a vocabulary of each",
        "write both with the vocabulary, or the numbers of categories, of TRAIN",
    ),
    "coded": (
        "by the nearest records",
        "the two are coded differently, or hold records of different kinds",
        "compare their columns, units and classes",
    ),
}
_TOLD = 4


def unlike_train(one: Crossed) -> tuple[str, str]:
    """Why TEST goes wrong, and what to do."""
    agree = (
        f'of {one.records} records, the nearest ones of TRAIN have the same "{one.name}" in {_share(one.with_it)} of'
    )
    if not math.isnan(one.own):
        agree = f'of {one.records} records, what tells the "{one.name}" in TRAIN gives the right one in'
        agree += f" {_share(one.with_it)} of"
    if one.how == "numbered":
        shifts = {here - there for here, there in one.labels}
        apart, remedy = "numbered otherwise than in TRAIN", "number the classes of TEST as in TRAIN"
        if len(shifts) == 1:
            (shift,) = shifts
            apart = f"{abs(shift):g} too {'high' if shift > 0 else 'low'}"
            remedy = f"{'subtract' if shift > 0 else 'add'} {abs(shift):g} {'from' if shift > 0 else 'to'} each of TEST"
        why = f'the "{one.name}" of TEST is {apart}: {_pairs(one)}; {agree} cases with'
        return f"{why} that, and in {_share(one.agree)} as it is", remedy
    if one.how == "columns":
        why = f'the values of each "{one.name}" of TEST stand in another order than in TRAIN: {_pairs(one)}; what'
        why += f" the nearest ones of {one.records} records have in TRAIN goes with them by a correlation of"
        return f"{why} {one.with_it:.2f} in that order, and {one.agree:.2f} as it is", "write both in the same order"
    if one.how in _CODED:
        by, other, remedy = _CODED[one.how]
        why = f'{by} the "{one.name}" of {_share(one.with_it)} of {one.records} records of TEST can be told from others'
        why += f" of TEST, and {_share(one.own)} in TRAIN, but from TRAIN only {_share(one.agree)} of those of TEST, as"
        return f"{why} chance gives {_share(one.chance)}: {other}", remedy
    how, remedy = _CHANGES[one.how]
    why = f"the TEST data is like that of TRAIN {how}: {agree} cases with that, and in {_share(one.agree)} as it is"
    return why, remedy


def _pairs(one: Crossed) -> str:
    other = [(here, there) for here, there in one.labels if here != there]
    more = f" and {len(other) - _TOLD} more" if len(other) > _TOLD else ""
    (here, there), *rest = other[:_TOLD]
    return ", ".join([f"{here:g} is {there:g} in TRAIN", *(f"{here:g} is {there:g}" for here, there in rest)]) + more


def _share(share: float) -> str:
    return f"{100 * share:.0f}%"
