"""Each hypothesis on why a run went wrong, in words."""

from __future__ import annotations

import math

from caffelint.lint import title
from caffelint.smoke.rule import Hypothesis, Run

from ._numbers import number

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
    "weights": "the weights that were loaded",
}
"""What is ruled out."""


def suspect(run: Run, one: Hypothesis) -> tuple[str, str, bool]:
    """The fact, the advice that follows from it, and whether it is sure to do what happened."""
    solver, value = run.solver, one.value
    name = title(one.layers[0]) if one.layers else ""
    better = one.changes[0].text if one.changes else ""
    if one.kind == "iter-size":
        return f"iter_size {value:g} makes the update divide 0 by 0", f"; set {better}", True
    if one.kind == "momentum" and one.field == "momentum2":
        root = "0, so no weight changes" if value == 1 else "that of a negative number, which is nan"
        return f"momentum2 {value:g} makes Adam's sqrt(1 - momentum2^t) {root}", f"; try {better}", True
    if one.kind == "momentum":
        if not one.proved:
            return f"momentum {value:g} adds up the last {1 / (1 - abs(value)):.0f} updates", f"; try {better}", False
        what = "divides by 1 - momentum^t = 0" if solver.type == "Adam" else "lets updates grow without end"
        return f"momentum {value:g} {what}", f"; try {better}", True
    if one.kind == "delta":
        fact = f"{solver.type} divides by sqrt(history) + delta, and delta {value:g} does not keep that above 0"
        return fact, "", True
    if one.kind == "weight-decay":
        return (*_decay(run, one), not math.isnan(one.figure))
    if one.kind == "statistics":
        more = f" and {len(one.layers) - 1} more" if len(one.layers) > 1 else ""
        fact = f"{name}{more}: use_global_stats: true without trained statistics divides by sqrt(eps), which"
        return f"{fact} multiplies by 316", "; remove it in TRAIN, or load weights", True
    if one.kind == "schedule" and one.field == "falls":
        return (
            f"the rate falls from {number(value)} to {number(one.figure)}",
            "; use a schedule that takes longer",
            True,
        )
    if one.kind == "schedule":
        fact = f"the rate rises from {number(value)} to {number(one.figure)}"
        return fact, "; use a schedule that lowers it", True
    if one.kind == "loss-weight" and one.field == "ratio":
        fact = f"the loss of {name} is {number(one.figure)} times that of {title(one.layers[1])}, and outweighs it"
        return fact, f"; try {better}", False
    if one.kind == "loss-weight" and one.proved:
        fact = f"loss_weight {value:g} makes the loss of {name} grow, whatever the rate"
        return fact, "; remove the minus sign", True
    if one.kind == "loss-weight" and one.field == "tiny":
        return f"loss_weight {value:g} leaves next to nothing of every gradient", f"; set {better}", False
    if one.kind == "loss-weight":
        return f"loss_weight {value:g} multiplies every gradient", " and is most likely too high", False
    if one.kind == "lr-mult":
        return f"lr_mult {value:g} multiplies the rate of {name}", " and is most likely too high", False
    if one.kind == "target-scale":
        fact = f'the targets of {name}, "{one.field}", are up to {number(value)}, and the gradient grows with them'
        return fact, "; scale them to about 1", False
    if one.kind == "loss" and one.field == "type":
        fact = f"{name} takes the log of probabilities, but reads {number(value)} to {number(one.figure)}"
        return fact, f"; put a Softmax before it, or set {better}", True
    if one.kind == "loss":
        return f"the loss of {name} is the sum over {value:.0f} labels, not their mean", f"; set {better}", False
    if one.kind == "weights":
        size = "not finite" if math.isnan(one.figure) else f"{number(one.figure)} times as large as is usual"
        return f"the weights that were loaded into {name} are {size}", "; look at the file of --weights", False
    if one.kind == "fillers":
        more = f" and {len(one.layers) - 1} more" if len(one.layers) > 1 else ""
        size = f"start {number(one.figure)} times as large as those that keep"
        if one.field == "small":
            size = f"start at {number(one.figure)} of the size that keeps"
        fact = f"the weights of {name}{more} {size} values in scale"
        return fact, "; use xavier or msra fillers", False
    if one.kind == "layer":
        return f"{name} makes values that are not finite of values that are", f"; set {better}", one.proved
    if one.kind == "clip-gradients" and one.field == "tiny":
        fact = f"clip_gradients {value:g} scales the gradient down more than a hundredfold"
        return fact, f"; raise it, or set {better}", False
    if one.kind == "clip-gradients":
        return (
            f"nothing clips the gradient of {name}, which grows over the steps of a sequence",
            f"; set {better}",
            False,
        )
    return NOUNS[one.kind], f"; try {better}" if better else "", False


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
    elif not math.isnan(one.figure) and message.regularization_type == "L1":
        text = f"subtracts {number(one.figure)} from every weight in an update, more than the weights themselves"
    elif not math.isnan(one.figure):
        text = f"subtracts {number(one.figure)} times each weight in an update{built_up}, so it overshoots"
    return f"weight_decay {one.value:g} {text}", "; try weight_decay: 0.0005"
