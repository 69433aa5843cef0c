from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import (
    DISPLAY,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    replace,
    starts_from_weights,
    title,
    write,
)

from ._fillers import WEIGHTED


class GaussianWithoutStd(NetRule):
    """A gaussian filler without `std` draws weights with a standard deviation of 1.

    ## Why is this bad?
    That is about a hundred times too large: the output of a layer with n inputs is sqrt(n) times as large as its
    input, and after a few layers the loss is inf or stuck at 87.3365.

    ## Example
    ```
    weight_filler { type: "gaussian" }
    ```
    Use instead:
    ```
    weight_filler { type: "gaussian" std: 0.01 }
    ```

    ## Fix safety
    Unsafe if `value`, which gaussian ignores, is renamed to `std`: training starts from other weights. Otherwise a std
    is suggested but not applied.

    ## References
    - caffe.proto, FillerParameter; filler.hpp, GaussianFiller
    """

    code = "I003"
    name = "gaussian-without-std"
    severity = WARNING
    risks_nan = True
    layer_types = WEIGHTED
    _NET = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 8 dim: 100 } shape { dim: 8 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 %s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % 'weight_filler { type: "gaussian" std: 0.01 }',
        _NET % 'weight_filler { type: "xavier" }',
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
        ' inner_product_param { num_output: 9 weight_filler { type: "gaussian" } } }',
    ]
    INVALID = [
        Invalid(
            _NET % 'weight_filler { type: "gaussian" }',
            span='type: "gaussian"',
            message='InnerProduct "fc": the gaussian filler has no std and defaults to 1, so outputs are 10 times as'
            " large as inputs (each output sums 100 inputs); set std, for example std: 0.01",
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" top: "label" }'
            + _NET[_NET.index("layer", 9) :] % 'weight_filler { type: "gaussian" }',
            span='type: "gaussian"',
            message='InnerProduct "fc": the gaussian filler has no std and defaults to 1, far too large for most'
            " layers; set std, for example std: 0.01",
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" top: "label" }'
            + _NET[_NET.index("layer", 9) :] % 'weight_filler { type: "gaussian" value: 0.1 }',
            span='type: "gaussian"',
            message='InnerProduct "fc": the gaussian filler has no std and defaults to 1, far too large for most'
            " layers; set std, for example std: 0.01",
            fixed='layer { name: "data" type: "Data" top: "data" top: "label" }'
            + _NET[_NET.index("layer", 9) :] % 'weight_filler { type: "gaussian" std: 0.1 }',
        ),
        Invalid(
            _NET % 'weight_filler { type: "gaussian" mean: 0.1 }',
            span='type: "gaussian"',
            message='InnerProduct "fc": the gaussian filler has no std and defaults to 1, so outputs are 10 times as'
            " large as inputs (each output sums 100 inputs); set std; mean: 0.1 may have been meant for it",
            fixed=_NET % 'weight_filler { type: "gaussian" std: 0.1 }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for layer, (path, filler) in net.fillers.get("gaussian", ()):
            if not filler.HasField("std") and path[1] == "weight_filler":
                if net.role != "train":
                    return
                inputs = _inputs(layer)
                scale = (
                    f", so outputs are {inputs**0.5:.2g} times as large as inputs (each output sums {inputs} inputs)"
                    if inputs
                    else ", far too large for most layers"
                )
                remedy = "set std, for example std: 0.01"
                is_mean = 0 < filler.mean < 1 and not filler.value > 0
                if is_mean:
                    remedy = f"set std; mean: {filler.mean:g} may have been meant for it"
                yield self.finding(
                    layer.at(*path, "type"),
                    f"{title(layer)}: the gaussian filler has no std and defaults to 1{scale}; {remedy}",
                    severity=INFO if starts_from_weights(net) else None,
                    fixes=_fixes(layer, path, "mean" if is_mean else "value", filler.mean if is_mean else filler.value),
                )


def _fixes(layer: Layer, path: tuple[str, str], field: str, value: float) -> tuple[Fix, ...]:
    """A `value`, which gaussian ignores, was meant as the std, or a `mean`, which is 0 as a rule."""
    place = layer.at(*path, field)
    if value > 0 and place.text.startswith(field):
        name = place._replace(end=place.start + len(field))
        return fix(f"rename {field} to std", UNSAFE, (replace(name, "std"),))
    return fix("set std: 0.01", DISPLAY, write(layer, *path, "std", value="0.01"))


def _inputs(layer: Layer) -> int | None:
    """How many inputs each output of a Convolution or InnerProduct sums; None where it is unknown."""
    if not layer.kind.is_linear or layer.kind.upsamples:
        return None
    for one in layer.net.states():
        for made in one.layers:
            if made.index == layer.index and made.param_shapes:
                return prod(made.param_shapes[0][1:])
    return None
