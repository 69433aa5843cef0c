from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule


class NothingLearnable(NetRule):
    """Every parameter of a training net has `lr_mult: 0`.

    ## Why is this bad?
    The solver changes nothing, so the loss never improves.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { lr_mult: 0 } param { lr_mult: 0 } }
    ```
    Use instead:
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { lr_mult: 1 } param { lr_mult: 2 } }
    ```

    ## References
    - net.cpp, Init; run on Caffe 1.0: the weights move by 0.0
    """

    code = "G018"
    name = "nothing-learnable"
    severity = WARNING
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"%s }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    _FROZEN = " param { lr_mult: 0 } param { lr_mult: 0 }"
    VALID = [_NET % "", _NET % " param { lr_mult: 0 } param { lr_mult: 1 }"]
    INVALID = [
        Invalid(
            _NET % _FROZEN,
            span="lr_mult: 0",
            message="lr_mult is 0 in every layer with parameters, so nothing learns; set lr_mult: 1 in each that is to"
            " learn",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        given = net.layers_having("param")
        if not given or net.role != "train":
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            # A layer of unknown type may have parameters of its own.
            if any(layer.learns or not layer.known for layer in one.layers):
                return
            there = {layer.index for layer in one.layers}
            frozen = [layer for layer in given if layer.index in there and _is_frozen(layer)]
            if frozen and one.has_loss:
                last = next((layer for layer in reversed(frozen) if layer.kind.has_weights), None)
                yield self.finding(
                    (last or frozen[0]).at("param", 0, "lr_mult"),
                    "lr_mult is 0 in every layer with parameters, so nothing learns; set lr_mult: 1 in each that is to"
                    " learn",
                    phases=(TRAIN,),
                )
            return


def _is_frozen(layer: Layer) -> bool:
    learns = layer.kind.has_parameters and not layer.kind.keeps_statistics
    return bool(learns and layer.message.param and not layer.message.param[0].lr_mult)
