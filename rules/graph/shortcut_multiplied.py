from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, titles, write
from caffelint.lint.built import BuiltLayer

_PROD = 0
"""EltwiseParameter.EltwiseOp"""
_LONGEST = 20
"""Layers of a block."""
_SEVERAL = 2
"""Blocks that tell a residual net; a single product may be meant."""


def _block(name: str, bottom: str, gate: str = "", operation: str = "PROD") -> str:
    conv = f"{name}_conv"
    return (
        f' layer {{ name: "{conv}" type: "Convolution" bottom: "{bottom}" top: "{conv}" convolution_param {{'
        f" num_output: 3 kernel_size: 3 pad: 1 }} }}{gate.replace('NAME', conv)}"
        f' layer {{ name: "{name}" type: "Eltwise" bottom: "{bottom}" bottom: "{conv}" top: "{name}"'
        f" eltwise_param {{ operation: {operation} }} }}"
    )


_DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
_LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "two" bottom: "label" }'
_FROZEN = "param { lr_mult: 0 } param { lr_mult: 0 } convolution_param"
_GATE = ' layer { name: "gate" type: "Sigmoid" bottom: "NAME" top: "NAME" }'


class ShortcutMultiplied(NetRule):
    """The blocks of a residual net multiply what they compute by what they read.

    ## Why is this bad?
    A residual block adds its input to what its layers make of it, so that the input and its gradient pass unchanged.
    A product passes neither where the other factor is near 0, as it is at first, and the net hardly learns.

    ## Example
    ```
    layer { type: "Eltwise" bottom: "in" bottom: "conv2" top: "out" eltwise_param { operation: PROD } }
    ```
    Use instead:
    ```
    layer { type: "Eltwise" bottom: "in" bottom: "conv2" top: "out" eltwise_param { operation: SUM } }
    ```

    ## Known problems
    A product by a gate, as by a Sigmoid or a Softmax, is left alone, and so is a single one.

    ## Fix safety
    Unsafe: the net computes something else.

    ## References
    - eltwise_layer.cpp, Forward_cpu and Backward_cpu; He et al., Deep Residual Learning, 2015
    """

    code = "G055"
    name = "shortcut-multiplied"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Eltwise",)
    VALID = [
        _DATA + _block("one", "data", operation="SUM") + _block("two", "one", operation="SUM") + _LOSS,
        _DATA + _block("one", "data", _GATE) + _block("two", "one", _GATE) + _LOSS,
        _DATA + _block("one", "data", operation="SUM") + _block("two", "one") + _LOSS,
        # Weights that are never trained compute a mean, or the like, not a block.
        _DATA + (_block("one", "data") + _block("two", "one")).replace("convolution_param", _FROZEN) + _LOSS,
    ]
    INVALID = [
        Invalid(
            _DATA + _block("one", "data") + _block("two", "one") + _LOSS,
            span="operation: PROD",
            message='Eltwise "one", "two": each multiplies what its block reads by what it makes of it, so neither'
            " values nor gradients pass where one is near 0; a residual block adds them: set operation: SUM",
            fixed=_DATA + _block("one", "data", operation="SUM") + _block("two", "one", operation="SUM") + _LOSS,
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        frozen = {layer.index for layer in net.layers if layer.has_frozen_weights}
        for one in net.states():
            products = [layer for layer in one.layers if _is_product(layer)] if one.phase == TRAIN else []
            if sum(_is_residual(layer, frozen) for layer in products) >= _SEVERAL:
                found = [net.layers[layer.index] for layer in products if layer.index is not None]
                edits = [write(layer, "eltwise_param", "operation", value="SUM") for layer in found]
                yield self.finding(
                    found[0].at("eltwise_param", "operation"),
                    f"{titles(found)}: each multiplies what its block reads by what it makes of it, so neither values"
                    " nor gradients pass where one is near 0; a residual block adds them: set operation: SUM",
                    fixes=fix("set operation: SUM", UNSAFE, *edits),
                    layers=found,
                )
                return


def _is_product(layer: BuiltLayer) -> bool:
    """Of two factors, of which none is a gate as far as is known."""
    if layer.type != "Eltwise" or layer.parameters.operation != _PROD or len(layer.bottoms) != 2:
        return False
    return not any(maker is None or _may_gate(maker) for maker in (blob.maker for blob in layer.bottoms))


def _is_residual(layer: BuiltLayer, frozen: set[int]) -> bool:
    """Does one factor come of the other by layers that learn and nothing that gates, along first bottoms?

    frozen: the layers whose weights stay as they are.
    """
    for shortcut, branch in (layer.bottoms, layer.bottoms[::-1]):
        maker, weighs = branch.maker, False
        for _ in range(_LONGEST):
            if maker is None or not maker.bottoms or _may_gate(maker):
                break
            weighs |= bool(maker.has_weights) and maker.index not in frozen
            if maker.bottoms[0].original is shortcut.original:
                return weighs
            maker = maker.bottoms[0].maker
    return False


def _may_gate(layer: BuiltLayer) -> bool:
    return layer.is_activation is None or bool(layer.is_activation and not layer.rectifies or layer.type == "Softmax")
