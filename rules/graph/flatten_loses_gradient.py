from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    TRAIN,
    UNSAFE,
    WARNING,
    Edits,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    title,
    write,
)
from caffelint.lint.built import BuiltLayer

_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 6 } } }'
    ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 6 } }'
    ' layer { name: "rows" type: "Reshape" bottom: "%s" top: "rows" reshape_param { shape { dim: 0 dim: 2 dim: 3 } } }'
    ' layer { name: "flat" type: %s bottom: "rows" top: "flat" %s}'
    ' layer { name: "loss" type: "EuclideanLoss" bottom: "flat" bottom: "data" top: "loss" }'
)
_SHAPE = " with shape { dim: 0 dim: -1 }"
_RESHAPED = '"Reshape"', "reshape_param { shape: { dim: 0 dim: -1 } } "


class FlattenLosesGradient(NetRule):
    """A Flatten behind a Reshape or a recurrent layer takes the gradient from all layers above.

    ## Why is this bad?
    Backward, a Flatten gives its bottom the memory of its top's gradient. A Reshape, LSTM or RNN, or a Concat or Slice
    of one blob, reads the gradient of its top where that was when shapes were set, and nothing is written there. Caffe
    says nothing: those layers and all above get a gradient of 0.

    ## Example
    ```
    layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "lstm" }
    layer { name: "flat" type: "Flatten" bottom: "lstm" top: "flat" }
    ```
    Use instead:
    ```
    layer { name: "flat" type: "Reshape" bottom: "lstm" top: "flat" reshape_param { shape { dim: 0 dim: -1 } } }
    ```

    ## Known problems
    In nets with layers of a fork, whose sources may differ, it is a warning.

    ## Fix safety
    Unsafe: the layers above begin to learn.

    ## References
    - flatten_layer.cpp, Backward; reshape_layer.cpp and recurrent_layer.cpp, Reshape; a run of Caffe 1.0 shows it
    """

    code = "G045"
    name = "flatten-loses-gradient"
    severity = ERROR
    layer_types = ("Flatten",)
    VALID = [
        _NET % ("a", *_RESHAPED),
        _NET % ("data", '"Flatten"', ""),
        # Nothing above learns.
        "force_backward: true " + _NET % ("data", '"Flatten"', ""),
        # Caffe adds the gradients of several readers in a layer of its own.
        _NET % ("a", '"Flatten"', "") + ' layer { name: "quiet" type: "Silence" bottom: "rows" }',
    ]
    INVALID = [
        Invalid(
            _NET % ("a", '"Flatten"', ""),
            span='type: "Flatten"',
            message='Flatten "flat" behind Reshape "rows" loses the gradient, so nothing above learns from what it'
            " gives; make it a Reshape with shape { dim: 0 dim: -1 }",
            fixed=_NET % ("a", *_RESHAPED),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        one = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None)
        for layer in one.layers if one else ():
            if layer.replaces_gradient and layer.index is not None and (above := _losing(layer)):
                mine = net.layers[layer.index]
                yield self.finding(
                    mine.at("type"),
                    f"{title(layer)} behind {title(above)} loses the gradient, so nothing above learns from what it"
                    f" gives; make it a Reshape{_SHAPE * _is_plain(mine)}",
                    severity=ERROR if net.is_plain else WARNING,
                    phases=(TRAIN,),
                    fixes=fix("make it a Reshape", UNSAFE, *_edits(mine)),
                )


def _edits(layer: Layer) -> list[Edits]:
    shape = [("shape", "{ dim: 0 dim: -1 }")]
    edits = write(layer, "type", value='"Reshape"'), write(layer, "reshape_param", value=shape)
    return [*edits] if _is_plain(layer) else [None]


def _is_plain(layer: Layer) -> bool:
    """Is all but the first axis made one? The older layers blocks have no Reshape."""
    is_old = layer.node is not None and layer.node.name == "layers"
    return not (is_old or layer.message.HasField("flatten_param"))


def _losing(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer that gets no gradient of what this one reads, past those that work in place."""
    above = layer.bottoms[0].producer if layer.bottoms else None
    while above is not None and above.runs_in_place:
        above = above.bottoms[0].producer
    loses = above is not None and above.shares_gradient and above.need_backward
    depends = layer.bottoms[0].depends_on if loses else []
    return above if any(one.learns and (one.params or one.params is None) for one in depends) else None
