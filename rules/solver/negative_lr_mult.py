from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Net, NetRule, fix, title, write

_MANY = 2
"""Layers that climb by mistake."""


class NegativeLrMult(NetRule):
    """A negative `lr_mult` makes its parameter climb the loss instead of descending it.

    ## Why is this bad?
    Caffe multiplies the update of a parameter by its lr_mult without checking the sign, and the loss grows until it is
    nan. To freeze a parameter, set lr_mult to 0.

    ## Example
    ```
    layer { name: "ip" type: "InnerProduct" param { lr_mult: -1 } inner_product_param { num_output: 10 } }
    ```
    Use instead:
    ```
    layer { name: "ip" type: "InnerProduct" param { lr_mult: 1 } inner_product_param { num_output: 10 } }
    ```

    ## Known problems
    Adversarial set-ups may want to climb a loss in one part of the net, so several such layers are not reported.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue
    """

    code = "S212"
    name = "negative-lr-mult"
    severity = WARNING
    risks_nan = True
    VALID = [
        'layer { name: "ip" type: "InnerProduct" param { lr_mult: 0 } param { lr_mult: 2 } }',
        'layer { name: "ip" type: "InnerProduct" param { decay_mult: 0 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "ip" type: "InnerProduct" bottom: "x" param { lr_mult: 1 } param { lr_mult: -1 } }\n'
            'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" }',
            span="lr_mult: -1",
            message='InnerProduct "ip": lr_mult -1 is negative, so this parameter climbs the loss instead of'
            " descending it; to freeze it, set lr_mult: 0",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "train":
            return
        negative = [
            (layer, index, spec.lr_mult)
            for layer in net.layers_having("param")
            for index, spec in enumerate(layer.message.param)
            if spec.lr_mult < 0
        ]
        if len({layer.index for layer, _, _ in negative}) > _MANY:
            return
        for layer, index, lr_mult in negative:
            yield self.finding(
                layer.at("param", index, "lr_mult"),
                f"{title(layer)}: lr_mult {lr_mult:g} is negative, so this parameter climbs the loss instead"
                " of descending it; to freeze it, set lr_mult: 0",
                fixes=tuple(
                    one
                    for to in (f"{-lr_mult:g}", "0")
                    for one in fix(f"set lr_mult: {to}", DISPLAY, write(layer, "param", index, "lr_mult", value=to))
                ),
            )
