"""What the net reads, or makes of it before any update, in the words of a cause."""

from __future__ import annotations

from caffelint.lint import LIKELY, Cause, Suggested, title
from caffelint.smoke.rule import (
    Hypothesis,
    Input,
    Run,
    bad_start,
    first_ratios,
    large_input,
    scaled_again,
    small_input,
)

from ._numbers import number

_USUAL = 0.01
RULES = (
    "high-base-lr",
    "dense-loss-unnormalized",
    "learning-rate-grows",
    "unscaled-input",
    "suspicious-loss-weight",
)


def start(run: Run, one: Hypothesis, tested: bool, better: Suggested | None = None) -> Cause:
    """A hypothesis on the input. better: the rate that would do for it as it is."""
    begins = bad_start(run)
    text = ""
    if begins is not None:
        text = f"the loss is already {number(begins[0])} before any update (chance gives {number(begins[1])})"
    if one.kind == "start":
        text += ", so the rate is not the cause; scale the input or the fillers down"
        return Cause("start", "", text, LIKELY, one.place, run.known(rules=RULES))
    if one.field == "mean":
        layer = one.layers[0]
        text = f'less the mean of "{layer.message.transform_param.mean_file}", values of {title(layer)} are'
        text += f" {number(one.value)} to {number(one.figure)}, so that file does not hold the mean of such data"
        text += "" if tested else "; compute it with compute_image_mean"
        return Cause("input-scale", "", text, LIKELY, one.place, run.known(rules=("mean-unlike-data",)))
    if one.field == "offset":
        layer = one.layers[0]
        mean = layer.message.transform_param.mean_file if layer.transforms else ""
        text = f'less the mean of "{mean}", ' if mean else ""
        text += f"values of {title(layer)} are about {number(one.value)} and differ by only {number(one.figure)}"
        if mean:
            text += ", so that file does not hold the mean of such data"
        elif not tested:
            text += "; subtract their mean"
        return Cause("input-scale", "", text, LIKELY, one.place)
    held = small_input(run) if one.field == "small" else large_input(run)
    text += f"{': ' if text and held else ''}{holds(held) if held else ''}"
    if one.field == "small":
        text += ", so small that next to nothing of it gets to the loss"
        if held is not None and (again := scaled_again(held)) is not None:
            once = f"scale {held.layer.message.transform_param.scale:g} of {title(held.layer)}"
            text += f": it is scaled twice, by {once} and then by scale {again.message.power_param.scale:g}"
            text += f" of {title(again)}"
            if not tested:
                return Cause("input-scale", "", f"{text}; set scale: 1 in one of them", LIKELY, one.place)
    scaled = one.changes[0].suggested if one.changes and one.layers[0].transforms else None
    if not tested:
        text += "; scale it to about 1"
        if scaled is not None:
            text += f" with transform_param {{ {scaled.text} }}"
        if one.field != "small":
            better = better or rate_for(run)
            text += f", or try {better.text}"
    return Cause("input-scale", "", text, LIKELY, one.place, run.known(rules=("unscaled-input",)), scaled)


def holds(one: Input) -> str:
    return f'"{one.blob.name}" holds {number(one.found.min)} to {number(one.found.max)}'


def rate_for(run: Run) -> Suggested:
    """A rate for updates of the usual size, a tenth of the present one at most."""
    ratio = max(first_ratios(run).values(), default=0.0)
    share = min(0.1, _USUAL / ratio) if ratio > 0 else 0.1
    rate = float(f"{run.solver.message.base_lr * share:.1g}")
    # One suggestion is easier to believe than two that nearly agree.
    return Suggested(
        "base_lr", min([rate, *(one.value for one in run.suggested("high-base-lr") if one.value >= rate / 10)])
    )
