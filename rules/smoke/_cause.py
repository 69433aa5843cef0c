"""Why the updates of a run were too large, in words: the hypothesis that the experiments left, or the likeliest."""

from __future__ import annotations

import math

from caffelint.lint import CERTAIN, LIKELY, Cause, Suggested, title
from caffelint.smoke.rule import (
    BLOB,
    DATA,
    UNTESTED,
    BuiltLayer,
    Hypothesis,
    Run,
    Tried,
    first_ratios,
    hypotheses,
    large_input,
    refuted,
    survivor,
)
from caffelint.smoke.rule import bad_start as begins_badly

from ._numbers import number

_USUAL = 0.01
_RULES = (
    "high-base-lr",
    "dense-loss-unnormalized",
    "learning-rate-grows",
    "unscaled-input",
    "suspicious-loss-weight",
)
_NOUNS = {
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
    "layer": "the layer",
    "loss": "the loss",
}

_HOW = {
    "breaks": "it breaks",
    "grows": "its loss grows",
    "stops": "nothing learns",
    "dies": "units die",
    "flat": "the loss does not fall",
}
"""A trouble in words."""


def too_large(run: Run, after: int | None = None) -> Cause:
    """The cause of updates that are too large. after: the iteration that broke, None for the last."""
    best = survivor(run.tried)
    if best is not None:
        cause = _cause(run, best.hypothesis, tested=True)
        why = "; ".join([f"{cause.why}; {_cured(best)}", *ruled_out(run)])
        return cause._replace(why=why, certainty=CERTAIN, suggested=best.change.suggested)
    gone = {one.hypothesis.place for one in refuted(run.tried)}
    left = [one for one in hypotheses(run, after) if one.place not in gone]
    if not left:
        return Cause("unknown", "", "; ".join(ruled_out(run)), LIKELY)
    cause = _cause(run, left[0])
    doubt = ["this was not tested"] if any(one.outcome == UNTESTED for one in run.tried) or gone else []
    return cause._replace(why="; ".join([cause.why, *doubt, *ruled_out(run)]))


def _cured(best: Tried) -> str:
    """`with base_lr: 0.1 it learns: loss 2.31 to 0.9 in 50 iterations`."""
    how = "learns" if best.learned else "runs"
    where = f' at "{best.change.layer}"' if best.change.layer and not best.change.text.startswith("layer {") else ""
    fell = f"loss {number(best.first)} to {number(best.last)} in {best.iterations} iterations"
    return f"with {best.change.text}{where} it {how}: {fell}"


def ruled_out(run: Run) -> list[str]:
    """`not the rate: with base_lr: 0.001 it breaks in iteration 3`."""
    words = []
    for one in refuted(run.tried):
        kind = _HOW.get(one.kind, "its first update is too large")
        when = " before any update" if one.iteration < 0 else f" in iteration {one.iteration}"
        when = when if one.kind in ("breaks", "grows") else ""
        words.append(f"not {_NOUNS.get(one.hypothesis.kind, one.hypothesis.kind)}: with {one.change.text} {kind}{when}")
    return words


def _cause(run: Run, one: Hypothesis, tested: bool = False) -> Cause:
    """A hypothesis in words. tested: did an experiment confirm it? Its words come after, in place of advice."""
    if one.kind in ("start", "input-scale"):
        return _start(run, one, tested)
    if one.kind == "rate":
        return _rate(run, one, tested)
    fact, advice, sure = _words(run, one)
    rules: tuple[str, ...] = _RULES
    if one.kind == "weight-decay":
        rules = ("weight-decay-out-of-range",)
    elif one.kind == "loss-weight" and one.value < 0:
        rules = ("suspicious-loss-weight",)
    first = one.changes[0].suggested if one.changes and one.kind in _SUGGESTED else None
    certainty = CERTAIN if sure else LIKELY
    why = fact if tested else f"{fact}{advice}"
    return Cause(one.kind, "", why, certainty, one.place, run.known(rules=rules), first)


_SUGGESTED = ("iter-size", "momentum", "weight-decay")
"""Kinds whose value is suggested although nothing was tried."""


