"""What may be blamed on weights that were loaded, and on what keeps no size from layer to layer, in words."""

from __future__ import annotations

import math

from caffelint.lint import title, titles
from caffelint.smoke.rule import Hypothesis, Run, squashing, steepest

from ._numbers import number
from ._suspect_losses import Words

_KEEP = ("msra", "xavier")


def weights(one: Hypothesis, name: str) -> Words:
    if one.field == "beside":
        fact = f"lr_mult is 0 in {titles(one.layers)}, which keep what their fillers draw, and a file beside holds"
        return f"{fact} weights for them", f"; give {one.changes[0].text}", False
    if one.field == "misnamed":
        return _misnamed(one)
    if one.field == "stored":
        fact = f"the weights that were loaded give {name} a factor of {number(one.value)}, by which its means and"
        fact += " variances are divided; Caffe saves 1 / (1 - moving_average_fraction), mostly 1000, at most"
        return fact, "; check that file", True
    size = "not finite" if math.isnan(one.figure) else f"{number(one.figure)} times as large as is usual"
    return f"the weights that were loaded into {name} are {size}", "; check that file", False


def _misnamed(one: Hypothesis) -> Words:
    """Layers that the file knows by other names, which stay as their fillers draw them where they are frozen."""
    fact = f"the weights that were given have {titles(one.layers)} under other names, so Caffe copies none"
    fact += " of them" if len(one.layers) > 1 else " of it"
    frozen = not any(param.lr_mult for layer in one.layers for param in layer.params or ())
    if frozen:
        fact += ", and with lr_mult 0 they keep" if len(one.layers) > 1 else ", and with lr_mult 0 it keeps"
        fact += " what their fillers draw" if len(one.layers) > 1 else " what its filler draws"
    first = one.changes[0]
    more = f" and {first.more} more likewise" if first.more else ""
    return fact, f'; in "{first.layer}" write {first.text}{more}', False


def depth(run: Run, one: Hypothesis) -> tuple[str, str]:
    """Values or gradients from layer to layer, and what makes them smaller or larger."""
    first, last = one.layers[0], one.layers[-1]
    fall = "grow" if one.figure > one.value else "shrink"
    if one.field == "values":
        text = f'values {fall} from {number(one.value)} in "{first.name}" to {number(one.figure)} in "{last.name}"'
    else:
        text = f'the gradient {fall}s from {number(one.value)} in "{last.name}" to {number(one.figure)} in'
        text += f' "{first.name}"'
    usual = [getattr(layer.parameters, layer.fillers[0]).type in _KEEP for layer in one.layers if layer.fillers]
    filler = not all(usual)
    steep = steepest(run, one)
    if steep is not None:
        layer, read, made = steep
        text += f", most of it in {title(layer)}: {number(read)} to {number(made)}"
        return text, _keeping(filler)
    squash = squashing(run)
    types = " and ".join(dict.fromkeys(layer.type for layer in squash))
    if one.field == "gradients" and len(squash) > 2:
        return f"{text}, {len(squash)} {types} layers on the way each make it smaller", "; use ReLU and msra fillers"
    if not filler:
        return text, _keeping(filler)
    return f"{text}, as the fillers of {len(one.layers)} layers do not keep their size", _keeping(filler)


def _keeping(filler: bool) -> str:
    """What keeps the size of values. filler: is there a layer that such a filler is not in yet?"""
    return f"; use {'msra or xavier fillers, or ' if filler else ''}BatchNorm between the layers"


def prior(one: Hypothesis, name: str, better: str) -> Words:
    """Biases that start a sigmoid at a half, though its targets are nearly all 0, or 1."""
    rest = 0 if one.value < 0.5 else 1
    fact = f"the targets of {title(one.layers[1])} are {number(one.value)} on average, but {name} starts at shares of"
    fact += f" 0.5, so all outputs go to {rest} together before the few others are learned"
    remedy = "; let the loss read its scores" if better.startswith("no ") else f"; set {better}" if better else ""
    return fact, remedy, False
