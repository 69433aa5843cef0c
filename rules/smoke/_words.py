"""Values that are not finite in words: how many, when, from which input, and why."""

from __future__ import annotations

import math

from caffelint.lint import CERTAIN, LIKELY, Cause, title
from caffelint.smoke.rule import (
    BLOB,
    DATA,
    LABEL,
    BadWeights,
    BuiltLayer,
    NonFinite,
    Run,
    Tried,
    cure,
    hypotheses,
    loss_grew,
)

from ._advice import GROWS, Advice, advice
from ._cancelled import cancelled
from ._cause import blank_statistics, came_of, too_large
from ._gradient import GUARD, code, of_own_data
from ._numbers import extent, number
from ._records import bad_records, batch_of, row

HUGE = 1e10
_EXTREME = 1e3

_SHORT = 60
"""Of what a layer is given, that much is told."""


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
    """The layer's input: `values of "fc" are from 0 to 2.3`."""
    parts = []
    for name, (low, high, bad) in event.inputs.items():
        what = f'"{name}"'
        if math.isnan(low):
            parts.append(f"{what} has no finite value" if bad else f"{what} is empty")
        else:
            parts.append(
                f"values of {what} are from {extent(low, high)}" + (f", and {bad} are not finite" if bad else "")
            )
    return ", ".join(parts[:3])


def largest_read(event: NonFinite) -> float:
    values = [max(abs(low), abs(high)) for low, high, _ in event.inputs.values() if not math.isnan(low)]
    return max(values, default=0.0)


def _of_weights(run: Run, event: NonFinite) -> Cause | None:
    """Weights that were loaded, are not what they should be, and belong to the layer."""
    for bad in run.all(BadWeights):
        if bad.layer == event.layer and (event.iteration < 0 or event.net):
            what = "variances below 0" if bad.negative else "values that are not finite"
            share = f"{bad.bad} of {bad.size} values" if bad.size > 1 else "its value"
            why = f"the weights that were loaded hold {what} ({share} of parameter {bad.param}); load others"
            return Cause("weights", "", f"{why}, or rename the layer to start it from its fillers")
    return None


def because(run: Run, event: NonFinite) -> Cause:
    """The likeliest cause of a value that is not finite, and what to do."""
    layer = run.layer(event.layer, event.net)
    if (loaded := _of_weights(run, event)) is not None:
        return loaded
    if (records := _of_records(run, event)) is not None:
        return records
    if event.net and _of_phases(run) is not None:
        return _of_test_net(run, event)
    if not event.inputs and layer and not layer.bottoms:
        apart = (one for one in run.static if one.name == "record-shapes-differ" and one.layer == layer.name)
        if told := next((one.message for one in apart), ""):
            return Cause("data", "", told)
        if layer.type == "Python":
            return of_own_data(run, layer)
        return Cause("data", "", "the data itself contains it; look for nan and inf in the source")
    if (extreme := _extreme(run, event)) is not None:
        return extreme
    if layer is not None and (lost := cancelled(run, layer, _extent_read(event))) is not None:
        return lost
    own = own_reason(layer, event) if layer else Advice()
    if layer is not None and layer.type == "Python" and not _read_not_finite(event):
        return _of_code(run, layer, event)
    if event.net and not own.text:
        return _of_test_net(run, event)
    early = "no update was made yet, so the rate is not the cause: "
    if event.iteration < 0:
        best = cure(run)
        if own.text and (best is None or best.hypothesis.kind == "layer"):
            why = early + "; ".join([own.text, *row(run, event)])
            return came_of(run, Cause("layer", "", why, own.certainty))
        if best is not None or any(one.proved for one in hypotheses(run, event.iteration)):
            cause = too_large(run, event.iteration)
            return cause._replace(why=early + cause.why)
        if largest_read(event) > HUGE or _read_not_finite(event):
            grows = blank_statistics(run) or Cause("fillers", "", GROWS, LIKELY)
            return grows._replace(why=early + grows.why)
        return Cause("unknown", "", early + "look at the data, the fillers and BatchNorm", LIKELY)
    cause = too_large(run, event.iteration)
    grew = loss_grew(run.iterations[: event.iteration]) if event.iteration > 0 else None
    if grew or largest_read(event) > HUGE or not own.text:
        grown = (
            f" (before it broke, the loss rose from {number(grew[0])} to {number(grew[1])})"
            if grew and not run.tried
            else ""
        )
        return cause._replace(why=cause.why + grown)
    return came_of(run, Cause("layer", "", "; ".join([own.text, *row(run, event)]), own.certainty))


def _of_code(run: Run, layer: BuiltLayer, event: NonFinite) -> Cause:
    """Of a Python layer: what numpy says, and where."""
    p = layer.message.python_param
    given = f' with param_str "{p.param_str}"' if 0 < len(p.param_str) <= _SHORT else ""
    finite = f"{p.module}.{p.layer}{given} makes it from finite values"
    at = f": {event.said.rstrip('.')}, at {code(event.file, event.line)}" if event.said else ""
    grew = largest_read(event) > HUGE or (event.iteration > 0 and loss_grew(run.iterations[: event.iteration]))
    if grew and event.iteration >= 0:
        cause = too_large(run, event.iteration)
        return cause._replace(why="; ".join(part for part in (cause.why, f"{finite}{at}") if part))
    return Cause(
        "python-layer", "", "; ".join([f"{finite}{at}", *row(run, event), GUARD]), CERTAIN if event.said else LIKELY
    )


