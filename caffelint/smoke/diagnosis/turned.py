"""Maps of targets that are turned against their data, for a net that can turn nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint.edits import quoted
from caffelint.lint.words import listed
from caffelint.smoke.alike import Overlaid
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.rearranged import layer, rearranged, reshape
from caffelint.smoke.run import Run

_SCORE = 5.0
"""Hundreds of maps that all fit when they are turned are no chance."""
_MOST_CELLS = 64
"""Along a side: each row is a blob of its own in the net that is tried."""
_MAP = 4
"""Axes of a blob of maps."""
_BACK: dict[str, tuple[bool, bool, bool]] = {
    "mirrored": (False, False, True),
    "upside down": (False, True, False),
    "turned round": (False, True, True),
    "transposed": (True, False, False),
    "turned to the left": (True, True, False),
    "turned to the right": (True, False, True),
}
"""What turns them back: are rows and columns swapped, then put in the other order, rows, columns?"""


class Turned(NamedTuple):
    """overlaid: what shows it. maker: the layer that brings the maps; alike: all that it brings of maps of that size.
    loss: the one that reads them."""

    overlaid: Overlaid
    maker: BuiltLayer
    alike: Sequence[Blob]
    loss: BuiltLayer


def turned(run: Run) -> list[Turned]:
    """The maps that lie turned on their data, those that fit best first, each layer that brings some once."""
    found = [] if run.synthetic or not run.built else [one for one in run.all(Overlaid) if one.how]
    maps: dict[str, Turned] = {}
    for one in sorted(found, key=lambda one: -one.beyond):
        for loss in run.loss_layers:
            target = loss.bottoms[1].original if len(loss.bottoms) > 1 else None
            maker = target.producer if target is not None and target.name == one.name else None
            if target is not None and maker is not None and _keeps_places(loss.bottoms[0]):
                alike = [top for top in maker.tops if top is target or _is_like(top, target, loss)]
                maps.setdefault(maker.name, Turned(one, maker, alike, loss))
    return list(maps.values())


def _is_like(top: Blob, target: Blob, loss: BuiltLayer) -> bool:
    """Are these maps of that size too, and not the data that scores are made of?"""
    way = loss.bottoms[0].depends_on
    return bool(_sides(target)) and _sides(top) == _sides(target) and not any(one in way for one, _ in top.consumers)


def _keeps_places(scores: Blob) -> bool:
    """Does all on the way from the data keep each place of a map where it is?"""
    for one in scores.depends_on:
        unknown = not one.known or one.type in ("Python", "Permute")
        if one.bottoms and (unknown or one.is_recurrent or (one.has_weights and not _convolves(one))):
            return False
    return True


def _convolves(one: BuiltLayer) -> bool:
    """Does it weigh what is around each place alike everywhere?"""
    return one.block == "convolution_param"


def turned_back(run: Run) -> Iterator[Hypothesis]:
    """field: `turned`. layers: the one that brings the maps, and the loss. value, figure: how much of their data maps
    explain, as they are and turned."""
    for one in turned(run):
        place, overlaid = run.place(one.maker.name), one.overlaid
        layers, changes = (one.maker, one.loss), _changes(run, one)
        yield Hypothesis("labels", place, _SCORE, changes, "turned", layers, overlaid.fits, overlaid.with_it)


def _changes(run: Run, one: Turned) -> tuple[Change, ...]:
    sides, back = _sides(one.loss.bottoms[1]), _BACK[one.overlaid.how]
    if one.overlaid.turns or not sides or max(sides) > _MOST_CELLS or (back[0] and sides[0] != sides[1]):
        return ()
    how = "transposed" if one.overlaid.how == "transposed" else "turned"
    words = f"{listed([quoted(top.name) for top in one.alike])} {how} back"
    return rearranged(run, one.alike, partial(_turned, back), words)


def _sides(blob: Blob) -> tuple[int, ...]:
    shape = blob.shape or ()
    return shape[2:] if len(shape) == _MAP else ()


def _turned(back: tuple[bool, bool, bool], name: str, top: Blob) -> Iterator[str]:
    """`Slice` takes maps apart along an axis, and `Concat` puts them together in another order."""
    swaps, rows, columns = back
    steps = [(2, False)] if rows else []
    steps = [(2, True), *steps] if swaps else [*steps, (3, False)] if columns else steps
    before = top.name
    for number, (axis, swap) in enumerate(steps):
        after = name if number + 1 == len(steps) else f"{name}_{number}"
        yield from _step(before, after, top, axis, swap, not swap or columns)
        before = after


def _step(before: str, after: str, top: Blob, axis: int, swap: bool, flip: bool) -> Iterator[str]:
    """Rows, or columns, in the other order; or rows as columns."""
    shape = top.shape or ()
    parts = [f"{after}_part{part}" for part in range(shape[axis])]
    yield layer(f"{after}_apart", "Slice", [before], parts, f"slice_param {{ axis: {axis} }}")
    if swap:
        for part in parts:
            yield reshape(f"{part}_column", part, (0, 0, -1, 1))
        parts, axis = [f"{part}_column" for part in parts], 3
    yield layer(after, "Concat", parts[::-1] if flip else parts, [after], f"concat_param {{ axis: {axis} }}")
