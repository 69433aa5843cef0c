from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    LIKELY,
    SAFE,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    fix,
    remove,
    title,
)


class DivisionByZero(NetRule):
    """An Eltwise product computes its gradient by dividing by a factor that can be 0.

    ## Why is this bad?
    With `stable_prod_grad: false` Caffe computes the gradient of a factor as the product divided by that factor, which
    is 0/0 = nan wherever the factor is 0. By default it multiplies the other factors instead.

    ## Example
    ```
    eltwise_param { operation: PROD stable_prod_grad: false }
    ```
    Use instead:
    ```
    eltwise_param { operation: PROD }
    ```

    ## Fix safety
    Safe where the factor certainly contains 0, since the gradient is nan there; otherwise unsafe. The stable way gives
    the same gradient wherever the other one is a number.

    ## References
    - eltwise_layer.cpp, Backward_cpu; run on Caffe 1.0
    """

    code = "N004"
    name = "division-by-zero"
    severity = ERROR
    risks_nan = True
    layer_types = ("Eltwise",)
    _NET = (
        'layer { name: "data" type: "Input" top: "a" top: "b" top: "label"'
        " input_param { shape { dim: 4 dim: 20 } shape { dim: 4 dim: 20 } shape { dim: 4 dim: 20 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "a" top: "fc" inner_product_param { num_output: 20 } }'
        ' layer { name: "act" type: "%s" bottom: "fc" top: "fc" }'
        ' layer { name: "e" type: "Eltwise" bottom: "fc" bottom: "b" top: "e" eltwise_param { operation: PROD%s } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "e" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % ("ReLU", ""),
        _NET % ("Sigmoid", " stable_prod_grad: true"),
        # No gradient goes to the factor that may be 0.
        _NET.replace('bottom: "fc" bottom: "b"', 'bottom: "one" bottom: "b"').replace(
            'top: "fc" }', 'top: "act" } layer { name: "one" type: "Exp" bottom: "act" top: "one" }', 1
        )
        % ("ReLU", " stable_prod_grad: false"),
    ]
    INVALID = [
        Invalid(
            _NET % ("ReLU", " stable_prod_grad: false"),
            span="stable_prod_grad: false",
            message='Eltwise "e": the gradient divides by "fc", which contains 0 after ReLU "act": 0/0 = nan; remove'
            " stable_prod_grad: false (the default is true)",
            fixed=_NET % ("ReLU", ""),
        ),
        Invalid(
            _NET % ("Sigmoid", " stable_prod_grad: false"),
            span="stable_prod_grad: false",
            message='Eltwise "e": the gradient divides by its factors, so it is 0/0 = nan where one of them is 0;'
            " remove stable_prod_grad: false (the default is true)",
            fixed=_NET % ("Sigmoid", ""),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.has_bvlc_dialect:
            return
        unstable = {
            layer.index
            for layer, param in net.blocks_of(("Eltwise",))
            if param.operation == param.PROD and not param.stable_prod_grad
        }
        if not unstable:
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            for layer in one.layers:
                if layer.index not in unstable:
                    continue
                # The gradient of each bottom is divided by that bottom.
                divisors = [blob for blob, flows in zip(layer.bottoms, layer.propagate_down, strict=True) if flows]
                if not any(one.values[blob].may_be_zero for blob in divisors):
                    continue
                found = next((blob for blob in divisors if one.values[blob].zeros), None)
                what = "its factors, so it is 0/0 = nan where one of them is 0"
                if found is not None:
                    maker = found.maker
                    after = f" after {title(maker)}" if maker else ""
                    what = f'"{maker.tops[0].name if maker else found.name}", which contains 0{after}: 0/0 = nan'
                yield self.finding(
                    net.layers[layer.index or 0].at("eltwise_param", "stable_prod_grad"),
                    f"{title(layer)}: the gradient divides by {what}; remove stable_prod_grad: false (the default is"
                    " true)",
                    severity=ERROR if found is not None else WARNING,
                    certainty=CERTAIN if found is not None else LIKELY,
                    phases=(TRAIN,),
                    fixes=fix(
                        "remove stable_prod_grad",
                        SAFE if found is not None else UNSAFE,
                        remove(net.layers[layer.index or 0], "eltwise_param", "stable_prod_grad"),
                    ),
                )
            return
