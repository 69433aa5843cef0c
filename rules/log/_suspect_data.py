"""Suspects of what is read, loaded, or not finite, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from caffelint.evidence.log.rule import Suspect
from caffelint.lint.numerics import number

from ._words import far_targets


def _input(one: Suspect, where: str) -> str:
    size = f"values of about {number(one.figure)}"
    return f'"{one.layer}" gives {size} with scale {one.value:g}{where}; set a scale that brings them to about 1'


def _targets(one: Suspect, where: str) -> str:
    are, why = far_targets(one.figure)
    return f'by its first loss, the targets of "{one.layer}"{where} {are}; {why}'


def _labels(one: Suspect, where: str) -> str:
    first = f'the first loss of "{one.layer}"{where} is {number(one.value)}, but its net gives {number(one.figure)}'
    return (
        f"{first} for labels from 0 to {one.more - 1}: labels beyond these are the usual cause, else an input far above"
        " 1; set num_output to the number of classes; `caffelint data` names the labels that do not fit, and the range"
        " of the input"
    )


def _domain(one: Suspect, where: str) -> str:
    if one.name == "Log":
        may = f'"{one.layer}"{where} takes the logarithm of values that may be 0 or negative'
        return f"{may}; set log_param {{ shift: 1 }}"
    if one.name == "Exp":
        scaled = not math.isnan(one.value)
        most = number(88 / abs(one.value)) if scaled else "88"
        steep = f", with its scale of {one.value:g}" if scaled else ""
        return f'"{one.layer}"{where} overflows where it reads more than {most}{steep}; scale or bound what it reads'
    return (
        f'"{one.layer}"{where} raises to the power {one.value:g} what may be 0 or negative, and its value or gradient'
        " is not finite there; set a small shift, such as shift: 1e-5"
    )


def _statistics(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}"{where} uses stored statistics, but no weights were loaded, so these are 0 and it multiplies by'
        " 1 / sqrt(eps); load the weights, or set use_global_stats: false"
    )


def _eps(one: Suspect, where: str) -> str:
    return f'eps {one.value:g} of "{one.layer}"{where} is far above any variance, so it gives about 0; set eps: 1e-5'


def _index(one: Suspect, where: str) -> str:
    return (
        f'"{one.layer}" takes numbers from 0 to {one.value - 1:g}{where}: higher ones read beside its weights; set'
        " input_dim to the number of words (`caffelint data` shows the range)"
    )


def _no_data(one: Suspect, where: str) -> str:
    return (
        f'the scores are made from the constants of "{one.layer}"{where} alone, and nothing of "{one.name}" gets there;'
        " mend the bottom that reads it"
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
    blank = exact or "nan, values that are far too large, or BatchNorm statistics of 0: "
    return f'the weights that were loaded from "{one.name}"{where}: {blank}`caffelint weights` names the layer'


def _python(one: Suspect, where: str) -> str:
    return (
        f'the Python layer "{one.layer}"{where}: print what it gives, and check its backward with `caffelint smoke'
        " --gradcheck`"
    )


WORDS: dict[str, Callable[[Suspect, str], str]] = {
    "input": _input,
    "targets": _targets,
    "labels": _labels,
    "records": _records,
    "domain": _domain,
    "eps": _eps,
    "statistics": _statistics,
    "index": _index,
    "no-data": _no_data,
    "no-scale": _no_scale,
    "loaded": _loaded,
    "python": _python,
}