def _words(run: Run, one: Hypothesis) -> tuple[str, str, bool]:
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
    if one.kind == "schedule":
        fact = f"the rate rises from {number(value)} to {number(one.figure)}"
        return fact, "; use a schedule that lowers it", True
    if one.kind == "loss-weight" and one.field == "ratio":
        fact = f"the loss of {name} is {number(one.figure)} times that of {title(one.layers[1])}, and outweighs it"
        return fact, f"; try {better}", False
    if one.kind == "loss-weight" and one.proved:
        fact = f"loss_weight {value:g} makes the loss of {name} grow, whatever the rate"
        return fact, "; remove the minus sign", True
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
    if one.kind == "fillers":
        more = f" and {len(one.layers) - 1} more" if len(one.layers) > 1 else ""
        size = f"start {number(one.figure)} times as large as those that keep"
        if one.field == "small":
            size = f"start at {number(one.figure)} of the size that keeps"
        fact = f"the weights of {name}{more} {size} values in scale"
        return fact, "; use xavier or msra fillers", False
    if one.kind == "clip-gradients" and one.field == "tiny":
        fact = f"clip_gradients {value:g} scales the gradient down more than a hundredfold"
        return fact, f"; raise it, or set {better}", False
    if one.kind == "clip-gradients":
        return (
            f"nothing clips the gradient of {name}, which grows over the steps of a sequence",
            f"; set {better}",
            False,
        )
    return _NOUNS.get(one.kind, one.kind), f"; try {better}" if better else "", False


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


def bad_start(run: Run, better: Suggested | None) -> Cause | None:
    """A loss far above chance before any update: the input or the first weights are too large, not the rate.

    better: the rate that would do for the input as it is.
    """
    if begins_badly(run) is None:
        return None
    one = next((one for one in hypotheses(run) if one.kind in ("start", "input-scale")), None)
    return _start(run, one, False, better) if one is not None else None


def _start(run: Run, one: Hypothesis, tested: bool, better: Suggested | None = None) -> Cause:
    start = begins_badly(run)
    text = ""
    if start is not None:
        text = f"the loss is {number(start[0])} before any update, but chance gives {number(start[1])}"
    if one.kind == "start":
        text += ", so the rate is not the cause; scale the input or the fillers down"
        return Cause("start", "", text, LIKELY, one.place, run.known(rules=_RULES))
    text += f"{': ' if text else ''}{_holds(run, one.layers[0])}"
    scaled = one.changes[0].suggested if one.changes and one.layers[0].transforms else None
    if not tested:
        text += "; scale it to about 1"
        if scaled is not None:
            text += f" with transform_param {{ {scaled.text} }}"
        better = better or _rate_for(run)
        text += f", or try {better.text}"
    return Cause("input-scale", "", text, LIKELY, one.place, run.known(rules=("unscaled-input",)), scaled)


def _holds(run: Run, layer: BuiltLayer) -> str:
    top = layer.tops[0].name
    found = run.statistics(-1, layer.name, BLOB, top, DATA)
    assert found is not None
    return f'"{top}" holds {number(found.min)} to {number(found.max)}'


def _rate_for(run: Run) -> Suggested:
    """A rate for updates of the usual size, a tenth of the present one at most."""
    ratio = max(first_ratios(run).values(), default=0.0)
    share = min(0.1, _USUAL / ratio) if ratio > 0 else 0.1
    rate = float(f"{run.solver.message.base_lr * share:.1g}")
    # One suggestion is easier to believe than two that nearly agree.
    return Suggested(
        "base_lr", min([rate, *(one.value for one in run.suggested("high-base-lr") if one.value >= rate / 10)])
    )


def _rate(run: Run, one: Hypothesis, tested: bool) -> Cause:
    better = _rate_for(run)
    text = f"{run.rate_text} is too high"
    if not tested:
        text = f"{run.rate_text} is most likely too high; try {better.text}"
        if layer := large_input(run):
            text += f", or scale the input to about 1 ({_holds(run, layer)})"
    return Cause("rate", "", text, LIKELY, one.place, run.known(rules=_RULES), better)


def blank_statistics(run: Run) -> Cause | None:
    """A BatchNorm of the TRAIN net that normalises with stored statistics that are all 0."""
    blank = next((one for one in hypotheses(run) if one.kind == "statistics"), None)
    return _cause(run, blank) if blank is not None else None
