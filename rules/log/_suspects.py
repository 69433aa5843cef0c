"""The suspects of a run that went wrong, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from caffelint.evidence.log.rule import LogEvidence, Logged, Suspect
from caffelint.lint import CauseKind, Known
from caffelint.lint.numerics import number

KINDS: dict[str, CauseKind] = {
    "rate": "rate",
    "slow-rate": "rate",
    "momentum": "momentum",
    "decay": "weight-decay",
    "l1": "weight-decay",
    "decay-mult": "weight-decay",
    "clip-gradients": "clip-gradients",
    "schedule": "schedule",
    "loss-weight": "loss-weight",
    "dominates": "loss-weight",
    "summed": "loss",
    "infogain": "data",
    "filler": "fillers",
    "no-weights": "fillers",
    "alike": "fillers",
    "bias": "fillers",
    "vanishes": "fillers",
    "saturates": "depth",
    "no-gradient": "layer",
    "frozen": "lr-mult",
    "lr-mult": "lr-mult",
    "dropout": "layer",
    "input": "input-scale",
    "targets": "target-scale",
    "labels": "labels",
    "records": "data",
    "domain": "layer",
    "no-scale": "fillers",
    "loaded": "weights",
    "python": "python-layer",
}


_SURE = 1.5


class Explained(NamedTuple):
    """most: the likeliest cause and its remedy, "" where nothing is known. others: what may be instead. kind: of it.

    known: what a check says of it. is_sure: is it that far out of the ordinary that it needs no other sign?
    """

    most: str = ""
    others: str = ""
    kind: CauseKind = "unknown"
    known: tuple[Known, ...] = ()
    is_sure: bool = False


def explained(log: LogEvidence, run: Logged, effects: Sequence[str]) -> Explained:
    found = log.suspects(run, effects)
    if not found:
        return Explained()
    first, *rest = found
    known = tuple(one.known for one in found if one.known is not None)
    others = f"it may be instead: {'; '.join(_told(log, one) for one in rest)}" if rest else ""
    return Explained(
        f"most likely, {_told(log, first)}", others, KINDS.get(first.kind, "unknown"), known, first.score >= _SURE
    )


def _told(log: LogEvidence, one: Suspect) -> str:
    if one.known is not None:
        line = f" (line {one.known.line})" if one.known.line else ""
        return f"{one.known.message}{line} [{one.known.name}]"
    where = f" (line {one.line.number})" if one.line else ""
    return WORDS[one.kind](one, where)


def _rate(one: Suspect, where: str) -> str:
    if math.isnan(one.figure) or one.figure < 1:
        return f"base_lr {one.value:g}{where} is too high; try base_lr: {_rounded(one.better)}"
    times = f"makes the first updates {number(one.figure)} times the weights"
    return f"base_lr {one.value:g}{where} {times}; try base_lr: {_rounded(one.better)}"


def _slow_rate(one: Suspect, where: str) -> str:
    what = f"base_lr {one.value:g}{where} is so low that the weights hardly move"
    if not math.isnan(one.figure):
        what += f", by {number(one.figure)} of their size in the whole training"
    return f"{what}; try base_lr: {_rounded(one.better)}"


def _momentum(one: Suspect, where: str) -> str:
    times = f", so that updates add up to {number(one.figure)} times one step," if one.figure < 1e6 else ""
    return f"momentum {one.value:g}{where} is too high{times or ','} where 0.9 gives 10; set momentum: 0.9"


def _decay(one: Suspect, where: str) -> str:
    if one.value < 0:
        return f"weight_decay {one.value:g}{where} is negative and makes the weights grow; set weight_decay: 0.0005"
    what = f"weight_decay {one.value:g}{where} is {number(one.value / 0.0005)} times the usual 0.0005"
    if not math.isnan(one.figure):
        what += f" and takes {number(one.figure)} times each weight in an update"
    return f"{what}, so it pulls the weights to 0; set weight_decay: 0.0005"


def _l1(one: Suspect, where: str) -> str:
    after = f" within {number(max(one.figure, 1))} updates" if not math.isnan(one.figure) else ""
    return (
        f"weight_decay {one.value:g}{where} with L1 takes the same from each weight, large or small, so it pulls them"
        f" to 0{after}; set weight_decay: 1e-5 or less, or use L2"
    )


def _clip(one: Suspect, where: str) -> str:
    times = "" if math.isnan(one.figure) else f", which cuts them to 1/{number(one.figure)}"
    return f"clip_gradients {one.value:g}{where} makes all updates tiny{times}; set clip_gradients: 10, or leave it out"


def _schedule(one: Suspect, where: str) -> str:
    if one.figure > one.value:
        rises = f"the schedule{where} raises the rate from {number(one.value)} to {number(one.figure)}"
        return f"{rises}; let it fall: gamma below 1, or a negative power with inv"
    falls = f"the schedule{where} has brought the rate from {number(one.value)} to {number(one.figure)}"
    return f"{falls} in iteration {one.more} already; let it fall later, or by less"


def _loss_weight(one: Suspect, where: str) -> str:
    what = f'loss_weight {one.value:g} of "{one.layer}"{where}'
    if one.value < 0:
        return f"{what} is negative, so the loss is made larger; set loss_weight: 1"
    does = "multiplies every gradient" if one.value > 1 else "makes every gradient that small"
    return f"{what} {does}; set loss_weight: 1"


def _dominates(one: Suspect, where: str) -> str:
    return (
        f'the loss of "{one.layer}" is {number(one.figure)} times that of "{one.name}", so it alone decides the updates'
        f'; set loss_weight: {_rounded(one.value / one.figure)} in "{one.layer}"{where}'
    )


def _summed(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}"{where} adds up {number(one.figure)} losses instead of taking their mean; set loss_param'
        " { normalization: VALID }, or lower its loss_weight as much"
    )


def _infogain(one: Suspect, where: str) -> str:
    name = f' "{one.name}"' if one.name else ""
    what = f'the matrix H{name} of "{one.layer}"{where} holds values that are too large'
    if math.isnan(one.figure):
        what = f'the matrix H{name} of "{one.layer}"{where} holds nan or values that are too large'
    elif one.figure > 1:
        what += f", as the first loss is {number(one.figure)} times that of guessing"
    return f"{what}; write one whose rows sum to about 1"


def _filler(one: Suspect, where: str) -> str:
    more = f", those of {counted(one.more, 'more layer')} likewise" if one.more else ""
    than = f"{number(one.figure)} times" if one.figure > 1 else f"1/{number(1 / one.figure)} of"
    return (
        f'the weights of "{one.layer}"{where} begin at about {number(one.value)}, {than} what keeps the size of a'
        f' signal{more}; set weight_filler {{ type: "msra" }}'
    )


def _no_weights(one: Suspect, where: str) -> str:
    return (
        f'the weights of "{one.layer}"{where} begin at 0, so nothing comes through it and nothing before it learns; set'
        ' weight_filler { type: "msra" }'
    )


def _alike(one: Suspect, where: str) -> str:
    return (
        f'all weights of "{one.layer}"{where} begin at {one.value:g}, so all its outputs learn the same; set'
        ' weight_filler { type: "msra" }'
    )


def _bias(one: Suspect, where: str) -> str:
    dead = ", so the ReLU after it gives 0 and nothing before it learns" if one.more else ""
    return f'the bias of "{one.layer}"{where} begins at {one.value:g}{dead}; set bias_filler {{ value: 0 }}'


def _vanishes(one: Suspect, where: str) -> str:
    more = f" and {counted(one.more, 'more layer')}" if one.more else ""
    return (
        f"the signal fades on its way: the last scores begin at about {number(one.figure)}; set weight_filler"
        f' {{ type: "msra" }} in "{one.layer}"{where}{more}, or add BatchNorm'
    )


def _saturates(one: Suspect, where: str) -> str:
    fades = f", to {number(one.figure)} of itself" if not math.isnan(one.figure) else ""
    return (
        f'the gradient fades through {one.more + 1} layers of {one.name}, from "{one.layer}"{where} on{fades}; use ReLU'
        " with msra fillers, or BatchNorm before each"
    )


def _no_gradient(one: Suspect, where: str) -> str:
    below = f'"{one.name}"' if one.more == 1 else f'"{one.name}" and {counted(one.more - 1, "more layer")}'
    return f'propagate_down: false of "{one.layer}"{where} keeps {below} from learning; remove it'


def _frozen(one: Suspect, where: str) -> str:
    more = f" and {counted(one.more, 'more layer')}" if one.more else ""
    return (
        f'lr_mult 0 keeps "{one.layer}"{where}{more} at what the fillers drew; set lr_mult: 1, or load weights for them'
    )


def _lr_mult(one: Suspect, where: str) -> str:
    does = "is negative, so its updates go up the slope" if one.value < 0 else "multiplies its updates"
    return f'lr_mult {one.value:g} of "{one.layer}"{where} {does}; set lr_mult: 1'


def _decay_mult(one: Suspect, where: str) -> str:
    return f'decay_mult {one.value:g} of "{one.layer}"{where} pulls its weights to 0; set decay_mult: 1'


def _dropout(one: Suspect, where: str) -> str:
    return f'dropout_ratio {one.value:g} of "{one.layer}"{where} leaves next to nothing; set dropout_ratio: 0.5'


def _input(one: Suspect, where: str) -> str:
    size = f"values of about {number(one.figure)}"
    return f'"{one.layer}" gives {size} with scale {one.value:g}{where}; set a scale that brings them to about 1'


def _targets(one: Suspect, where: str) -> str:
    about = f"{float(f'{one.figure:.1g}'):g}"
    return (
        f'by its first loss, the targets of "{one.layer}"{where} are about {about}, or what the net reads is as large;'
        f" divide them by {about}, so that they are about 1 (`caffelint data` shows their range)"
    )


def _labels(one: Suspect, where: str) -> str:
    first = f'the first loss of "{one.layer}"{where} is {number(one.value)}, but its net gives {number(one.figure)}'
    return (
        f"{first} for labels from 0 to {one.more - 1}: labels beyond these are the usual cause; set num_output to the"
        " number of classes, and see `caffelint data`, which names the labels that do not fit"
    )


def _domain(one: Suspect, where: str) -> str:
    if one.name == "Log":
        may = f'"{one.layer}"{where} takes the logarithm of values that may be 0 or negative'
        return f"{may}; set log_param {{ shift: 1 }}"
    return (
        f'"{one.layer}"{where} raises to the power {one.value:g} what may be 0 or negative, and its value or gradient'
        " is not finite there; set a small shift, such as shift: 1e-5"
    )


def _no_scale(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}"{where} begins with factors of {one.value:g}, so next to nothing comes through it; set filler'
        " { value: 1 }"
    )


def _records(one: Suspect, where: str) -> str:
    source = f' of "{one.name}"' if one.name else ""
    reads = f' that "{one.layer}"{where} reads' if one.layer else ""
    return (
        f"the records{source}{reads}: one that holds nan, or values or labels far out of range; `caffelint data` names"
        " it"
    )


def _loaded(one: Suspect, where: str) -> str:
    exact = (
        "the first loss is exactly that of scores which are all equal, so they are 0 or all alike: "
        if one.value == 1
        else ""
    )
    return f'the weights that were loaded from "{one.name}"{where}: {exact}see `caffelint weights`, or start without'


def _python(one: Suspect, where: str) -> str:
    return (
        f'the Python layer "{one.layer}"{where}: print what it gives, and check its backward with `caffelint smoke'
        " --gradcheck`"
    )


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _rounded(value: float) -> str:
    return f"{float(f'{value:.1g}'):g}"


WORDS: dict[str, Callable[[Suspect, str], str]] = {
    "rate": _rate,
    "slow-rate": _slow_rate,
    "momentum": _momentum,
    "decay": _decay,
    "l1": _l1,
    "clip-gradients": _clip,
    "schedule": _schedule,
    "loss-weight": _loss_weight,
    "dominates": _dominates,
    "summed": _summed,
    "infogain": _infogain,
    "filler": _filler,
    "no-weights": _no_weights,
    "alike": _alike,
    "bias": _bias,
    "vanishes": _vanishes,
    "saturates": _saturates,
    "no-gradient": _no_gradient,
    "frozen": _frozen,
    "lr-mult": _lr_mult,
    "decay-mult": _decay_mult,
    "dropout": _dropout,
    "input": _input,
    "targets": _targets,
    "labels": _labels,
    "records": _records,
    "domain": _domain,
    "no-scale": _no_scale,
    "loaded": _loaded,
    "python": _python,
}
