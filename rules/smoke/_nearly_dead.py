"""A layer of which loaded weights leave next to nothing, in words."""

from __future__ import annotations

from caffelint.lint import LIKELY, Cause, title
from caffelint.smoke.rule import BLOB, DATA, PARAM, BuiltLayer, Run, outcome

from ._numbers import number

_NEARLY = 0.98
"""Of the outputs of a ReLU, which are 0 at any time: of most, it is half."""


def nearly_dead(run: Run) -> tuple[BuiltLayer, Cause] | None:
    """The first, from the start to the end of a run that learns nothing."""
    if not run.loaded or outcome(run).learns:
        return None
    for layer in run.built[0].layers:
        maker = layer.bottoms[0].maker if layer.rectifies and layer.bottoms else None
        share = _zeros(run, layer)
        if maker is None or not maker.has_weights or share < _NEARLY:
            continue
        what = f"{title(layer)}: {100 * share:.3g}% of its outputs are 0 from the start to iteration"
        why = f"what was loaded into {title(maker)} leaves next to nothing above 0"
        biases = run.statistics(-1, maker.name, PARAM, 1, DATA)
        if biases is not None and biases.max < 0:
            why += f": its biases are {number(biases.min)} to {number(biases.max)}"
        is_frozen = all(not param.lr_mult for param in maker.params or ())
        why += f"; look at that file{', or let the layer learn with lr_mult: 1' * is_frozen}"
        return layer, Cause("weights", f"{what} {run.measured[-1]}", why, LIKELY, known=run.known([maker.name]))
    return None


def _zeros(run: Run, layer: BuiltLayer) -> float:
    """The least share of zeros in its output, of the start and the end."""
    places = run.measured[0], run.measured[-1]
    ends = [run.statistics(at, layer.name, BLOB, layer.tops[0].name, DATA) for at in places]
    return min(one.zeros if one is not None else 0.0 for one in ends)
