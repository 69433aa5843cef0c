from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, title

_LEAST = 0.1
"""Of a dropout_ratio: fewer scores that are lost hardly matter."""


class DropoutBeforeLoss(NetRule):
    """A Dropout makes zeros of the scores that a loss reads.

    ## Why is this bad?
    In training each score is 0 with that probability, whatever the net has learned, so the loss is that of chance for
    these, and what is right is pushed as far as what is wrong. Dropout belongs before the last layer with weights, of
    which the net then learns not to rely on any one value.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" inner_product_param { num_output: 10 } }
    layer { name: "drop" type: "Dropout" bottom: "fc" top: "fc" }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
    ```
    Use instead:
    ```
    layer { name: "drop" type: "Dropout" bottom: "pool" top: "pool" }
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" inner_product_param { num_output: 10 } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
    ```

    ## Known problems
    Some regularise the last layer so on purpose.

    ## References
    - dropout_layer.cpp, Forward_cpu; Srivastava et al., Dropout (JMLR 2014)
    """

    code = "O027"
    name = "dropout-before-loss"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Dropout",)
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" }}\n'
        'layer {{ name: "drop" type: "Dropout" bottom: "{0}" top: "{0}" dropout_param {{ dropout_ratio: {1} }} }}\n'
        'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 4 }} }}\n'
        'layer {{ name: "last" type: "Dropout" bottom: "fc" top: "{2}" dropout_param {{ dropout_ratio: {1} }} }}\n'
        'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}\n'
    )
    VALID = [
        _NET.format("data", 0.5, "elsewhere"),
        _NET.format("data", 0.05, "fc"),
        # It reads nothing.
        _NET.format("data", 0.5, "fc").replace('type: "Dropout" bottom: "fc"', 'type: "Dropout"'),
    ]
    INVALID = [
        Invalid(
            _NET.format("data", 0.5, "fc"),
            span='name: "last"',
            message='Dropout "last" makes 50% of the scores that SoftmaxWithLoss "loss" reads 0 in training; move it'
            ' before InnerProduct "fc", or remove it',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        built = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None)
        for loss in built.layers if built is not None and net.role == "train" else ():
            drop = loss.bottoms[0].maker if loss.bottoms and any(loss.loss_weights) and loss.reads_classes(1) else None
            if drop is None or drop.index is None or drop.type != "Dropout" or loss.index is None or not drop.bottoms:
                continue
            ratio, maker = drop.parameters.dropout_ratio, drop.bottoms[0].maker
            if maker is not None and maker.index is not None and maker.is_linear and ratio >= _LEAST:
                yield self.finding(
                    net.layers[drop.index].at("name"),
                    f"{title(drop)} makes {ratio:.0%} of the scores that {title(loss)} reads 0 in training; move it"
                    f" before {title(maker)}, or remove it",
                    phases=(TRAIN,),
                )
