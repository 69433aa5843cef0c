"""Each hypothesis on why a run went wrong, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from caffelint.lint import CERTAIN, listed, title
from caffelint.smoke.rule import Hypothesis, Run

from ._marked import across
from ._numbers import number
from ._overlaid import of_maps
from ._suspect_data import of_data
from ._suspect_layers import OF_LAYERS, more, of_layers
from ._suspect_losses import PAIRS, Words, loss, loss_weight, pairs
from ._suspect_weights import depth, prior, weights

NOUNS: dict[str, str] = {
    "rate": "the rate",
    "momentum": "the momentum",
    "schedule": "the schedule",
    "weight-decay": "the weight decay",
    "loss-weight": "the loss weight",
    "input-scale": "the scale of the input",
    "target-scale": "the scale of the targets",
    "fillers": "the fillers",
    "statistics": "use_global_stats",
    "lr-mult": "lr_mult",
    "clip-gradients": "a gradient that nothing clips",
    "iter-size": "iter_size",
    "delta": "delta",
    "loss": "the loss",
    "start": "the start",
    "layer": "this layer alone",
    "data": "the batch",
    "weights": "the weights that are loaded",
    "depth": "the fillers of so many layers",
    "labels": "the labels",
    "phases": "the scale of the data in TEST",
}
"""What is ruled out."""
_FIELDS = {
    "tiny": "clip_gradients",
    "sorted": "the order of the records",
    "across": "the order of steps and items",
    "turned": "the way in which maps lie",
    "crop": "the crop",
    "mirror": "mirroring",
    "batch": "batch_size",
    "seed": "the random start",
    "summed": "the sum over values",
    "margin": "the margin",
}
_VALUES = 4
"""So many of a list are told."""

_FIX = "the fix of "
"""How the text of a change begins that a check of the text advises."""


def noun(one: Hypothesis) -> str:
    """What a hypothesis blames."""
    if one.told is not None:
        return f"what {one.told.name} says"
    if one.entry:
        return f'"{one.entry}" in param_str'
    if one.field in OF_LAYERS:
        return f'"{one.layers[0].name}"'
    if one.field == "batch-of":
        return NOUNS[one.kind]
    return _FIELDS.get(one.field) or (one.field if one.field in ("eps", "decay_mult", "H") else NOUNS[one.kind])


def suspect(run: Run, one: Hypothesis) -> Words:
    """A hypothesis in words."""
    name = title(one.layers[0]) if one.layers else ""
    better = one.changes[0].text if one.changes else ""
    if one.told is not None:
        return one.told.message, "", one.told.certainty == CERTAIN
    if one.field in OF_LAYERS:
        return (*of_layers(one, name, better), True)
    if one.field == "turned":
        return (*of_maps(run, one.layers[0]), True)
    if one.kind in _OF_SEVERAL_FIELDS:
        return _OF_SEVERAL_FIELDS[one.kind](run, one, name, better)
    value = one.value
    if one.kind == "iter-size":
        return f"iter_size {value:g} makes the update divide 0 by 0", f"; set {better}", True
    if one.kind == "delta" and one.field == "outweighs":
        times = number(one.value / one.figure)
        fact = f"{run.solver.type} divides by sqrt(history) + delta, and delta {value:g} is {times} times the gradient"
        return f"{fact}, so its steps are that much smaller than base_lr", f"; set {better}", True
    if one.kind == "delta":
        fact = f"{run.solver.type} divides by sqrt(history) + delta, and delta {value:g} does not keep that above 0"
        return fact, "", True
    if one.kind == "depth":
        return (*depth(run, one), True)
    if one.field == "across":
        fact, remedy = across(run, one.layers[0])
        return fact, f"; {remedy}", True
    if one.kind == "data":
        return of_data(run, one, name, better)
    if one.kind == "lr-mult" and one.field == "frozen":
        keeps = "keep" if len(one.layers) > 1 else "keeps"
        fact = f"{name}{more(one)} {keeps} the random weights of a filler, as lr_mult is {value:g}"
        return fact, f"; set {better}, or load weights", False
    if one.kind == "lr-mult":
        return f"lr_mult {value:g} multiplies the rate of {name}", " and is most likely too high", False
    if one.kind == "target-scale":
        fact = f'the targets of {name}, "{one.field}", are up to {number(value)}, and the gradient grows with them'
        if one.figure < 1:
            fact = f'the targets of {name}, "{one.field}", are at most {number(value)}, and the gradient is as small'
        return fact, "; scale them to about 1", False
    if one.kind == "weights":
        return weights(one, f"{name}{more(one)}")
    if one.kind == "layer":
        return f"{name} makes nan or inf from finite values", f"; set {better}", one.proved
    return NOUNS[one.kind], f"; try {better}" if better else "", False


def _momentum(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    value = one.value
    if one.field == "momentum2":
        root = "0, so no weight changes" if value == 1 else "that of a negative number, which is nan"
        return f"momentum2 {value:g} makes Adam's sqrt(1 - momentum2^t) {root}", f"; try {better}", True
    if not one.proved:
        return f"momentum {value:g} adds up the last {1 / (1 - abs(value)):.0f} updates", f"; try {better}", False
    what = "divides by 1 - momentum^t = 0" if run.solver.type == "Adam" else "lets updates grow without end"
    return f"momentum {value:g} {what}", f"; try {better}", True


def _weight_decay(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if not one.field:
        return (*_decay(run, one), not math.isnan(one.figure))
    takes = "all of each weight and more" if one.figure >= 1 else f"{number(one.figure)} of each weight"
    fact = f"decay_mult {one.value:g} multiplies the weight decay of {name}, which takes {takes} in every update"
    return fact, f"; set {better}" if better else "", True


def _statistics(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field == "eps":
        left = "" if math.isnan(one.figure) else f", which leaves values of {number(one.figure)}"
        divides = "divide" if len(one.layers) > 1 else "divides"
        fact = f"{name}{more(one)} {divides} by sqrt(variance + eps), and eps {one.value:g} outweighs the variance"
        return f"{fact}{left}", f"; set {better}" if better else "", True
    fact = f"{name}{more(one)}: use_global_stats: true without trained statistics divides by sqrt(eps), which"
    fact += " multiplies by 316"
    if run.loaded:
        fact += "; the weights that were loaded hold none for it, or only 0, or a factor of 0: load some that do"
        return fact, ", or remove it in TRAIN", True
    return fact, "; remove it in TRAIN, or load weights", True


def _targets(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field in PAIRS:
        return pairs(run, one, name), f"; try {better}", False
    fact = f'the targets of {name}, "{one.field}", are {number(one.value)} to {number(one.figure)}, but it takes 0 to 1'
    if one.value % 1 or one.figure % 1:
        fact += "; if they are quantities, a EuclideanLoss takes them as they are"
    return fact, "; scale them to that range", True


def _schedule(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    span = f"from {number(one.value)} to {number(one.figure)}"
    if not one.field:
        return f"the rate rises {span}", "; use a schedule that lowers it", True
    advice = f"; set {better}" if better else "; use a schedule that takes longer"
    fields = listed([f"{field} {_given(run, field)}" for field in run.solver.schedule.reads if run.solver.has(field)])
    policy = f'lr_policy "{run.solver.message.lr_policy}"' + (f" with {fields}" if fields else "")
    if one.field == "held":
        return f"{policy} keeps the rate at {number(one.figure)} or less, though base_lr is {one.value:g}", advice, True
    each = "multiplies the rate in each iteration," if run.solver.message.lr_policy == "exp" else "takes the rate"
    return f"{policy} {each} {span} in {len(run.iterations)} iterations", advice, True


def _given(run: Run, field: str) -> str:
    """A field of the solver as text, of several values the first few."""
    value = getattr(run.solver.message, field)
    if isinstance(value, int | float):
        return f"{value:g}"
    return ", ".join(f"{one:g}" for one in value[:_VALUES]) + (", ..." if len(value) > _VALUES else "")


def _fillers(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field == "zero":
        return f"the weights of {name} are 0", f"; set {better}" if better else "; give it a weight_filler", True
    if one.field == "bias":
        ends = "less, below" if one.value < 0 else "more, above"
        fact = f"the bias_filler of {name}{more(one)} starts every bias at {number(one.value)} or {ends} all that its"
        fact += " weights add"
        return fact, f"; set {better}" if better else "", True
    if one.field == "prior":
        return prior(one, name, better)
    size = f"start {number(one.figure)} times as large as those that keep"
    if one.field == "small":
        size = f"start at {number(one.figure)} of the size that keeps"
    remedy = f"apply {better}" if better.startswith(_FIX) else "use xavier or msra fillers"
    return f"the weights of {name}{more(one)} {size} values in scale", f"; {remedy}", False


def _clipping(run: Run, one: Hypothesis, name: str, better: str) -> Words:
    if one.field == "tiny":
        fact = f"clip_gradients {one.value:g} makes the gradient {number(one.figure)} times smaller"
        return fact, f"; raise it, or set {better}", False
    return f"nothing clips the gradient of {name}, which grows over the steps of a sequence", f"; set {better}", False


_OF_SEVERAL_FIELDS: dict[str, Callable[[Run, Hypothesis, str, str], Words]] = {
    "clip-gradients": _clipping,
    "fillers": _fillers,
    "labels": _targets,
    "loss": loss,
    "loss-weight": loss_weight,
    "momentum": _momentum,
    "schedule": _schedule,
    "statistics": _statistics,
    "weight-decay": _weight_decay,
}


def _decay(run: Run, one: Hypothesis) -> tuple[str, str]:
    message = run.solver.message
    built_up = ""
    if 0 < message.momentum < 1:
        built_up = f" once momentum {message.momentum:g} has built up"
    text = "is far above what is usual, 0.0005"
    if one.value < 0:
        text = "makes weights grow in every update"
    elif one.figure == math.inf:
        text = "outweighs the gradient of the loss, and pulls the weights to 0"
        if message.regularization_type == "L1":
            text = f'with regularization_type "L1" takes as much from small weights as from large ones, {text}'
    elif not math.isnan(one.figure) and message.regularization_type == "L1":
        text = f"subtracts {number(one.figure)} from every weight in an update, more than the weights themselves"
    elif not math.isnan(one.figure):
        text = f"makes an update subtract {number(one.figure)} times the value of each weight{built_up},"
        text += " so weights change sign and grow"
    return f"weight_decay {one.value:g} {text}", "; try weight_decay: 0.0005"
