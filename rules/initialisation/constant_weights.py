from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Given,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    remove,
    speaks_of_weights,
    title,
    write,
)
from caffelint.lint.built import only_value, types_that

from ._fillers import is_last, random_filler

_BOUNDS = {"constant": ("value",), "uniform": ("min", "max")}
"""The fields of fillers whose weights may all be alike."""


class ConstantWeights(NetRule):
    """All weights of a hidden layer start at the same value.

    ## Why is this bad?
    Units with equal weights give equal outputs, get equal gradients and stay equal, so however many units the layer
    has, it learns like a single one.

    ## Example
    ```
    weight_filler { type: "constant" value: 0.1 }
    ```
    Use instead:
    ```
    weight_filler { type: "xavier" }
    ```

    ## Known problems
    Not reported for layers with one output, layers that a loss or a Slice reads directly, or layers with `lr_mult: 0`.

    ## Fix safety
    Unsafe: training starts from other weights. The filler is the one used elsewhere in the net, or else `msra` before
    a ReLU and `xavier` before anything else. Shown but not applied if something suggests that weights are loaded.

    ## References
    - filler.hpp, ConstantFiller; on Caffe 1.0, all rows of the gradient are equal
    """

    code = "I005"
    name = "constant-weights"
    severity = WARNING
    layer_types = types_that(lambda kind: kind.is_linear and kind.has_weights and not kind.upsamples and not kind.fork)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"%s inner_product_param { num_output: %d %s'
        " } }"
        ' layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }'
        ' layer { name: "fc2" type: "InnerProduct" bottom: "fc" top: "fc2" inner_product_param { num_output: 3'
        " weight_filler { value: 1 } } }"
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % ("", 9, 'weight_filler { type: "xavier" }'),
        _NET % ("", 1, "weight_filler { value: 1 }"),
        _NET % (" param { lr_mult: 0 }", 9, "weight_filler { value: 1 }"),
        # What reads one output is not what reads the other.
        _NET % ("", 2, "weight_filler { value: 1 }")
        + ' layer { name: "split" type: "Slice" bottom: "fc" top: "a" top: "b" }',
    ]
    INVALID = [
        Invalid(
            _NET % ("", 9, "weight_filler { value: 0.1 }"),
            span="value: 0.1",
            message='InnerProduct "fc": all weights start at 0.1, so its 9 outputs get equal gradients and stay equal;'
            ' use a random filler, for example weight_filler { type: "msra" }',
            fixed=_NET % ("", 9, 'weight_filler { type: "msra" }'),
        ),
        Invalid(
            _NET % ("", 9, 'weight_filler { type: "uniform" min: 0.01 max: 0.01 }'),
            span="max: 0.01",
            message='InnerProduct "fc": all weights start at 0.01, so its 9 outputs get equal gradients and stay equal;'
            ' use a random filler, for example weight_filler { type: "msra" }',
            fixed=_NET % ("", 9, 'weight_filler { type: "msra" }'),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for layer, (path, filler) in (one for type_ in _BOUNDS for one in net.fillers.get(type_, ())):
            value = only_value(filler)
            if path[1] != "weight_filler" or not value or layer.type not in self.layer_types:
                continue
            outputs = getattr(layer.message, path[0]).num_output
            groups = layer.message.convolution_param.group if layer.type == "Convolution" else 1
            if outputs < 2 or groups == outputs or layer.has_frozen_weights or net.role != "train" or is_last(layer):
                continue
            if any(not set(layer.tops).isdisjoint(slice_.bottoms) for slice_ in net.layers_of(["Slice"])):
                continue
            yield self.finding(
                layer.at(*path, _BOUNDS[filler.type][-1]),
                f"{title(layer)}: all weights start at {value:g}, so its {outputs} outputs get equal gradients"
                " and stay equal; use a random filler, for example"
                f" weight_filler {{ type: {random_filler(layer)[0][1]} }}",
                fixes=_fixes(layer, path),
            )


def _fixes(layer: Layer, path: tuple[str, str]) -> tuple[Fix, ...]:
    filler = random_filler(layer)
    safety = DISPLAY if speaks_of_weights(layer.net) else UNSAFE
    what = f"set the filler to type: {filler[0][1]}"
    if layer.given(*path, "type") is Given.NOTHING:
        return fix(what, safety, write(layer, *path, value=filler))
    edits = (write(layer, *path, name, value=value) for name, value in filler)
    given = getattr(layer.message, path[0]).weight_filler
    gone = (remove(layer, *path, bound) for bound in _BOUNDS[given.type] if given.HasField(bound))
    return fix(what, safety, *edits, *gone)
