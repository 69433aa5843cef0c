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
    titles,
)
from caffelint.lint.built import BuiltLayer, BuiltNet, draws, types_that

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
    `caffe train --weights` cannot be seen from the text. Silent where the solver sets `weights`, where a script gives
    its training weights, where the text mentions fine-tuning, and where a layer has no filler. Only info where the
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
        {"s.prototxt": 'net: "n.prototxt" weights: "x.caffemodel"', "n.prototxt": _NET.format("", _FROZEN, "xavier")},
        "# for finetuning\n" + _NET.format("", _FROZEN, "xavier"),
    ]
    INVALID = [
        Invalid(
            _NET.format("", _FROZEN, "xavier"),
            span="lr_mult: 0",
            message='InnerProduct "b": lr_mult is 0, so the layer keeps the random weights of its xavier filler, after'
            " layers that learn; set lr_mult: 1, or load weights",
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
        frozen = {layer.index for layer in net.layers_of(self.layer_types) if _is_random(layer)}
        if not frozen or not net.is_trained or any(solver.message.weights for solver in net.solvers):
            return
        if any(solver.runs and solver.runs.trains_on for solver in net.solvers):
            return
        weighted = [layer for layer in net.layers_of(self.layer_types) if layer.type != "Deconvolution"]
        if not all(layer.has(layer.kind.block, "weight_filler") for layer in weighted):
            return
        if speaks_of_weights(net):
            return
        for one in net.states():
            if one.phase == TRAIN and one.is_wired and any(layer.learns for layer in one.layers):
                found = [net.layers[layer.index or 0] for layer in one.layers if layer.index in frozen]
                learning = {layer for layer in one.layers if layer.learns}
                after = {layer.index for layer in _below(one, learning)}
                judges = not learning & {*_below(one, {layer for layer in one.layers if layer.index in frozen})}
                if found:
                    yield self._finding(found, [layer for layer in found if layer.index in after and not judges])
                return

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


def _is_random(layer: Layer) -> bool:
    """Is it frozen at what a filler draws? Not with a name: another layer may own the weights."""
    if layer.type == "Deconvolution" or not layer.has_frozen_weights:
        return False
    param = layer.kind.parameters
    return draws(param.weight_filler) and not any(spec.name for spec in layer.message.param)


def _below(one: BuiltNet, starts: set[BuiltLayer]) -> Iterator[BuiltLayer]:
    """The layers that read, through whatever is between, what one of `starts` has made."""
    reached = {*starts}
    for layer in one.layers:
        if any(blob.producer in reached for blob in layer.bottoms):
            yield layer
            reached.add(layer)
