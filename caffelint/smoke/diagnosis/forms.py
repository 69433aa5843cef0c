"""The layer that first gave what is not finite, in a form that does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.diagnosis.change import Change, both, of_layer, of_one, without_signs
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.inputs import large_input
from caffelint.smoke.diagnosis.signal import mixes
from caffelint.smoke.events import BACKWARD, BLOB, DATA, FORWARD, NonFinite
from caffelint.smoke.learning import size
from caffelint.smoke.run import Run, loss_grew

_HUGE = 1e10
_SURE, _GREW, _INNOCENT = 20.0, -0.5, 1.0
_WIDE = 10.0
_LEAST_EPS = 1e-5
_EXPANDS = 1e4
_DIVIDES = 100.0
_SHIFT = 0.001
_PROD, _MULTIPLIES = 0, 10.0
_MIXED = 2.0
"""A sum of two branches makes values twice as large at most, a hundredfold from seven on."""
_SHRINKS = {"LRN": ("alpha", 0.0001), "Power": ("scale", 1.0)}
"""Which field of a layer that divides values may do so, and its usual value."""

_Form = Callable[[Run, BuiltLayer, NonFinite], Iterator[Change]]


def safe_forms(run: Run) -> Iterator[Hypothesis]:
    """What a layer reads is finite, and what it makes of it is not: another layer before it is to blame only where its
    values had grown before."""
    broke = next(run.all(NonFinite), None)
    layer = run.layer(broke.layer, broke.net) if broke is not None else None
    if broke is None or layer is None or broke.where not in (FORWARD, BACKWARD):
        return
    form = _FORMS.get((layer.type, broke.where))
    changes = tuple(form(run, layer, broke)) if form is not None else ()
    if not changes:
        return
    largest = max((max(abs(low), abs(high)) for low, high, _ in broke.inputs.values()), default=0.0)
    grew = largest > _HUGE or (broke.iteration > 0 and loss_grew(run.iterations[: broke.iteration]) is not None)
    grew = grew or (layer.type == "Exp" and large_input(run) is not None)
    place = run.place(layer.name, broke.net, layer.block)
    yield Hypothesis("layer", place, _GREW if grew else _SURE, changes, layers=(layer,), proved=not grew)


def expanding(run: Run) -> Iterator[Hypothesis]:
    """A layer whose function makes values of another order of magnitude before any update, which no weights undo.

    field: `expands`. value, figure: the largest value that it reads, and that it makes.
    """
    for layer in run.built[0].layers:
        form = _FORMS.get((layer.type, FORWARD))
        if form is None or layer.normalises or not layer.bottoms or not layer.need_backward or layer.runs_in_place:
            continue
        blob, made = layer.bottoms[0].original, run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
        read = blob.producer and run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA)
        if not read or made is None:
            continue
        largest, makes = (max(abs(one.min), abs(one.max)) for one in (read, made))
        if makes > _EXPANDS * max(largest, 1.0):
            inputs = {blob.name: (read.min, read.max, 0)}
            here = NonFinite(-1, 0, FORWARD, layer.name, BLOB, layer.tops[0].name, 0, 0, 1, 0, 0, 0, inputs)
            place, score = run.place(layer.name, 0, layer.block), math.log10(makes / max(largest, 1.0))
            if layer.type == "Exp" and large_input(run) is not None:
                score = min(score, _INNOCENT)  # it only shows what the input makes
            changes = tuple(form(run, layer, here))
            yield Hypothesis("layer", place, score, changes, "expands", (layer,), largest, makes)


def products(run: Run) -> Iterator[Hypothesis]:
    """An Eltwise that multiplies values far from 1. field: `product`. value, figure: the largest value that it reads,
    and that it makes."""
    for layer in run.built[0].layers:
        if layer.type != "Eltwise" or layer.message.eltwise_param.operation != _PROD or not layer.need_backward:
            continue
        blobs = [blob.original for blob in layer.bottoms]
        found = [one.producer and run.statistics(-1, one.producer.name, BLOB, one.name, DATA) for one in blobs]
        largest = max((max(abs(one.min), abs(one.max)) for one in found if one), default=0.0)
        made = run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
        makes = max(abs(made.min), abs(made.max)) if made is not None else 0.0
        if largest > 0 and makes > _MULTIPLIES * largest:
            changes = of_layer(run, layer, "eltwise_param", "operation", value="SUM")
            place, score = run.place(layer.name, 0, "eltwise_param", "operation"), math.log10(makes / largest) + 1
            yield Hypothesis("layer", place, score, changes, "product", (layer,), largest, makes)


def mixing(run: Run) -> Iterator[Hypothesis]:
    """Eltwise layers, one after another, that make values ever larger or smaller. field: `mixed`. value: the operation.
    figure: how many times as large they make values, together."""
    for layers, decades in mixes(run):
        if abs(decades) <= _MIXED:
            continue
        product = layers[0].message.eltwise_param.operation == _PROD
        each = [_plain(run, layer) for layer in layers]
        changes = of_one(tuple(change for one in each for change in one))
        place = run.place(layers[0].name, 0, "eltwise_param", "operation" if product else "coeff")
        value = float(layers[0].message.eltwise_param.operation)
        yield Hypothesis("layer", place, abs(decades) + 1, changes, "mixed", layers, value, 10.0**decades)


def _plain(run: Run, layer: BuiltLayer) -> tuple[Change, ...]:
    """A plain sum in place of what an Eltwise layer makes of its bottoms."""
    p = layer.message.eltwise_param
    if p.operation == _PROD:
        return of_layer(run, layer, "eltwise_param", "operation", value="SUM")
    signs = [math.copysign(1, one) for one in p.coeff]
    each = [of_layer(run, layer, "eltwise_param", "coeff", at, value=sign) for at, sign in enumerate(signs)]
    text = " ".join(f"coeff: {sign:g}" for sign in signs)
    whole = of_one(tuple(change for one in each for change in one))
    return tuple(one._replace(text=f"eltwise_param {{ {text} }}", suggested=None) for one in whole)


def shrinking(run: Run) -> Iterator[Hypothesis]:
    """A layer that divides its values by hundreds before any update. field: `shrinks`. value, figure: their size before
    it and after it."""
    for layer in run.built[0].layers:
        form = _SHRINKS.get(layer.type)
        if form is None or not layer.bottoms or not layer.need_backward or layer.runs_in_place:
            continue
        blob, made = layer.bottoms[0].original, run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
        read = blob.producer and run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA)
        if read and made is not None and size(made) * _DIVIDES < size(read):
            score = math.log10(size(read) / size(made)) if size(made) > 0 else _SURE
            field, usual = form
            value = getattr(layer.parameters, field)
            alike = [one for one in run.built[0].layers if one.type == layer.type]
            alike = [layer, *(one for one in alike if one is not layer and getattr(one.parameters, field) == value)]
            each = [of_layer(run, one, one.block, field, value=usual) for one in alike]
            changes = of_one(tuple(change for one in each for change in one))
            place = run.place(layer.name, 0, layer.block, field)
            yield Hypothesis("layer", place, score + 1, changes, "shrinks", (layer,), size(read), size(made))


def _read(broke: NonFinite) -> tuple[float, float]:
    """Least and greatest value that the layer read."""
    ends = [end for name, (low, high, _) in broke.inputs.items() if not name.endswith(" diff") for end in (low, high)]
    good = [end for end in ends if not math.isnan(end)]
    return (min(good), max(good)) if good else (math.nan, math.nan)


def _log(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    p = layer.message.log_param
    for shift in _shifts(_read(broke), p.scale, p.shift):
        yield from of_layer(run, layer, "log_param", "shift", value=shift)


def _power(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    p = layer.message.power_param
    ends = [p.shift + p.scale * end for end in _read(broke)]
    largest = max(map(abs, ends))
    fractional = not p.power.is_integer() and min(ends) <= 0
    if fractional or (p.power < 0 and min(ends) <= 0 <= max(ends)) or broke.where == BACKWARD:
        for shift in _shifts(_read(broke), p.scale, p.shift):
            yield from of_layer(run, layer, "power_param", "shift", value=shift)
        if fractional and p.scale > 0:
            plain = without_signs(run, layer)
            above = of_layer(run, layer, "power_param", "shift", value=_SHIFT) if not p.shift > 0 else ()
            yield from both(*plain, *above) if plain and above else plain
    elif p.power > 1 and largest > 1:
        yield from of_layer(run, layer, "power_param", "scale", value=float(f"{p.scale / largest:.1g}"))
        if p.power > 2:
            yield from of_layer(run, layer, "power_param", "power", value=1)


def _shifts(read: tuple[float, float], scale: float, shift: float) -> Iterator[float]:
    """Shifts that keep shift + scale * input above 0, by a hundredth of its range and by 1."""
    low, high = sorted(shift + scale * end for end in read)
    if not (math.isfinite(low) and math.isfinite(high)):
        return
    up = max(0.0, -low)
    up = float(f"{up * 1.05:.2g}") if up else 0.0
    wide = max(abs(low), abs(high))
    part = 10.0 ** math.floor(math.log10(wide / 100)) if wide > 0 else 1.0
    for above in dict.fromkeys((min(part, 1.0), 1.0) if wide <= _WIDE * 100 else (1.0,)):
        yield float(f"{shift + up + above:.6g}")


def _exp(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    p, (low, high) = layer.message.exp_param, _read(broke)
    if _activates(layer):
        each = [of_layer(run, one, "type", value='"ReLU"') for one in run.built[0].layers if _activates(one)]
        yield from of_one(tuple(change for one in each for change in one))
        return
    largest = abs(p.scale) * max(abs(low), abs(high))
    if largest > 1:
        scale = p.scale * 2.0 ** -math.ceil(math.log2(largest))
        yield from of_layer(run, layer, "exp_param", "scale", value=float(f"{scale:.6g}"))


def _activates(layer: BuiltLayer) -> bool:
    """Is it an Exp where an activation is usual: between two layers with weights, with nothing but pooling between?

    With an exp_param it was chosen for what it computes.
    """
    if layer.type != "Exp" or layer.message is None or layer.message.HasField("exp_param"):
        return False
    maker, blobs = layer.bottoms[0].maker, list(layer.tops)
    if maker is None or not maker.has_weights:
        return False
    while blobs:
        for reader, _ in blobs.pop().readers:
            if reader.has_weights:
                return True
            if len(reader.bottoms) == 1:
                blobs += reader.tops
    return False


def _lrn(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    p = layer.message.lrn_param
    if p.alpha < 0:
        yield from of_layer(run, layer, "lrn_param", "alpha", value=-p.alpha)
    if p.k <= 0:
        yield from of_layer(run, layer, "lrn_param", "k", value=1)


def _eltwise(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    if not layer.message.eltwise_param.stable_prod_grad:
        yield from of_layer(run, layer, "eltwise_param", "stable_prod_grad", value="true")


def _eps(run: Run, layer: BuiltLayer, broke: NonFinite) -> Iterator[Change]:
    if getattr(layer.message, layer.block).eps < _LEAST_EPS:
        yield from of_layer(run, layer, layer.block, "eps", value=_LEAST_EPS)


_FORMS: dict[tuple[str, str], _Form] = {
    ("Log", FORWARD): _log,
    ("Log", BACKWARD): _log,
    ("Power", FORWARD): _power,
    ("Power", BACKWARD): _power,
    ("Exp", FORWARD): _exp,
    ("LRN", FORWARD): _lrn,
    ("LRN", BACKWARD): _lrn,
    ("Eltwise", BACKWARD): _eltwise,
    ("BatchNorm", FORWARD): _eps,
    ("BatchNorm", BACKWARD): _eps,
    ("MVN", FORWARD): _eps,
    ("MVN", BACKWARD): _eps,
}
