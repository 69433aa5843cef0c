from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.evidence.weights.rule import BuiltLayer, Fit, WeightsEvidence, WeightsRule
from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, fix, join, title, write
from caffelint.lint.built import layer_class

from ._example import MODEL, NET
from ._words import file_of

_TIMES = 2.0
"""Scales that differ by less do the same to weights."""


class InputUnlikeWeights(WeightsRule):
    """A net is trained from weights whose inputs had another scale, or had a mean taken off.

    ## Why is this bad?
    A .caffemodel holds the whole net that was trained, with the `transform_param` of its data. Filters that learned
    from values of -128 to 127 give next to nothing for values of 0 to 1, and where they are frozen they never will.

    ## Known problems
    Weights of which a converter wrote no data layers tell nothing. A net may be meant to learn from the new range.

    ## References
    - data_transformer.cpp, Transform; net.cpp, ToProto
    """

    code = "W109"
    name = "input-unlike-weights"
    severity = WARNING
    certainty = LIKELY
    _MODEL = MODEL.replace('"Convolution"', '"Convolution" bottom: "data"')
    _DATA = (
        'layer {{ name: "data" type: "Data" top: "data" data_param {{ source: "a" batch_size: 2 }}'
        " transform_param {{ {} }} }}\n"
    )
    _LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "fc" top: "loss" }\n'
    _NET = NET[NET.index("\n") + 1 :] + _LOSS
    _SCALED = _DATA.format("crop_size: 5 scale: 0.004")
    _POWER = 'layer { name: "p" type: "Power" bottom: "data" top: "data" power_param { scale: 250 } }\n'
    VALID = [
        {"net.prototxt": _SCALED + _POWER + _NET, "net.caffemodel": _DATA.format("mirror: true") + _MODEL},
        {"net.prototxt": _SCALED + _NET, "net.caffemodel": _DATA.format("scale: 0.0039") + _MODEL},
        {"net.prototxt": _SCALED + _NET, "net.caffemodel": _MODEL},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _SCALED + _NET, "net.caffemodel": _DATA.format("mirror: true") + _MODEL},
            span="scale: 0.004",
            message='Data "data": scale is 0.004 here but was 1 as "net.caffemodel" was trained, so its weights read'
            " values that are 250 times smaller than those they are made for; set scale: 1",
            fixed={
                "net.prototxt": _SCALED.replace("0.004", "1") + _NET,
                "net.caffemodel": _DATA.format("mirror: true") + _MODEL,
            },
        ),
        Invalid(
            {
                "net.prototxt": _DATA.format("crop_size: 5") + _NET,
                "net.caffemodel": _DATA.format("mean_value: 120") + _MODEL,
            },
            span="transform_param",
            message='Data "data": no mean is taken off here, but was as "net.caffemodel" was trained; take it off here,'
            " too",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for fit in weights.fits:
            if fit.built.phase == TRAIN and fit.fed and any(any(layer.loss_weights) for layer in fit.built.layers):
                for here, there in _pairs(fit):
                    if not _is_read_as_it_is(here) or not _was_read_as_it_is(fit, here):
                        continue  # another layer may scale it
                    yield from self._pair(fit, here, there)

    def _pair(self, fit: Fit, layer: BuiltLayer, trained: Any) -> Iterator[Finding]:
        here, there = layer.message.transform_param, trained.transform_param
        known = f"as {file_of(fit.weights)} was trained"
        low, high = sorted(abs(one.scale) for one in (here, there))
        if low > 0 and high > _TIMES * low:
            size = "smaller" if abs(here.scale) == low else "larger"
            makers = [one for one in fit.net.layers if not one.bottoms and layer.tops[0].name in one.tops]
            same = [one for one in makers if one.message.transform_param.scale == here.scale]
            edits = join(write(one, "transform_param", "scale", value=f"{there.scale:g}") for one in same)
            others = [one.at("transform_param", "scale").line for one in same if one.index != layer.index]
            also = f", also in line {others[0]}" if others else ""
            yield self.finding(
                fit.at(layer, "transform_param", "scale"),
                f"{title(layer)}: scale is {here.scale:g} here but was {there.scale:g} {known}, so its weights read"
                f" values that are {high / low:.3g} times {size} than those they are made for; set scale:"
                f" {there.scale:g}{also}",
                phases=fit.phases,
                fixes=fix(f"set scale: {there.scale:g}", UNSAFE, edits) if edits else (),
            )
        elif _takes_mean(here) != _takes_mean(there):
            took = (
                "no mean is taken off here, but was" if _takes_mean(there) else "a mean is taken off here, but was not"
            )
            remedy = "take it off here, too" if _takes_mean(there) else "leave it out"
            yield self.finding(
                fit.at(layer, "transform_param"), f"{title(layer)}: {took} {known}; {remedy}", phases=fit.phases
            )


def _pairs(fit: Fit) -> Iterator[tuple[BuiltLayer, Any]]:
    """The data layers whose records are transformed, each with the one that made the blob of that name in training."""
    stored = [one.message for one in fit.weights.layers if one.message is not None and _reads(one.message)]
    for layer in fit.built.layers:
        if layer.transforms and not layer.bottoms and layer.index is not None:
            same = [one for one in stored if list(one.top[:1]) == [layer.tops[0].name]]
            if len(same) == 1:
                yield layer, same[0]


def _is_read_as_it_is(layer: BuiltLayer) -> bool:
    """Do layers with weights read it, with none between that changes its values?"""
    stack, weighed = [reader for reader, _ in layer.tops[0].readers], False
    while stack:
        one = stack.pop()
        if one.has_weights and not one.normalises:
            weighed = True
        elif one.rearranges and len(one.bottoms) == 1:
            stack += [reader for top in one.tops for reader, _ in top.readers]
        elif one.tops and not one.is_loss:
            return False
    return weighed


def _was_read_as_it_is(fit: Fit, layer: BuiltLayer) -> bool:
    """The same of the net that was trained: each reader has weights of its own."""
    readers = [
        one for one in fit.weights.layers if one.message is not None and layer.tops[0].name in one.message.bottom
    ]
    return bool(readers) and all(one.blobs and not layer_class(one.type).normalises for one in readers)


def _reads(message: Any) -> bool:
    return bool(message.HasField("data_param") or message.HasField("image_data_param"))


def _takes_mean(transform: Any) -> bool:
    return bool(transform.mean_file or any(transform.mean_value))
