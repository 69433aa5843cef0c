from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    LayerRule,
    Place,
    Source,
    fix,
    remove,
    source,
    title,
    write,
)
from caffelint.lint.built import types_that

_TAKE_THE_SIZE = ("SGD", "Nesterov")
"""Solvers whose steps grow with the gradient."""
_SMALL_ENOUGH = 1e-6
_BEARABLE = 0.5
"""The rate times the pixels up to which nets are known to train."""
_USUAL_MAP = 100 * 100

_NET = (
    'layer { name: "up" type: "Deconvolution" bottom: "x" top: "up" }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "up" bottom: "label" top: "loss"'
)


class DenseLossUnnormalized(LayerRule):
    """A loss over a whole map is summed over its pixels, not averaged: the rate is multiplied by height * width.

    ## Why is this bad?
    With `normalize: false`, or a normalization of BATCH_SIZE or NONE, the loss of a 500x500 map is the sum over
    250,000 pixels, and so is the gradient. With a base_lr chosen for an averaged loss, training goes to nan within a
    few iterations; with 1e-10 it works. SoftmaxWithLoss averages unless told otherwise; SigmoidCrossEntropyLoss
    sums over the pixels unless told otherwise.

    ## Example
    ```
    layer {
      name: "loss" type: "SoftmaxWithLoss" bottom: "upscore" bottom: "label" top: "loss"
      loss_param { ignore_label: 255 normalize: false }
    }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "SoftmaxWithLoss" bottom: "upscore" bottom: "label" top: "loss"
      loss_param { ignore_label: 255 }
    }
    ```

    ## Known problems
    Nets that are meant to be trained like this have a low base_lr: the rule is silent where base_lr times the pixels is
    0.5 or less, or base_lr 1e-6 or less, or the solver divides by the size of the gradient, as Adam does, and without
    any solver it reports an info. A map of unknown size is taken to
    have 10,000 pixels. It recognises a map by the layer that makes it (Deconvolution, Crop,
    Interp).

    ## References
    - softmax_loss_layer.cpp and sigmoid_cross_entropy_loss_layer.cpp, get_normalizer
    - longjon/caffe issue 10; shelhamer/fcn.berkeleyvision.org commit 2963aa0
    """

    code = "O006"
    name = "dense-loss-unnormalized"
    severity = WARNING
    certainty = LIKELY
    risks_nan = True
    layer_types = types_that(lambda kind: kind.reads_loss_param)
    VALID = [
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.01', "n.prototxt": _NET + " }"},
        {
            "s.prototxt": 'net: "n.prototxt" base_lr: 1e-10',
            "n.prototxt": _NET + " loss_param { normalize: false } }",
        },
        {
            "s.prototxt": 'net: "n.prototxt" base_lr: 0.01 type: "Adam"',
            "n.prototxt": _NET + " loss_param { normalize: false } }",
        },
        # normalize is not read where normalization is given.
        {
            "s.prototxt": 'net: "n.prototxt" base_lr: 0.01',
            "n.prototxt": _NET + " loss_param { normalize: false normalization: VALID } }",
        },
        # One prediction for each item.
        {
            "s.prototxt": 'net: "n.prototxt" base_lr: 0.01',
            "n.prototxt": 'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "t" loss_param { normalize: false } }',
        },
    ]
    INVALID = [
        Invalid(
            {
                "s.prototxt": 'net: "n.prototxt" base_lr: 0.0001',
                "n.prototxt": _NET + " loss_param { normalize: false } }",
            },
            span="normalize: false",
            message='SoftmaxWithLoss "loss": with normalize: false, the loss is summed over every pixel of "up", so'
            " base_lr 0.0001 is in effect multiplied by height * width; remove it, or divide base_lr by the"
            " number of pixels",
        ),
        Invalid(
            {
                "s.prototxt": 'net: "n.prototxt" base_lr: 0.001',
                "n.prototxt": 'layer { name: "up" type: "Crop" bottom: "x" bottom: "y" top: "up" }'
                ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "up" bottom: "target" top: "loss" }',
            },
            span='type: "SigmoidCrossEntropyLoss"',
            message='SigmoidCrossEntropyLoss "loss": without normalization, the loss is summed over every pixel of'
            ' "up", so base_lr 0.001 is in effect multiplied by height * width; set loss_param {'
            " normalization: VALID }, or divide base_lr by the number of pixels",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        loss_param = layer.message.loss_param
        sums_by_default = layer.type == "SigmoidCrossEntropyLoss"
        if loss_param.HasField("normalization"):
            field = "normalization"
            summed = loss_param.normalization in (loss_param.BATCH_SIZE, loss_param.NONE)
        elif loss_param.HasField("normalize") and layer.type != "InfogainLoss":
            field = "normalize"
            summed = not loss_param.normalize
        else:
            field = ""
            summed = sums_by_default
        if not summed:
            return
        made = next((made for phase in layer.phases if (made := _map(layer, phase))), None)
        if made is None:
            return
        solvers = layer.net.solvers
        rates = [solver.message.base_lr for solver in solvers if solver.type in _TAKE_THE_SIZE]
        if solvers and not rates or rates and (max(rates) <= _SMALL_ENOUGH or max(rates) * _pixels(layer) <= _BEARABLE):
            return
        yield self.finding(
            _place(layer, field),
            _message(layer, field, made.layer.tops[made.top], max(rates) if rates else None),
            evidence=f"{title(made.layer)} makes a map, one value per pixel",
            severity=None if rates and not _rebuilds(layer) else INFO,
            fixes=_mean(layer, field),
        )


def _rebuilds(layer: Layer) -> bool:
    """Does the net make again what it reads? Its author has a rate for that sum, which is usual there."""
    found = [one for built in layer.net.states() for one in built.layers if one.index == layer.index]
    for one in found[:1]:
        learning = [above for above in one.bottoms[0].depends_on if above.has_weights]
        read = {id(blob.original) for above in learning for blob in above.bottoms}
        return len(one.bottoms) > 1 and id(one.bottoms[1].original) in read
    return False


def _pixels(layer: Layer) -> int:
    """Of the map that the loss reads; of a usual one where its size is not known."""
    for built in layer.net.states():
        for one in built.layers:
            if one.index == layer.index and one.bottoms and (shape := one.bottoms[0].shape):
                return math.prod(shape[2:])
    return _USUAL_MAP


def _mean(layer: Layer, field: str) -> tuple[Fix, ...]:
    """To take the mean is one way; base_lr is the other."""
    if field == "normalize":
        return fix(f"remove {field}", DISPLAY, remove(layer, "loss_param", field))
    return fix("set normalization: VALID", DISPLAY, write(layer, "loss_param", "normalization", value="VALID"))


def _map(layer: Layer, phase: str) -> Source | None:
    made = source(layer, 0, phase, _keeps_pixels)
    return made if made and (made.layer.kind.upsamples or made.layer.type == "Crop") else None


def _place(layer: Layer, field: str) -> Place:
    return layer.at("loss_param", field) if field else layer.at("type")


def _message(layer: Layer, field: str, blob: str, rate: float | None) -> str:
    if field == "normalize":
        cause, how = "with normalize: false,", "remove it"
    elif field:
        mode = layer.message.loss_param.NormalizationMode.Name(layer.message.loss_param.normalization)
        cause, how = f"with normalization: {mode},", "set normalization: VALID"
    else:
        cause, how = "without normalization,", "set loss_param { normalization: VALID }"
    known = f" {rate:g}" if rate is not None else ""
    return (
        f'{title(layer)}: {cause} the loss is summed over every pixel of "{blob}", so base_lr{known} is in effect'
        f" multiplied by height * width; {how}, or divide base_lr by the number of pixels"
    )


def _keeps_pixels(layer: Layer) -> bool:
    return bool(layer.kind.keeps_pixels)
