from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, Finding, Invalid, Net, NetRule, Related, title

from ._classes import classes, given_by


class SingleClassSoftmax(NetRule):
    """A softmax loss over a single class.

    ## Why is this bad?
    The softmax of a single score is always 1, so the loss is 0 from the start, and so is every gradient. Two classes
    need two scores, counting the background; a single yes-or-no score belongs in a SigmoidCrossEntropyLoss.

    ## Example
    ```
    inner_product_param { num_output: 1 }
    ```
    Use instead:
    ```
    inner_product_param { num_output: 2 }
    ```

    ## References
    - softmax_loss_layer.cpp, Forward_cpu and Backward_cpu
    """

    code = "L008"
    name = "single-class-softmax"
    severity = ERROR
    layer_types = ("SoftmaxWithLoss",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: %d } }'
        ' layer { name: "loss" type: "%s" bottom: "fc" bottom: "label" top: "loss"%s }'
    )
    VALID = [
        _NET % (2, "SoftmaxWithLoss", ""),
        _NET % (1, "SigmoidCrossEntropyLoss", ""),
        # Over another axis, whose size is not known.
        _NET % (1, "SoftmaxWithLoss", " softmax_param { axis: 0 }"),
    ]
    INVALID = [
        Invalid(
            _NET % (1, "SoftmaxWithLoss", ""),
            span="num_output: 1",
            message='SoftmaxWithLoss "loss" takes the softmax of a single score, which is always 1, so the loss is 0'
            " and nothing learns; set num_output: 2, or use SigmoidCrossEntropyLoss",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            if one.phase != TRAIN:
                continue
            for layer in one.layers:
                if layer.type != "SoftmaxWithLoss" or not layer.bottoms or layer.index is None:
                    continue
                found = classes(layer.bottoms[0], layer.class_axis)
                if found is None or found[0] != 1:
                    continue
                maker, loss = found[1], net.layers[layer.index]
                block = given_by(maker)
                yield self.finding(
                    net.layers[maker.index].at(block, "num_output") if block and maker.index is not None else loss.at(),
                    f"{title(loss)} takes the softmax of a single score, which is always 1, so the loss is 0 and"
                    " nothing learns; set num_output: 2, or use SigmoidCrossEntropyLoss",
                    phases=(TRAIN,),
                    related=(Related("the loss", loss.at("type")),),
                )
            return
