from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    speaks_of_weights,
    title,
    titles,
)
from caffelint.lint.built import draws, types_that

from ._gradient_paths import layers_below

_FEW = 2


class FrozenWithoutWeights(NetRule):
    """A layer with `lr_mult: 0` keeps the random weights of its filler.

    ## Why is this bad?
    `lr_mult: 0` is for weights that are loaded. A frozen layer that starts from a filler remains a random
    projection, and everything that learns has to go through it.

    ## Example
    ```
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" param { lr_mult: 0 } }
    ```
    Use instead:
    ```
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" param { lr_mult: 1 } }
    ```

    ## Known problems
    `caffe train --weights` cannot be seen from the text. Where the solver sets `weights`, a script gives its training
    weights, the text mentions fine-tuning, or a layer has no filler, only a single layer between learning ones is told.
    Nothing is where a script gives the nets that it trains weights itself: assigned, shared, or from several solvers
    that it steps in turn.
    Only info where the
    first layers, many, or the last ones are frozen: their weights are mostly loaded.

    ## References
    - net.cpp, Init; sgd_solver.cpp, ComputeUpdateValue
    """

    code = "G019"
    name = "frozen-without-weights"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.has_weights)
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}'
        ' layer {{ name: "a" type: "InnerProduct" bottom: "data" top: "a" {} inner_product_param {{ num_output: 9'
        ' weight_filler {{ type: "xavier" }} }} }}'
        ' layer {{ name: "b" type: "InnerProduct" bottom: "a" top: "b" {} inner_product_param {{ num_output: 9'
        ' weight_filler {{ type: "{}" }} }} }}'
        ' layer {{ name: "c" type: "InnerProduct" bottom: "b" top: "c" inner_product_param {{ num_output: 9'
        ' weight_filler {{ type: "xavier" }} }} }}'
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }}'
    )
    _FROZEN = "param { lr_mult: 0 }"
    VALID = [
        _NET.format("", "", "xavier"),
        # A mean over the inputs is a constant on purpose.
        _NET.format("", _FROZEN, "constant"),
        {
            "s.prototxt": 'net: "n.prototxt" weights: "x.caffemodel"',
            "n.prototxt": _NET.format(_FROZEN, _FROZEN, "xavier"),
        },
        "# for finetuning\n" + _NET.format(_FROZEN, "", "xavier"),
        "# for finetuning\n" + _NET.format("", _FROZEN, "constant"),
    ]
    INVALID = [
        Invalid(
            _NET.format("", _FROZEN, "xavier"),
            span="lr_mult: 0",
            message='InnerProduct "b": lr_mult is 0, so the layer keeps the random weights of its xavier filler, after'
            " layers that learn; set lr_mult: 1, or load weights",
        ),
        # Who freezes what is loaded does not freeze one layer between others.
        Invalid(
            "# for finetuning\n" + _NET.format("", _FROZEN, "xavier"),
            span="lr_mult: 0",
            message='InnerProduct "b": lr_mult is 0, but the layers before and after it learn; set lr_mult: 1 if it'
            " should, too",
        ),
        # Frozen from the data on, as for weights that are loaded: info.
        Invalid(
            _NET.format(_FROZEN, _FROZEN, "xavier"),
            span="lr_mult: 0",
            message='InnerProduct "a", "b": lr_mult is 0, so the layers keep the random weights of their fillers'
            " unless weights are loaded; if you load none, set lr_mult: 1",
        ),
        # Nothing learns after it, as after a discriminator that judges what is made.
        Invalid(
            _NET.format("", "", "xavier").replace('top: "c" ', 'top: "c" param { lr_mult: 0 } '),
            span="lr_mult: 0",
            message='InnerProduct "c": lr_mult is 0, so the layer keeps the random weights of its xavier filler unless'
            " weights are loaded; if you load none, set lr_mult: 1",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        frozen = {layer.index for layer in net.layers_of(self.layer_types) if _is_frozen(layer)}
        if not frozen or not net.is_trained:
            return
        if any(solver.runs and solver.runs.customs.hands_over for solver in net.solvers):
            return
        is_loaded = _may_be_loaded(net)
        for one in net.states():
            if one.phase == TRAIN and one.is_wired and any(layer.learns for layer in one.layers):
                found = [net.layers[layer.index or 0] for layer in one.layers if layer.index in frozen]
                learning = {layer for layer in one.layers if layer.learns}
                after = {layer.index for layer in layers_below(one, learning)}
                judges = not learning & {*layers_below(one, (layer for layer in one.layers if layer.index in frozen))}
                between = [layer for layer in found if layer.index in after and not judges]
                if is_loaded:
                    if len(found) == len(between) == 1:
                        yield self._between(found[0])
                    return
                found = [layer for layer in found if _is_random(layer)]
                if found:
                    yield self._finding(found, [layer for layer in found if layer in between])
                return

    def _between(self, layer: Layer) -> Finding:
        """Who freezes what is loaded freezes it from the data on, or all but the last: not one layer between others."""
        return self.finding(
            layer.at("param", 0, "lr_mult"),
            f"{title(layer)}: lr_mult is 0, but the layers before and after it learn; set lr_mult: 1 if it should, too",
            phases=(TRAIN,),
        )

    def _finding(self, found: list[Layer], after: list[Layer]) -> Finding:
        """A few frozen layers between learning ones are a slip; others mostly get their weights loaded, as those of a
        discriminator do, after which nothing learns while it judges what the net makes.
        """
        slip = 0 < len(after) == len(found) <= _FEW
        whose = f"its {_filler(found[0])} filler" if len(found) == 1 else "their fillers"
        verb = "keeps" if len(found) == 1 else "keep"
        text = f"{titles(found)}: lr_mult is 0, so the layer{'' if len(found) == 1 else 's'} {verb}"
        text += f" the random weights of {whose}"
        return self.finding(
            found[0].at("param", 0, "lr_mult"),
            f"{text}, after layers that learn; set lr_mult: 1, or load weights"
            if slip
            else f"{text} unless weights are loaded; if you load none, set lr_mult: 1",
            severity=WARNING if slip else INFO,
            phases=(TRAIN,),
            layers=found,
        )


def _filler(layer: Layer) -> str:
    name: str = layer.kind.parameters.weight_filler.type
    return name


def _may_be_loaded(net: Net) -> bool:
    """Does anything say, or leave open, that its weights are loaded?"""
    if any(solver.message.weights or solver.runs and solver.runs.trains_on for solver in net.solvers):
        return True
    weighted = (layer for layer in net.layers_of(FrozenWithoutWeights.layer_types) if layer.type != "Deconvolution")
    return speaks_of_weights(net) or not all(layer.has(layer.kind.block, "weight_filler") for layer in weighted)


def _is_frozen(layer: Layer) -> bool:
    """Not with a name, since another layer may own the weights, and not with a filler that gives what is wanted."""
    if not layer.has_frozen_weights or layer.type == "Deconvolution":
        return False
    is_named = any(spec.name for spec in layer.message.param)
    is_fixed = layer.has(layer.kind.block, "weight_filler") and not _is_random(layer)
    return not is_named and not is_fixed


def _is_random(layer: Layer) -> bool:
    """Does it keep what a filler draws?"""
    return draws(layer.kind.parameters.weight_filler)