def _of_records(run: Run, event: NonFinite) -> Cause | None:
    """Of a batch with a record that is not as the others are."""
    batch = batch_of(run, event.net)
    bad = [one for one in batch.bad if one[1] != LABEL] if batch is not None else []
    if batch is None or not bad:
        return None
    advice = "leave it out, or mend it" if len(batch.bad) + batch.later == 1 else "leave them out, or mend them"
    advice += "; records count from 0" if any(one[0].startswith("record ") for one in bad) else ""
    place = run.place(batch.layer, event.net)
    # Nothing else need be ruled out.
    return came_of(run, Cause("data", "", f"{bad_records(batch)}; {advice}", place=place))._replace(ruled_out=())


def _extreme(run: Run, event: NonFinite) -> Cause | None:
    """A batch with values far beyond those of the first, read straight from the data."""
    for name, (low, high, _) in event.inputs.items():
        largest = max(abs(low), abs(high))
        data = [one for one in run.built[0].layers if not one.bottoms]
        maker = next((one for one in data if name in [top.name for top in one.tops]), None)
        before = run.statistics(-1, maker.name, BLOB, name, DATA) if maker is not None else None
        if maker is None or before is None or event.net:
            continue
        usual = max(abs(before.min), abs(before.max))
        if largest > _EXTREME * usual > 0:
            what = f'"{name}" holds up to {number(largest)} in this batch, but {number(usual)} in the first'
            why = f"{what}; look for such records in the source, and leave them out"
            return Cause("data", "", why, place=run.place(maker.name))
    return None


def _of_phases(run: Run) -> Tried | None:
    """What was tried, or was to be, of that in which TEST differs from TRAIN."""
    return next((one for one in run.tried if one.hypothesis.kind == "phases"), None)


def _of_test_net(run: Run, event: NonFinite) -> Cause:
    """Of a TEST net, where the TRAIN net stayed finite: what differs is to blame."""
    why = "the TRAIN net stayed finite, so the rate is not the cause"
    tried = _of_phases(run)
    if tried is not None:
        one = tried.hypothesis
        what = f"the scale of {title(one.layers[0])} is {number(one.value)} in TEST, but {number(one.figure)} in TRAIN"
        cause = came_of(run, Cause("phases", "", f"{why}: {what}", CERTAIN, one.place))
        if cause.why != f"{why}: {what}" or cause.ruled_out:
            return cause
        return cause._replace(why=f"{cause.why}; set {tried.change.text}, as in TRAIN; this was not tested")
    for name, (low, high, _) in event.inputs.items():
        maker = next((one for one in run.built[0].layers if name in [top.name for top in one.tops]), None)
        before = run.statistics(-1, maker.name, BLOB, name, DATA) if maker is not None else None
        usual = max(abs(before.min), abs(before.max)) if before is not None else 0.0
        largest = max(abs(low), abs(high))
        if largest > _EXTREME * usual > 0:
            what = f'"{name}" holds up to {number(largest)} in TEST, but {number(usual)} in TRAIN'
            return Cause("phases", "", f"{why}: {what}; compare the data layers and transform_param of both phases")
    return came_of(run, Cause("phases", "", f"{why}; compare the layers of both phases", LIKELY))


def own_reason(layer: BuiltLayer, event: NonFinite) -> Advice:
    """Why a layer of its type makes values that are not finite out of its input; no text if the type does not."""
    low, high = _extent_read(event)
    largest = max(abs(low), abs(high))
    if layer.type == "Power" and not math.isnan(low):
        parameters = layer.message.power_param
        base = [parameters.shift + parameters.scale * end for end in (low, high)]
        power = parameters.power
        if min(base) < 0 and not (power.is_integer() or math.isinf(power)):
            return Advice(f"a base of {number(min(base))} to the power {power:g} is nan; keep it above 0")
        if power < 0 and min(base) <= 0 <= max(base):
            return Advice(f"0 to the power {power:g} is infinite; keep the base above 0 with shift")
        if power > 1 and max(map(abs, base)) > 1 and power * math.log10(max(map(abs, base))) > 38:
            largest = max(base, key=abs)
            return Advice(f"a base of {number(largest)} to the power {power:g} overflows; lower the power or the base")
        return Advice()
    if layer.type == "LRN":
        parameters = layer.message.lrn_param
        if parameters.alpha < 0:
            why = f"alpha {parameters.alpha:g} makes k + alpha * sum negative, and its power nan; set alpha above 0"
            return Advice(why)
        if parameters.k > 0:
            return Advice()
    if layer.type == "Embed" and (low < 0 or high >= layer.message.embed_param.input_dim):
        rows = layer.message.embed_param.input_dim
        return Advice(f"input_dim {rows} takes indices from 0 to {rows - 1}")
    own = advice(layer.type).forward
    return own if largest < HUGE or own.huge else Advice()


def _extent_read(event: NonFinite) -> tuple[float, float]:
    ends = [end for name, (low, high, _) in event.inputs.items() if not name.endswith(" diff") for end in (low, high)]
    good = [end for end in ends if not math.isnan(end)]
    return (min(good), max(good)) if good else (math.nan, math.nan)


def _read_not_finite(event: NonFinite) -> bool:
    return any(bad for _, _, bad in event.inputs.values())
