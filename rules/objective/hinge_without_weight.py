from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, UNSAFE, Finding, Invalid, Net, NetRule, fix, title, write


class HingeWithoutWeight(NetRule):
    """A HingeLoss with `loss_weight: 0` in training, on scores that another loss reads as well.

    ## Why is this bad?
    Caffe runs no backward of a loss without a weight, but the forward pass of HingeLoss keeps its margins in the place
    of the gradient of the scores. What gathers the gradients of all readers adds them to that of the other loss:
    the net is trained by numbers that are no gradient, mostly until all is nan. TEST is not harmed.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
    layer { name: "margin" type: "HingeLoss" bottom: "fc" bottom: "label" top: "margin" loss_weight: 0 }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
    layer { name: "margin" type: "HingeLoss" bottom: "fc" bottom: "label" top: "margin" include { phase: TEST } }
    ```

    ## Fix safety
    Unsafe: the layer is left out of TRAIN, where its value is no longer shown.

    ## References
    - hinge_loss_layer.cpp, Forward_cpu; split_layer.cpp, Backward_cpu; BVLC/caffe issue 2895 and pull 3296
    """

    code = "O028"
    name = "hinge-without-weight"
    severity = ERROR
    layer_types = ("HingeLoss",)
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" }}\n'
        'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 4 }} }}\n'
        'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}\n'
        'layer {{ name: "margin" type: "HingeLoss" bottom: "fc" bottom: "label" top: "margin" loss_weight: {} }}\n'
    )
    VALID = [_NET.format("0 include { phase: TEST }"), _NET.format("0.1")]
    INVALID = [
        Invalid(
            _NET.format("0"),
            span="loss_weight: 0",
            message='HingeLoss "margin" has loss_weight 0, but in training it leaves its margins in the gradient of'
            ' "fc", and they are added to that of SoftmaxWithLoss "loss"; include it in TEST alone',
            fixed=_NET.format("0 include { phase: TEST }"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.message.force_backward:  # then its backward runs, and gives 0
            return
        built = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None)
        for layer in built.layers if built is not None else ():
            if layer.type != "HingeLoss" or layer.index is None or any(layer.loss_weights) or not layer.bottoms:
                continue
            blob, mine = layer.bottoms[0], net.layers[layer.index]
            others = [one for one, _ in blob.original.readers if one is not layer and one.need_backward]
            if not (blob.original.need_backward and others and mine.has("loss_weight")):
                continue
            edits = (
                ()
                if mine.is_conditional
                else fix("include it in TEST alone", UNSAFE, write(mine, "include", "phase", value="TEST"))
            )
            yield self.finding(
                mine.at("loss_weight"),
                f"{title(layer)} has loss_weight 0, but in training it leaves its margins in the gradient of"
                f' "{mine.bottoms[0]}", and they are added to that of {title(others[0])}; include it in TEST alone',
                phases=(TRAIN,),
                fixes=edits,
            )
