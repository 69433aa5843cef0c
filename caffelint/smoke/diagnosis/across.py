"""Sequences that were written one after the other for a recurrent layer that reads steps x items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint.edits import quoted
from caffelint.lint.words import listed
from caffelint.smoke.alike import Marked
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.rearranged import layer, rearranged, reshape
from caffelint.smoke.run import Run

_SCORE = 5.0
"""Marks of which each is as far from the last are no chance."""
_MOST_STEPS = 256
"""Each is a blob of its own in the net that is tried."""


class Across(NamedTuple):
    """marked: what shows it. maker: the layer that brings the data; tops: those of its tops that are of each step."""

    marked: Marked
    maker: BuiltLayer
    tops: Sequence[Blob]


def written_across(run: Run, layer: BuiltLayer) -> Across | None:
    """How the sequences of a recurrent layer lie across its items; None where that does not show."""
    if run.synthetic or not layer.is_recurrent or len(layer.bottoms) < 2:
        return None
    blob = layer.bottoms[1].original
    marked = next((one for one in run.all(Marked) if one.name == blob.name), None)
    maker = blob.producer
    while maker is not None and len(maker.bottoms) == 1:
        maker = maker.bottoms[0].producer
    if marked is None or maker is None or maker.bottoms:
        return None
    every = [top for top in maker.tops if top.shape]
    of_steps = [one for one in every if _flat(one, marked) or (one.shape or ())[:2] == (marked.steps, marked.items)]
    return Across(marked, maker, of_steps)


def across(run: Run) -> Iterator[Hypothesis]:
    """Batches of items x steps, which a trial transposes. field: `across`. layers: the recurrent layer. value: how far
    marks are apart; figure: the number of steps."""
    for reader in run.built[0].layers:
        found = written_across(run, reader)
        if found is not None:
            steps, gap = found.marked.steps, found.marked.gap
            changes = _transposed(run, found) if not steps % gap else ()
            place = run.place(reader.name, 0, "bottom", 1)
            yield Hypothesis("data", place, _SCORE, changes, "across", (reader,), gap, steps)


def _flat(top: Blob, one: Marked) -> bool:
    return (top.shape or (0,))[0] == one.steps * one.items


def _transposed(run: Run, found: Across) -> tuple[Change, ...]:
    """All that a layer brings of each step, in the other order."""
    if found.marked.steps > _MOST_STEPS:
        return ()
    words = f"{listed([quoted(top.name) for top in found.tops])} of each batch written as steps x items"
    return rearranged(run, found.tops, partial(_by_step, found.marked), words)


def _by_step(one: Marked, name: str, top: Blob) -> Iterator[str]:
    """`Slice` takes items x steps apart step by step, and `Concat` puts these one after the other."""
    shape = top.shape or ()
    rest = shape[1:] if _flat(top, one) else shape[2:]
    steps = [f"{name}_step{step}" for step in range(one.steps)]
    yield reshape(f"{name}_items", top.name, (-1, one.steps, *rest))
    yield layer(f"{name}_apart", "Slice", [f"{name}_items"], steps, "slice_param { axis: 1 }")
    yield layer(f"{name}_along", "Concat", steps, [f"{name}_along"], "concat_param { axis: 0 }")
    yield reshape(name, f"{name}_along", (-1, *rest) if _flat(top, one) else (one.steps, -1, *rest))
