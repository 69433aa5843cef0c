from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, UNSAFE, Finding, Invalid, Net, NetRule, Related, fix, write


class LossConsumed(NetRule):
    """A loss is read by a layer that carries no loss itself, so nothing behind it learns.

    ## Why is this bad?
    Caffe looks from the end of the net for layers that lead to a loss. A layer that reads the loss and is none, such
    as Silence or a check that works in place, leads to nothing, and Caffe drops the backward pass behind it, that of
    the loss included. The loss is printed and every weight stays as it is: no error, no word but a line "does not need
    backward computation" in the log.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
    layer { name: "quiet" type: "Silence" bottom: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 }
    layer { name: "quiet" type: "Silence" bottom: "loss" }
    ```
    A written `loss_weight` makes Caffe split the blob: the copy that is read no longer matters. An in-place layer
    cannot be had on a loss at all.

    ## Fix safety
    Unsafe: the net learns from this loss, which it did not before.

    ## References
    - net.cpp, Init (blobs_skip_backp); run on Caffe 1.0: the weights move by 0.0
    """

    code = "G022"
    name = "loss-consumed"
    severity = ERROR
    _NET = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 4 dim: 3 } shape { dim: 4 } } }"
        ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss"%s } '
    )
    VALID = [
        _NET % "",
        _NET % " loss_weight: 1" + 'layer { name: "quiet" type: "Silence" bottom: "loss" }',
        # The sum carries the loss.
        _NET % "" + 'layer { name: "twice" type: "Power" bottom: "loss" top: "twice" loss_weight: 1 }',
        # Two readers: Caffe splits the blob, and drops both copies.
    ]
    INVALID = [
        Invalid(
            _NET % "" + 'layer { name: "quiet" type: "Silence" bottom: "loss" }',
            span='bottom: "loss"',
            message='quiet (Silence) reads the loss of layer "loss" and carries none: Caffe drops the backward pass'
            ' behind it, and nothing learns; write loss_weight: 1 in layer "loss", or do not read its top',
            fixed=_NET % " loss_weight: 1" + 'layer { name: "quiet" type: "Silence" bottom: "loss" }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            if one.phase != TRAIN or one.refusals:
                continue
            for layer in one.layers:
                if layer.need_backward or layer.index is None or not any(layer.loss_weights):
                    continue
                if not any(blob.need_backward for blob in layer.bottoms):
                    continue
                for top in layer.tops:
                    for reader, number in top.readers[:1]:
                        if reader.index is None or not reader.known and reader.type != "Python":
                            continue
                        loss = net.layers[layer.index]
                        yield self.finding(
                            net.layers[reader.index].at("bottom", number),
                            f'{reader.name} ({reader.type}) reads the loss of layer "{layer.name}" and carries none:'
                            " Caffe drops the backward pass behind it, and nothing learns; write loss_weight: 1 in"
                            f' layer "{layer.name}", or do not read its top',
                            related=(Related("the loss", loss.at("type")),),
                            fixes=fix("write loss_weight: 1", UNSAFE, write(loss, "loss_weight", value="1"))
                            if len(loss.tops) == 1 and not net.layers[reader.index].in_place
                            else (),
                        )
            return
