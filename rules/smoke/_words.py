"""Values that are not finite in words: how many, when, what was read, and why."""

from __future__ import annotations

import math

from caffelint.lint import CERTAIN, LIKELY, Cause
from caffelint.smoke.rule import BuiltLayer, NonFinite, Run, loss_grew

from ._cause import blank_statistics, too_large
from ._numbers import extent, number

HUGE = 1e10
_NOT_SURE = frozenset(["BatchNorm"])
WHY = {
    "Log": "the log of 0 is -inf and that of a negative value nan; keep what it reads above 0, by log_param shift",
    "Exp": "e^x is infinite from x = 88.7 on; scale what it reads down, or normalise it before",
    "LRN": "it raises k + alpha * sum to a power: with k 0 and zeros about it divides by 0; set k above 0",
    "BatchNorm": "it divides by sqrt(variance + eps): the variance is 0 or was never learnt; raise eps, and use"
    " use_global_stats: true with trained statistics alone",
    "Pooling": "a window that covers no pixel has no average and no largest value; change kernel, stride or pad",
    "MultinomialLogisticLoss": "it takes the log of probabilities: put a Softmax before it, or use SoftmaxWithLoss",
}
"""Why a type gives values that are not finite of its own, and what to do."""


def value(event: NonFinite) -> str:
    """`nan`, `inf` or `nan and inf`."""
    return "nan and inf" if event.nan and event.inf else "nan" if event.nan else "inf"


def amount(event: NonFinite) -> str:
    """`nan`, or `inf in 3 of 80 values`."""
    bad = event.nan + event.inf
    if event.size == 1:
        return value(event)
    return f"{value(event)} in {f'all {event.size}' if bad == event.size else f'{bad} of {event.size}'} values"


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


def because(run: Run, event: NonFinite) -> Cause:
    """The likeliest cause of a value that is not finite, what to do, and what a check says of it."""
    layer = run.layer(event.layer, event.net)
    if not event.inputs and layer and not layer.bottoms:
        return Cause("data", "", "the data itself holds it: look for nan and inf in the source")
    own = own_reason(layer, event) if layer else ""
    sure = LIKELY if layer and layer.type in _NOT_SURE else CERTAIN
    early = "no update was made yet, so the rate is not to blame: "
    if event.iteration < 0:
        if own:
            return Cause("layer", "", early + own, sure)
        if largest_read(event) > HUGE or _read_not_finite(event):
            grows = blank_statistics(run) or Cause("fillers", "", _GROWS, LIKELY)
            return grows._replace(why=early + grows.why)
        return Cause("unknown", "", early + "look at the data, the fillers and BatchNorm", LIKELY)
    cause = too_large(run, event.iteration)
    grew = loss_grew(run.iterations[: event.iteration]) if event.iteration > 0 else None
    if grew or largest_read(event) > HUGE or not own:
        grown = f" (the loss went from {number(grew[0])} to {number(grew[1])} before)" if grew else ""
        return cause._replace(why=cause.why + grown)
    return Cause("layer", "", own, sure)


def own_reason(layer: BuiltLayer, event: NonFinite) -> str:
    """Why a layer of its type gives values that are not finite, from what it read; "" where it is none of its own."""
    low, high = _extent_read(event)
    largest = max(abs(low), abs(high))
    if layer.type == "Power" and not math.isnan(low):
        parameters = layer.message.power_param
        base = [parameters.shift + parameters.scale * end for end in (low, high)]
        power = parameters.power
        if min(base) < 0 and not (power.is_integer() or math.isinf(power)):
            return f"a negative base, {number(min(base))}, under the power {power:g} is nan; keep it above 0 by shift"
        if power < 0 and min(base) <= 0 <= max(base):
            return f"0 under the power {power:g} is infinite; keep the base above 0 by shift"
        if power > 1 and max(map(abs, base)) > 1 and power * math.log10(max(map(abs, base))) > 38:
            return f"a base of {number(max(base, key=abs))} under the power {power:g} overflows; scale it down"
        return ""
    if layer.type == "LRN":
        parameters = layer.message.lrn_param
        if parameters.alpha < 0:
            return f"alpha {parameters.alpha:g} makes k + alpha * sum negative, and its power nan; use one above 0"
        if parameters.k > 0:
            return ""
    if layer.type == "Embed" and (low < 0 or high >= layer.message.embed_param.input_dim):
        return f"input_dim {layer.message.embed_param.input_dim} takes numbers from 0 to one below it"
    return WHY.get(layer.type, "") if largest < HUGE or layer.type in ("Exp", "Log") else ""


def _extent_read(event: NonFinite) -> tuple[float, float]:
    ends = [end for name, (low, high, _) in event.inputs.items() if not name.endswith(" diff") for end in (low, high)]
    good = [end for end in ends if not math.isnan(end)]
    return (min(good), max(good)) if good else (math.nan, math.nan)


def _read_not_finite(event: NonFinite) -> bool:
    return any(bad for _, _, bad in event.inputs.values())


_GROWS = (
    "values grow from layer to layer until they overflow; use fillers that keep their size (xavier, msra), or scale the"
    " input"
)
"""Why values overflow without any update."""
