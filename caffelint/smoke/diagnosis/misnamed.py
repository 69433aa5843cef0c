"""Layers that the file of weights has under other names, so that Caffe copies nothing into them."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint.edits import join, quoted, write
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.run import Run

_FROZEN = 6.0
"""The score where they are frozen: nothing learns what they should have been given."""


def misnamed(run: Run) -> Iterator[Hypothesis]:
    """Layers of the first net whose shapes and order are those of others in the file. field: `misnamed`."""
    fit = next((one for one in run.fits if one.built.state == run.built[0].state), None)
    pairs = fit.renamed if fit is not None else []
    names = {pair.target.name: pair.source.name for pair in pairs}
    here = {layer.name: layer for layer in run.built[0].layers}
    layers = tuple(here[name] for name in names if name in here)
    edits = join(
        write(layer, "name", value=quoted(names[layer.name]))
        for net in dict.fromkeys(run.nets)
        for layer in net.layers
        if layer.name in names
    )
    if not layers or not edits or {*names.values()} & {*here}:
        return
    first = layers[0]
    change = Change(f"name: {quoted(names[first.name])}", edits, first.name, more=len(layers) - 1)
    frozen = not any(param.lr_mult for layer in layers for param in layer.params or ())
    place, score = run.place(first.name, 0, "name"), _FROZEN if frozen else STRONG
    yield Hypothesis("weights", place, score, (change,), "misnamed", layers)
