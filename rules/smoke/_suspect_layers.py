"""Hypotheses on what a single layer does with its values, in words."""

from __future__ import annotations

from caffelint.lint import title
from caffelint.smoke.rule import Hypothesis

from ._numbers import number

OF_LAYERS = (
    "bounded",
    "rectified",
    "answers",
    "dropped",
    "product",
    "mixed",
    "factor",
    "unbounded",
    "shrinks",
    "expands",
)
"""Fields of hypotheses on what a single layer does with its values."""


def of_layers(one: Hypothesis, name: str, better: str) -> tuple[str, str]:
    value, figure = number(one.value), number(one.figure)
    advice = f"; set {better}" if better else ""
    if one.field == "bounded":
        return f"{name} cannot give the targets of {title(one.layers[1])}, which are {value} to {figure}", "; remove it"
    if one.field == "rectified":
        return f"{name} lets no score of {title(one.layers[1])} fall below 0", "; remove it"
    if one.field == "answers":
        return f"{name} sets some of the answers that {title(one.layers[1])} reads to 0 by chance", "; remove it"
    if one.field == "dropped":
        return f"dropout_ratio {one.value:g} of {name} leaves one value in {1 / (1 - one.value):.0f}", advice
    if one.field == "product":
        count = len(one.layers[0].bottoms)
        return f"{name} multiplies {count} bottoms of values up to {value}, which makes values up to {figure}", advice
    if one.field == "mixed":
        how = "coeff" if one.value else "operation PROD"
        return f"{how} of {name}{more(one)} makes values {number(one.figure)} times as large", advice
    if one.field == "factor":
        what = "slopes" if one.layers[0].type == "PReLU" else "factors"
        return f"the {what} of {name}{more(one)} start at {value}", advice
    if one.field == "unbounded":
        return f"{name} adds up values of either sign, so the loss falls without end", advice
    if one.field == "shrinks":
        return f"{name} makes values of the size {figure} of values of the size {value}", advice
    return f"{name} makes values up to {figure} of values up to {value}", advice


def more(one: Hypothesis) -> str:
    return f" and {len(one.layers) - 1} more" if len(one.layers) > 1 else ""
