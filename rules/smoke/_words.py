"""Numbers and causes in words."""

from __future__ import annotations

import math

from caffelint.smoke.run import NonFinite, Run, loss_grew

LARGEST = 3.4e38
_WHY = {
    "Log": "the log of 0 is -inf and that of a negative value nan; keep what it reads above 0, by log_param shift",
    "Power": "a negative base under a broken power is nan, 0 under a negative one inf; keep the base above 0 by shift",
    "Exp": "e^x is infinite from x = 88.7 on; scale what it reads down, or normalise it before",
    "LRN": "it raises k + alpha * sum to a power: with k 0 and zeros about it divides by 0; set k above 0",
    "BatchNorm": "it divides by sqrt(variance + eps): the variance is 0 or was never learnt; raise eps, and use"
    " use_global_stats: true with trained statistics alone",
    "Pooling": "a window that covers no pixel has no average and no largest value; change kernel, stride or pad",
    "MultinomialLogisticLoss": "it takes the log of probabilities: put a Softmax before it, or use SoftmaxWithLoss",
}
"""Why a type gives values that are not finite of its own, and what to do."""


def number(value: float) -> str:
    return f"{value:.4g}"


def extent(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def amount(event: NonFinite) -> str:
    """`nan`, or `inf in 3 of 80 values`."""
    what = "nan and inf" if event.nan and event.inf else "nan" if event.nan else "inf"
    bad = event.nan + event.inf
    return (
        what
        if event.size == 1
        else f"{what} in all {event.size} values"
        if bad == event.size
        else (f"{what} in {bad} of {event.size} values")
    )


def when(event: NonFinite) -> str:
    if event.iteration < 0:
        return "before the first update"
    return f"in iteration {event.iteration}"


def read(event: NonFinite) -> str:
    """What the layer read: `"fc" held 0 to 2.3`."""
    parts = []
    for name, (low, high, bad) in event.inputs.items():
        what = f'"{name}"'
        if math.isnan(low):
            parts.append(f"{what} held no finite value" if bad else f"{what} held nothing")
        else:
            parts.append(f"{what} held {extent(low, high)}" + (f", {bad} of them not finite" if bad else ""))
    return ", ".join(parts[:3])


def largest_read(event: NonFinite) -> float:
    values = [max(abs(low), abs(high)) for low, high, _ in event.inputs.values() if not math.isnan(low)]
    return max(values, default=0.0)


def because(run: Run, event: NonFinite) -> str:
    """The likeliest cause of a value that is not finite, and what to do."""
    layer = run.layer(event.layer, event.net)
    kind = layer.type if layer else ""
    grew = loss_grew(run.iterations[: event.iteration]) if event.iteration > 0 else None
    if not event.inputs and layer and not layer.bottoms:
        return "the data itself holds it: look for nan and inf in the source"
    if event.iteration < 0:
        own = _WHY.get(kind)
        if own and largest_read(event) < 1e10:
            return f"no update was made yet, so the rate is not to blame: {own}"
        if largest_read(event) > 1e10:
            return (
                "no update was made yet, so the rate is not to blame: values grow from layer to layer until they"
                " overflow; use fillers that keep their size (xavier, msra), scale the input, or fill BatchNorm's"
                " statistics from trained weights"
            )
        return "no update was made yet, so the rate is not to blame: look at the data, the fillers and BatchNorm"
    if grew or largest_read(event) > 1e10:
        text = f"{run.rate_text} is most likely too high"
        if grew:
            text += f": the loss went from {number(grew[0])} to {number(grew[1])} before"
        return f"{text}; try a tenth of it, or clip_gradients"
    if kind in _WHY:
        return _WHY[kind]
    return f"the step before was too large for {run.rate_text}; try a tenth of it"
