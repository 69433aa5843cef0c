from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, fix, write


class NegativeLrMult(LayerRule):
    """A negative `lr_mult` makes its parameter climb the loss instead of descending it.

    ## Why is this bad?
    The update of a parameter is multiplied by it. Caffe does not check it, and the loss grows until it is nan. To
    freeze a parameter, lr_mult is 0.

    ## Example
    ```
    layer { name: "ip" type: "InnerProduct" param { lr_mult: -1 } inner_product_param { num_output: 10 } }
    ```
    Use instead:
    ```
    layer { name: "ip" type: "InnerProduct" param { lr_mult: 1 } inner_product_param { num_output: 10 } }
    ```

    ## Known problems
    Adversarial set-ups may want to climb a loss in one part of the net.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue
    """

    code = "S212"
    name = "negative-lr-mult"
    severity = WARNING
    VALID = [
        'layer { name: "ip" type: "InnerProduct" param { lr_mult: 0 } param { lr_mult: 2 } }',
        'layer { name: "ip" type: "InnerProduct" param { decay_mult: 0 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "ip" type: "InnerProduct" bottom: "x" param { lr_mult: 1 } param { lr_mult: -1 } }\n'
            'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" }',
            span="lr_mult: -1",
            message="lr_mult is -1: this parameter climbs the loss instead of descending it; 0 would freeze it",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for index, param in enumerate(layer.message.param):
            if param.lr_mult < 0 and layer.net.role == "train":
                yield self.finding(
                    layer.at("param", index, "lr_mult"),
                    f"lr_mult is {param.lr_mult:g}: this parameter climbs the loss instead of descending it;"
                    " 0 would freeze it",
                    fixes=tuple(
                        one
                        for value in (f"{-param.lr_mult:g}", "0")
                        for one in fix(f"write {value}", DISPLAY, write(layer, "param", index, "lr_mult", value=value))
                    ),
                )
