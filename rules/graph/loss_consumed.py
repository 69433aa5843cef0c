from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, UNSAFE, Finding, Invalid, Net, NetRule, Related, fix, title, write


class LossConsumed(NetRule):
    """A loss is read by a layer that is not a loss itself, so nothing learns from it.

    ## Why is this bad?
    Caffe searches from the end of the net for layers that lead to a loss. A layer that reads the loss and is not one
    itself, such as Silence or a check that works in place, leads to none, so Caffe drops the backward pass of all
    layers that lead to it, the loss included. The loss is printed but no weight changes; the only sign is a line "does
    not need backward computation" in the log.

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
    With a written `loss_weight` Caffe splits the blob, so the copy that is read no longer matters. No layer can work in
    place on a loss.

    ## Fix safety
    Unsafe: the net learns from this loss, which it did not do before.

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
            message='Silence "quiet" reads the loss of SoftmaxWithLoss "loss" but is not a loss, so Caffe drops the'
            ' backward pass of the loss and nothing learns; set loss_weight: 1 in "loss", or do not read its top',
            fixed=_NET % " loss_weight: 1" + 'layer { name: "quiet" type: "Silence" bottom: "loss" }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            if one.phase != TRAIN or not one.is_wired:
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
                            f"{title(reader)} reads the loss of {title(layer)} but is not a loss, so Caffe drops the"
                            f' backward pass of the loss and nothing learns; set loss_weight: 1 in "{layer.name}", or'
                            " do not read"
                            " its top",
                            related=(Related("the loss", loss.at("type")),),
                            fixes=fix("set loss_weight: 1", UNSAFE, write(loss, "loss_weight", value="1"))
                            if len(loss.tops) == 1 and not net.layers[reader.index].in_place
                            else (),
                        )
            return
