"""Suspects of the net, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from caffelint.evidence.log.rule import Suspect
from caffelint.lint.numerics import number

from ._words import counted


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


def _last_relu(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}"{where} makes 0 of all negative scores that "{one.name}" reads, and these get no gradient;'
        " remove it"
    )


WORDS: dict[str, Callable[[Suspect, str], str]] = {
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
    "last-relu": _last_relu,
}
