from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write


class ReluIsLinear(LayerRule):
    """A ReLU has a `negative_slope` of 1 or more.

    ## Why is this bad?
    With 1 it hands on what it reads: the layers before and after it are one linear layer, and a net of such layers can
    tell apart only what a plane parts. With more, it makes what is below 0 larger, which is hardly meant, and grows
    from layer to layer.

    ## Example
    ```
    relu_param { negative_slope: 1 }
    ```
    Use instead:
    ```
    relu_param { negative_slope: 0.1 }
    ```

    ## Fix safety
    Unsafe: it changes what is trained; 0.1 is what most leaky nets use.

    ## References
    - relu_layer.cpp, Forward_cpu: max(x, 0) + negative_slope * min(x, 0)
    """

    code = "L018"
    name = "relu-is-linear"
    severity = WARNING
    layer_types = ("ReLU",)
    _RELU = 'layer {{ name: "relu" type: "ReLU" bottom: "a" top: "a" relu_param {{ negative_slope: {} }} }}'
    VALID = [
        _RELU.format("0.3"),
        _RELU.format("-1"),  # the absolute value
        'layer { name: "relu" type: "ReLU" bottom: "a" top: "a" }',
    ]
    INVALID = [
        Invalid(
            _RELU.format("1.0"),
            span="negative_slope: 1.0",
            message='ReLU "relu": with negative_slope 1 it hands on what it reads, so the layers before and after it'
            " are together no more than one; set negative_slope: 0.1, or leave it out",
            fixed=_RELU.format("0.1"),
        ),
        Invalid(
            _RELU.format("10"),
            span="negative_slope: 10",
            message='ReLU "relu": with negative_slope 10 it makes what is below 0 larger; set negative_slope: 0.1, or'
            " leave it out",
            fixed=_RELU.format("0.1"),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        slope = layer.message.relu_param.negative_slope
        if not slope >= 1:
            return
        does = "it makes what is below 0 larger"
        if slope == 1:
            does = "it hands on what it reads, so the layers before and after it are together no more than one"
        yield self.finding(
            layer.at("relu_param", "negative_slope"),
            f"{title(layer)}: with negative_slope {slope:g} {does}; set negative_slope: 0.1, or leave it out",
            fixes=fix("set negative_slope: 0.1", UNSAFE, write(layer, "relu_param", "negative_slope", value="0.1")),
        )
