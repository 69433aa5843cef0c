"""Sequences that were written one after the other for a recurrent layer that reads steps x items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint.edits import join, quoted, write
from caffelint.smoke.alike import Marked
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.run import Run
from caffelint.text.edits import Edit

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
    for layer in run.built[0].layers:
        found = written_across(run, layer)
        if found is not None:
            steps, gap = found.marked.steps, found.marked.gap
            changes = _transposed(run, found) if not steps % gap else ()
            place = run.place(layer.name, 0, "bottom", 1)
            yield Hypothesis("data", place, _SCORE, changes, "across", (layer,), gap, steps)


def _flat(top: Blob, one: Marked) -> bool:
    return (top.shape or (0,))[0] == one.steps * one.items


def _transposed(run: Run, found: Across) -> tuple[Change, ...]:
    """All that a layer brings of each step, in the other order, by layers after it: `Slice` takes items x steps apart
    step by step, and `Concat` puts these one after the other. All others read what these make."""
    one, names = found.marked, [top.name for top in found.tops]
    layers = run.nets[0].layers
    written = [it.node for it in layers if not it.bottoms and not set(names).isdisjoint(it.tops)]
    changed = any(it.bottoms and not set(names).isdisjoint(it.tops) for it in layers)
    if one.steps > _MOST_STEPS or not names or changed or any(it is None or it.name != "layer" for it in written):
        return ()
    each = [
        write(it, "bottom", at, value=quoted(_made(name)))
        for it in layers
        for at, name in enumerate(it.bottoms)
        if name in names
    ]
    end = max(it.end for it in written if it is not None)
    text = "".join(line for top in found.tops for line in _layers(top, one))
    edits = join([*each, ((run.nets[0].document.path, Edit(end, end, text)),)])
    words = f"{_listed(names)} of each batch written as steps x items"
    return (Change(words, edits),) if edits else ()


def _layers(top: Blob, one: Marked) -> Iterator[str]:
    name, shape = top.name, top.shape or ()
    rest = shape[1:] if _flat(top, one) else shape[2:]
    back = (-1, *rest) if _flat(top, one) else (one.steps, -1, *rest)
    steps = [f"{name}_step{step}" for step in range(one.steps)]
    yield _layer(name, "items", "Reshape", [name], [f"{name}_items"], _shape((-1, one.steps, *rest)))
    yield _layer(name, "apart", "Slice", [f"{name}_items"], steps, "slice_param { axis: 1 }")
    yield _layer(name, "along", "Concat", steps, [f"{name}_along"], "concat_param { axis: 0 }")
    yield _layer(name, "again", "Reshape", [f"{name}_along"], [_made(name)], _shape(back))


def _layer(name: str, what: str, type_: str, bottoms: list[str], tops: list[str], block: str) -> str:
    ends = [*(f"bottom: {quoted(one)}" for one in bottoms), *(f"top: {quoted(one)}" for one in tops)]
    return f'\nlayer {{ name: {quoted(f"{name}_{what}")} type: "{type_}" {" ".join(ends)} {block} }}'


def _shape(dims: tuple[int, ...]) -> str:
    return f"reshape_param {{ shape {{ {' '.join(f'dim: {dim}' for dim in dims)} }} }}"


def _made(name: str) -> str:
    return f"{name}_by_step"


def _listed(names: list[str]) -> str:
    quoted_ = [f'"{name}"' for name in names]
    return quoted_[0] if len(names) == 1 else f"{', '.join(quoted_[:-1])} and {quoted_[-1]}"
