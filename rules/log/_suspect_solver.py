"""Suspects of the solver and the losses, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from caffelint.evidence.log.rule import Suspect
from caffelint.lint.numerics import number

from ._words import rounded_to_one


def _rate(one: Suspect, where: str) -> str:
    if math.isnan(one.figure) or one.figure < 1:
        return f"base_lr {one.value:g}{where} is too high; try base_lr: {rounded_to_one(one.better)}"
    times = f"makes the first updates {number(one.figure)} times the weights"
    return f"base_lr {one.value:g}{where} {times}; try base_lr: {rounded_to_one(one.better)}"


def _slow_rate(one: Suspect, where: str) -> str:
    what = f"base_lr {one.value:g}{where} is so low that the weights hardly move"
    if not math.isnan(one.figure):
        what += f", by {number(one.figure)} of their size in the whole training"
    return f"{what}; try base_lr: {rounded_to_one(one.better)}"


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


def _delta(one: Suspect, where: str) -> str:
    return f"delta {one.value:g}{where} is far above any gradient, so updates are tiny; set delta: 1e-8"


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
        f'; set loss_weight: {rounded_to_one(one.value / one.figure)} in "{one.layer}"{where}'
    )


def _summed(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}"{where} adds up {number(one.figure)} losses instead of taking their mean; set loss_param'
        " { normalization: VALID }, or lower its loss_weight as much"
    )


def _infogain(one: Suspect, where: str) -> str:
    name = f' "{one.name}"' if one.name else ""
    what = f'the matrix H{name} of "{one.layer}"{where} holds values that are too large'
    if one.value == 0:
        return f'the matrix H{name} of "{one.layer}"{where} holds zeros only; write one whose rows sum to about 1'
    if math.isnan(one.figure):
        what = f'the matrix H{name} of "{one.layer}"{where} holds nan or values that are too large'
    elif one.figure > 1:
        what += f", as the first loss is {number(one.figure)} times that of guessing"
    return f"{what}; write one whose rows sum to about 1"


WORDS: dict[str, Callable[[Suspect, str], str]] = {
    "rate": _rate,
    "slow-rate": _slow_rate,
    "momentum": _momentum,
    "decay": _decay,
    "l1": _l1,
    "clip-gradients": _clip,
    "schedule": _schedule,
    "delta": _delta,
    "loss-weight": _loss_weight,
    "dominates": _dominates,
    "summed": _summed,
    "infogain": _infogain,
}
