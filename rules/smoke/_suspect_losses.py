"""What a loss may be blamed for, in words."""

from __future__ import annotations

import math

from caffelint.lint import title, titles
from caffelint.smoke.rule import Hypothesis, Pairs, Run

from ._numbers import number

Words = tuple[str, str, bool]
"""The fact, the advice that follows from it, and whether it is sure to do what happened."""


def loss_weight(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field == "ratio":
        start, shared = "the loss", [layer.name for layer in one.layers[2:]]
        if shared:
            to = f' to "{shared[-1]}"' if len(shared) > 1 else ""
            start = f'at "{shared[0]}"{to}, which both losses train, the gradient'
        fact = f"{start} of {name} is {number(one.figure)} times that of {title(one.layers[1])}, and outweighs it"
        return fact, f"; try {better}", False
    if one.field == "holds":
        fact = f"with loss_weight {one.value:g}, {name} may keep {title(one.layers[1])} from falling, which stays at"
        return f"{fact} {number(one.figure)}", f"; try {better}", False
    if one.field == "drowns":
        at = f"the gradient of {name} is {number(one.figure)} times that of {title(one.layers[1])} at what both train"
        return f"{at}, so that next to nothing of the latter is learned", f"; try {better} there", False
    if one.field == "off":
        return f"loss_weight 0 of {name} keeps {titles(one.layers[1:])} from learning", f"; set {better}", False
    if one.value < 0:
        fact = f"loss_weight {one.value:g} makes {name} grow, whatever the rate"
        return fact, "; remove the minus sign", True
    if one.field == "tiny":
        return f"loss_weight {one.value:g} shrinks every gradient to next to nothing", f"; set {better}", False
    return f"loss_weight {one.value:g} multiplies every gradient", " and is most likely too high", False


def loss(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field == "H":
        return _infogain(one, name)
    if one.field == "type":
        fact = f"{name} takes the log of probabilities, but reads {number(one.value)} to {number(one.figure)}"
        return fact, f"; put a Softmax before it, or set {better}", True
    if one.field == "unaveraged":
        fact = f"normalization: NONE makes the loss of {name} the sum over the {one.value:.0f} items of a batch, not"
        return f"{fact} their mean", f"; set {better}", False
    if one.field == "summed":
        fact = f"{name} adds up the {one.value:.0f} values of each item, and its gradient grows with them"
        return fact, f"; set {better}", False
    if one.field == "margin":
        fact = f"{name} pushes pairs apart that are nearer than margin {one.value:g}, but features are about"
        return f"{fact} {number(one.figure)} apart, so its gradient is that large", f"; set {better}", False
    return f"the loss of {name} is the sum over {one.value:.0f} labels, not their mean", f"; set {better}", False


def _infogain(one: Hypothesis, name: str) -> Words:
    value, matrix = one.value, f'"{one.layers[0].message.infogain_loss_param.source}", the H of {name},'
    if value == 0:
        fact = f"{matrix} is 0 throughout, so every loss and gradient is"
        return f"{fact}; write it again, with 1 on its diagonal", "", True
    if one.figure < 0:
        fact = f"all rows of {matrix} are equal, so no label costs less than another"
        return f"{fact}; write it again, with 1 on its diagonal", "", True
    row = f"the row of class {one.figure:.0f}"
    if math.isfinite(value):
        fact = f"{row} in {matrix} adds up to {number(value)}, and multiplies the gradient of its labels; 1 is usual"
        if not any(change.text.startswith("loss_weight") for change in one.changes):
            return f"{fact}, and others have next to nothing; write H again, with rows of about 1", "", False
        return fact, "; divide H by that", False
    what = "nan" if math.isnan(value) else "inf"
    fact = f"{matrix} holds {what} in {row}"
    return f"{fact}; write it again, with 0 for a class that does not occur", "", True


PAIRS = ("swapped", "inverted")
"""Fields of hypotheses on pairs that a loss draws together."""


def pairs(run: Run, one: Hypothesis, name: str) -> str:
    spectra = any(each.spectra for each in run.all(Pairs) if each.name == one.layers[0].name)
    value, figure, read = number(one.value), number(one.figure), "as they are read"
    if spectra:
        read = "whatever the places of what they show (by their spectra)"
    if one.field == "swapped":
        fact = f"the first and second bottom of {name} are {value} apart {read}, and the first and third {figure}"
        return f"{fact}, so the second and third seem to be swapped"
    fact = f"{name} takes 1 for pairs that are alike and 0 for others, and its labels seem to be the other way round"
    return fact if math.isnan(one.value) else f"{fact}: pairs of 1 are {value} apart {read}, and those of 0 {figure}"
