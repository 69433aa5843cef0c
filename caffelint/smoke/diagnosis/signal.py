"""Whether a net keeps the size of its values and gradients from layer to layer: fillers, depth, loaded weights, eps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.lint.edits import join
from caffelint.smoke.diagnosis.change import UNLOADED, Change, normalised, of_layer, of_one
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.trouble import flat
from caffelint.smoke.events import BLOB, DATA, PARAM, NonFinite, Statistics
from caffelint.smoke.learning import (
    Weights,
    dead_layers,
    died,
    saturated,
    size,
    squashing,
    weightless,
    weights,
    without_weights,
)
from caffelint.smoke.loss import bad_start
from caffelint.smoke.run import Run

_LARGE_WEIGHTS, _SMALL_WEIGHTS, _LARGE_LOADED = 4.0, 0.1, 100.0
_LARGE_BESIDE = 2.0
"""Where others are too large: what each layer multiplies adds up, so that to mend some leaves values out of scale."""
_LAYERS = 4
"""From as many on, what each does to the size of values adds up."""
_DECADES = 3.0
"""A net that trains may lose or win as much from its first layer to its last."""
_FEW = 1.8
"""The same where the loss does not fall."""
_GROWS = 1.0
"""The same where the loss is far above chance before any update."""
_MOST = 4.0
"""The score; what makes values grow in one layer alone is surer."""
_LARGE_STORED = 1e6
"""Of a factor: Caffe saves 1 / (1 - moving_average_fraction) at most, mostly 1000."""
_SILENT = 6.0
_PROD, _SUM = 0, 1
"""Of EltwiseParameter.EltwiseOp in caffe.proto."""
_SQUASHED = 3
_MOST_OF_IT = 0.5
_OF_FILLERS = "I"
"""How the codes of rules on fillers begin."""
_FACTORS = {"PReLU": "0.25", "Scale": "1"}
_LARGE_FACTOR = 5.0
_AS_LOW = 0.5
"""Of the bias that shuts a layer: one so far below 0 may shut another."""
_SHUTS = 6.0
"""A bias at which Sigmoid has a slope of a four-hundredth, and TanH next to none."""
_EPSILON, _NORMAL = 0.01, 0.3
"""A usual one is 1e-5, and what is normalised has a deviation of 1."""
_USUAL_EPSILON = 1e-5


def depth(run: Run) -> Iterator[Hypothesis]:
    """Values, or their gradients, that each of many layers makes smaller or larger.

    field: `values` or `gradients`. value, figure: of the first layer with weights and of the last, the other way round
    for gradients.
    """
    chain = [one for one in weights(run) if one.layer.has_weights and one.layer.params]
    if run.loaded or len(chain) < _LAYERS:
        return
    sizes = [(made, one.layer) for one in chain if (made := _made(run, one.layer)) > 0]
    heads = _heads(run)
    passed = [one for one in chain if one.layer.index not in heads and one.gradient is not None]
    slopes = [(size(one.gradient), one.layer) for one in passed if one.gradient is not None and size(one.gradient) > 0]
    found = []
    for field, ends in (("values", sizes), ("gradients", slopes[::-1])):
        if len(ends) >= _LAYERS and math.isfinite(ends[-1][0]):
            found.append((math.log10(ends[-1][0] / ends[0][0]), field, ends))
    if not found:
        return
    decades, field, ends = max(found, key=lambda one: abs(one[0]))
    stays = flat(run)
    layers = tuple(layer for _, layer in (ends if field == "values" else ends[::-1]))
    first = next((layer for layer in layers if layer.fillers), None)
    squash = squashing(run)
    changes = [*filled(run, layers)]
    # Where fillers and activations keep the size of values, a net that needs time is helped by BatchNorm as well.
    may_be_mended = bool(changes) or len(squash) >= _SQUASHED
    few = _GROWS if decades > 0 and bad_start(run) else _FEW if stays and may_be_mended else _DECADES
    if abs(decades) <= few or first is None:
        return
    if len(squash) >= _SQUASHED:
        each = [of_layer(run, layer, "type", value='"ReLU"') for layer in squash]
        relu = of_one((*(change for one in each for change in one), *filled(run, layers, "msra")))
        changes = [*relu, *changes] if field == "gradients" else [*changes, *relu]
    changes += normalised(run, layers[:-1])
    place = run.place(first.name, 0, first.block, first.fillers[0])
    score = min(abs(decades) - (0 if stays else 1), _MOST)
    one = Hypothesis("depth", place, score, tuple(changes), field, layers, ends[0][0], ends[-1][0])
    steep = steepest(run, one)
    if steep is not None and steep[0].type == "Exp":
        score = min(score, _GROWS)  # it makes much of any value that is large
    if field == "values" and any(mixed[1] / decades > _MOST_OF_IT for mixed in mixes(run)):
        score = min(score, _GROWS)  # what mixes branches does it, whatever the fillers are
    yield one if steep is None else one._replace(place=run.place(steep[0].name), score=score)


def _heads(run: Run) -> frozenset[int | None]:
    """The layers that make what losses read, where there are several: their gradients are as the weights of these."""
    if len(run.loss_layers) < 2:
        return frozenset()
    ends = (bottom.maker for loss in run.loss_layers for bottom in loss.bottoms)
    return frozenset(one.index for one in ends if one is not None)


def steepest(run: Run, one: Hypothesis) -> tuple[BuiltLayer, float, float] | None:
    """The layer without weights that does most of what `depth` found, and the sizes that it reads and makes."""
    if one.field != "values" or not 0 < one.value < math.inf or not 0 < one.figure < math.inf:
        return None
    found = []
    for layer in run.built[0].layers:
        if layer.index is None or layer.has_weights or layer.is_loss or not layer.need_backward:
            continue
        made = _of_top(run, layer.tops[0]) if layer.tops else 0.0
        read = max((_of_top(run, blob.original) for blob in layer.bottoms if blob.need_backward), default=0.0)
        if made > 0 and read > 0:
            found.append((math.log10(made / read), layer, read, made))
    whole = math.log10(one.figure / one.value)
    if not found or not whole:
        return None
    step, layer, read, made = max(found, key=lambda each: each[0] / whole)
    return (layer, read, made) if step / whole > _MOST_OF_IT else None


def mixes(run: Run) -> Iterator[tuple[tuple[BuiltLayer, ...], float]]:
    """Eltwise layers that multiply, and those with coefficients; by how many powers of ten each kind changes values.

    A factor from 0 to 1 may be a gate: where all have one, they multiply on purpose.
    """
    for product in (True, False):
        found, gates = [], 0
        for layer in run.built[0].layers:
            p = layer.message.eltwise_param if layer.type == "Eltwise" and layer.index is not None else None
            if p is None or not layer.need_backward or layer.runs_in_place:
                continue
            if p.operation != (_PROD if product else _SUM) or (not product and all(abs(one) == 1 for one in p.coeff)):
                continue
            blobs = [blob.original for blob in layer.bottoms]
            read = [blob.producer and run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA) for blob in blobs]
            gates += any(one and one.min >= 0 and one.max <= 1 for one in read)
            most, made = max((_of_top(run, blob) for blob in blobs), default=0.0), _made(run, layer)
            if most > 0 and made > 0:
                found.append((layer, math.log10(made / most)))
        if found and not (product and gates == len(found)):
            yield tuple(layer for layer, _ in found), sum(step for _, step in found)


def _of_top(run: Run, blob: Blob) -> float:
    made = run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA) if blob.producer is not None else None
    return size(made) if made is not None and math.isfinite(size(made)) else 0.0


def _made(run: Run, layer: BuiltLayer) -> float:
    """The size of what a layer made before any update, or of what layers in place made of it."""
    found = run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
    if found is None:
        writers = [one for one in run.built[0].layers if layer.tops[0].name in [top.name for top in one.tops]]
        found = run.statistics(-1, writers[-1].name, BLOB, layer.tops[0].name, DATA) if writers else None
    return size(found) if found is not None and math.isfinite(size(found)) else 0.0


def epsilon(run: Run) -> Iterator[Hypothesis]:
    """An eps that outweighs the variance that it is to keep from 0, so that next to nothing is left of the values.

    value: the eps. figure: the deviation of what was normalised, nan where it was not measured.
    """
    found = []
    for layer in run.built[0].layers:
        if not (layer.normalises and layer.has_setting("eps") and layer.parameters.eps > _EPSILON):
            continue
        made = run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
        if made is None or made.std < _NORMAL:
            found.append((layer, made.std if made is not None else math.nan))
    if found:
        layer, figure = found[0]
        layers = tuple(one for one, _ in found)
        each = [of_layer(run, one, one.block, "eps", value=_USUAL_EPSILON) for one in layers]
        changes = of_one(tuple(change for one in each for change in one))
        eps = layer.parameters.eps
        place = run.place(layer.name, 0, layer.block, "eps")
        yield Hypothesis("statistics", place, 1 + math.log10(eps / _EPSILON), changes, "eps", layers, eps, figure)


def fillers(run: Run) -> Iterator[Hypothesis]:
    """Weights far above the size at which a layer keeps that of its values, or far below."""
    if run.loaded:
        yield from _loaded(run)
        yield from _factor(run)
        return
    yield from _silent(run)
    yield from _shut(run)
    yield from _factors(run)
    scales = [(_scale(one), one.layer) for one in weights(run) if one.layer.fillers]
    large = sorted((pair for pair in scales if pair[0] > _LARGE_BESIDE), key=lambda pair: -pair[0])
    large = large if large and large[0][0] > _LARGE_WEIGHTS else []
    small = sorted((pair for pair in scales if 0 < pair[0] < _SMALL_WEIGHTS), key=lambda pair: pair[0])
    for found, field in ((large, ""), (small, "small")):
        if not found:
            continue
        layers = tuple(layer for _, layer in found)
        worst = found[0][0]
        score = math.log10(worst) + 0.1 if not field else -math.log10(worst) - 1.0
        place = run.place(layers[0].name, 0, layers[0].block, layers[0].fillers[0])
        changes = (*_as_checked(run, layers), *filled(run, layers))
        yield Hypothesis("fillers", place, score, changes, field, layers, figure=worst)


def _as_checked(run: Run, layers: Sequence[BuiltLayer]) -> Iterator[Change]:
    """What a check of the text advises for the fillers of all of these, as for a std that is called mean."""
    names = {layer.name for layer in layers}
    advised = [one for one in run.static if one.layer in names and one.code.startswith(_OF_FILLERS)]
    edits = [edit for one in advised for fix in one.fixes[:1] for edit in fix.edits]
    rules = {one.name for one in advised if one.fixes}
    if names == {one.layer for one in advised if one.fixes} and len(rules) == 1:
        yield Change(f"the fix of {rules.pop()}", tuple(dict.fromkeys(edits)))


def _factors(run: Run) -> Iterator[Hypothesis]:
    """Slopes of PReLU, and factors of Scale, that start far above 1. field: `factor`. value: the largest."""
    found = []
    for layer in run.built[0].layers:
        started = run.statistics(-1, layer.name, PARAM, 0, DATA) if layer.type in _FACTORS and layer.params else None
        if started is not None and size(started) > _LARGE_FACTOR:
            found.append((size(started), layer))
    if found:
        layers = tuple(layer for _, layer in found)
        changes = filled(run, layers)
        place, most = run.place(layers[0].name, 0, layers[0].block, "filler"), max(value for value, _ in found)
        yield Hypothesis("fillers", place, math.log10(most) + 1, changes, "factor", layers, most)


def _silent(run: Run) -> Iterator[Hypothesis]:
    """A filler for which every output of a layer is 0 from the start: weights of 0, or biases below all else.

    field: `zero` or `bias`. value: the largest bias.
    """
    dead = next((layer for layer in dead_layers(run) if not died(run, layer)), None)
    if dead is None:
        return
    if (layer := without_weights(run, dead)) is not None:
        blank = [one for one in run.built[0].layers if weightless(run, one)]
        able = [one for one in blank if (one.has_weights if layer.has_weights else one.type == layer.type)]
        able = [one for one in able if one.has_weights or one.type in _FACTORS]
        layers = tuple(one for one in able if one.params and one.params[0].lr_mult)
        if layer in layers:
            place = run.place(layer.name, 0, layer.block, layer.fillers[0])
            layers = (layer, *(one for one in layers if one is not layer))
            yield Hypothesis("fillers", place, _SILENT, filled(run, layers), "zero", layers)
        return
    maker = dead.bottoms[0].maker
    if not dead.rectifies or maker is None:
        return
    most = _highest_bias(run, maker)
    if most < 0:
        # Where as low a bias shuts the layers after it, one that is opened shows nothing.
        alike = [one for one in run.built[0].layers if one is not maker and _highest_bias(run, one) <= most * _AS_LOW]
        layers = (maker, *(one for one in alike if any(reader.rectifies for reader, _ in one.tops[0].consumers)))
        yield _zero_biases(run, layers, most)


def _shut(run: Run) -> Iterator[Hypothesis]:
    """A filler of biases that holds an activation at one of its limits. field: `bias`. value: the bias nearest to 0."""
    found = []
    for layer in squashing(run):
        maker = layer.bottoms[0].maker if saturated(run, layer) else None
        biases = _biases(run, maker) if maker is not None else None
        if maker is None or biases is None:
            continue
        if min(abs(biases.min), abs(biases.max)) > _SHUTS and biases.min * biases.max > 0:
            found.append((maker, biases.max if biases.max < 0 else biases.min))
    if found:
        yield _zero_biases(run, tuple(maker for maker, _ in found), found[0][1])


def _zero_biases(run: Run, layers: tuple[BuiltLayer, ...], value: float) -> Hypothesis:
    """Biases that keep shut what reads them, of all layers at once."""
    each = [of_layer(run, one, one.block, "bias_filler", value='{ type: "constant" value: 0 }') for one in layers]
    changes = of_one(tuple(change for one in each for change in one))
    place = run.place(layers[0].name, 0, layers[0].block, "bias_filler")
    return Hypothesis("fillers", place, _SILENT, changes, "bias", layers, value)


def _biases(run: Run, layer: BuiltLayer) -> Statistics | None:
    """What a layer with a bias_filler starts with."""
    if layer.index is None or "bias_filler" not in layer.fillers:
        return None
    return run.statistics(-1, layer.name, PARAM, layer.fillers.index("bias_filler"), DATA)


def _highest_bias(run: Run, layer: BuiltLayer) -> float:
    """0 where a layer has none."""
    found = _biases(run, layer)
    return found.max if found is not None else 0.0


def filled(run: Run, layers: Sequence[BuiltLayer], filler: str = "") -> tuple[Change, ...]:
    """Fillers that keep the size of values, by default msra before what rectifies and xavier elsewhere."""
    each: list[Change] = []
    for layer in layers:
        if layer.fillers:
            keeps = filler or ("msra" if any(reader.rectifies for reader, _ in layer.tops[0].consumers) else "xavier")
            if layer.has_weights and getattr(layer.parameters, layer.fillers[0]).type == keeps:
                continue
            text = f'type: "{keeps}"' if layer.has_weights else f'type: "constant" value: {_FACTORS[layer.type]}'
            each += of_layer(run, layer, layer.block, layer.fillers[0], value=f"{{ {text} }}")
    return of_one(tuple(each))


def _loaded(run: Run) -> Iterator[Hypothesis]:
    """Weights that were loaded, and are far from any that a training gives, or not finite."""
    scales = [(_scale(one), one.layer) for one in weights(run)]
    worst, layer = max(scales, key=lambda pair: pair[0], default=(0.0, None))
    broke = next(iter(run.all(NonFinite)), None)
    score = math.log10(worst) if worst > _LARGE_LOADED else 0.0
    if broke is not None and broke.iteration < 0 and broke.nan and not any(bad for _, _, bad in broke.inputs.values()):
        found = run.layer(broke.layer)
        if found is not None and found.has_weights:
            worst, layer, score = math.nan, found, 6.0
    if layer is not None and score:
        place = run.place(layer.name)
        yield Hypothesis("weights", place, score, (_unloaded(run),), "loaded", (layer,), figure=worst)


def _unloaded(run: Run) -> Change:
    """The run without the weights that are given: BatchNorm takes the statistics of the batch, as it has no others."""
    stored = [one for one in run.built[0].layers if one.type == "BatchNorm" and one.parameters.use_global_stats]
    each = [of_layer(run, one, "batch_norm_param", "use_global_stats", value="false") for one in stored]
    return UNLOADED._replace(edits=join(change.edits for changes in each for change in changes) or ())


def _factor(run: Run) -> Iterator[Hypothesis]:
    """The factor that a BatchNorm divides its loaded statistics by, far above what Caffe saves. field: `factor`."""
    found = []
    for layer in run.built[0].layers:
        stored = layer.type == "BatchNorm" and layer.parameters.use_global_stats
        factor = run.statistics(-1, layer.name, PARAM, 2, DATA) if stored else None
        if factor is not None and factor.max > _LARGE_STORED:
            found.append((factor.max, layer))
    if found:
        value, layer = max(found, key=lambda pair: pair[0])
        layers = (layer, *(one for _, one in found if one is not layer))
        score = math.log10(value / _LARGE_STORED) + _SILENT
        yield Hypothesis("weights", run.place(layer.name), score, (), "stored", layers, value)


def _scale(one: Weights) -> float:
    """How many times as large as He's: sqrt(2 / values that each output is made of)."""
    shape = one.layer.params[0].shape if one.layer.params else None
    if one.data is None or not shape or len(shape) < 2 or not one.layer.has_weights:
        return 0.0
    inputs = math.prod(shape[1:])
    return size(one.data) / math.sqrt(2 / inputs) if inputs > 0 else 0.0
