from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, UNSAFE, Finding, Invalid, Net, NetRule, fix, remove, title


class BackwardNotImplemented(NetRule):
    """A gradient has to pass through a layer that has no backward pass.

    ## Why is this bad?
    ArgMax, Threshold and Accuracy have no gradient, and Embed has none for its indices. With a loss after such a layer
    and a layer that learns before it, or with `force_backward`, Caffe stops at the first backward pass.

    ## Example
    ```
    layer { name: "best" type: "ArgMax" bottom: "fc" top: "best" }
    layer { name: "loss" type: "EuclideanLoss" bottom: "best" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    ```

    ## Fix safety
    Unsafe: the gradients of the data are no longer computed, which may have been wanted.

    ## References
    - argmax_layer.hpp, threshold_layer.hpp, accuracy_layer.hpp, embed_layer.cpp (Backward_cpu); run on Caffe 1.0
    """

    code = "G026"
    name = "backward-not-implemented"
    severity = ERROR
    _NET = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 4 dim: 3 } shape { dim: 4 dim: 1 dim: 1 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }'
    )
    _BEST = ' layer { name: "best" type: "ArgMax" bottom: "fc" top: "best" }'
    _LOSS = ' layer { name: "loss" type: "EuclideanLoss" bottom: "best" bottom: "label" top: "loss" }'
    VALID = [_NET + _BEST]
    INVALID = [
        Invalid(
            _NET + _BEST + _LOSS,
            span='type: "ArgMax"',
            message='ArgMax "best" has no gradient but the loss needs one, so Caffe stops at the first backward pass;'
            " put the loss before the layer",
        ),
        Invalid(
            "force_backward: true " + _NET + ' layer { name: "top1" type: "Accuracy" bottom: "fc" bottom: "label" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }',
            span="force_backward: true",
            message='Accuracy "top1" has no gradient but force_backward asks for one, so Caffe stops at the first'
            " backward pass; keep the layer out of TRAIN or remove force_backward",
            fixed=(
                "" + _NET + ' layer { name: "top1" type: "Accuracy" bottom: "fc" bottom: "label" }'
                ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train" or not net.is_plain:
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            for layer in one.layers:
                if layer.has_backward or not layer.need_backward or layer.index is None or not layer.known:
                    continue
                # A loss_weight on such a layer is for `suspicious-loss-weight` to say.
                if not any(layer.propagate_down) or any(layer.loss_weights):
                    continue
                if net.message.force_backward:
                    yield self.finding(
                        net.at("force_backward"),
                        f"{title(layer)} has no gradient but force_backward asks for one, so Caffe stops at the first"
                        " backward pass; keep the layer out of TRAIN or remove force_backward",
                        phases=(TRAIN,),
                        fixes=fix("remove force_backward", UNSAFE, remove(net, "force_backward")),
                    )
                    return
                yield self.finding(
                    net.layers[layer.index].at("type"),
                    f"{title(layer)} has no gradient but the loss needs one, so Caffe stops at the first backward pass;"
                    " put the loss before the layer",
                    phases=(TRAIN,),
                )
            return
