from __future__ import annotations

from collections.abc import Callable, Iterator

from caffelint.lint import INFO, UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, remove, write

Slip = tuple[tuple[str, ...], str, dict[str, str]]
"""Path of the field, the message, and what to set fields of its block to; empty to remove them."""

PROD, MAX = 0, 2


def _convolution(layer: Layer) -> Iterator[Slip]:
    if 0 in layer.message.convolution_param.dilation:
        yield (
            ("convolution_param", "dilation"),
            "dilation 0 makes every tap of the kernel read the same pixel; use 1 for no dilation",
            {"dilation": "1"} if len(layer.message.convolution_param.dilation) == 1 else {},
        )


def _pooling(layer: Layer) -> Iterator[Slip]:
    param = layer.message.pooling_param
    sides = [side for side in ("kernel_h", "kernel_w") if param.HasField(side)]
    if len(sides) == 1 and param.HasField("kernel_size"):
        yield ("pooling_param", sides[0]), f"{sides[0]} is ignored beside kernel_size; give kernel_h and kernel_w", {}


def _inner_product(layer: Layer) -> Iterator[Slip]:
    if layer.message.inner_product_param.axis == 0:
        yield (
            ("inner_product_param", "axis"),
            "axis 0 takes the whole batch for one vector: items are mixed, and the output has no batch; use 1",
            {"axis": "1"},
        )


def _eltwise(layer: Layer) -> Iterator[Slip]:
    param = layer.message.eltwise_param
    if param.operation == MAX and param.coeff:
        yield ("eltwise_param", "coeff"), "coeff is ignored by MAX; scale the bottoms before", {"coeff": ""}


def _clip(layer: Layer) -> Iterator[Slip]:
    param = layer.message.clip_param
    if not layer.message.HasField("clip_param"):
        yield ("type",), "Clip without clip_param clips to 0 .. 0: the output is all zeros; give min and max", {}
    elif param.HasField("min") and param.HasField("max") and param.min > param.max:
        yield (
            ("clip_param", "min"),
            f"min {param.min:g} is above max {param.max:g}: the output is a constant; swap them",
            {"min": f"{param.max:g}", "max": f"{param.min:g}"},
        )


def _power(layer: Layer) -> Iterator[Slip]:
    param = layer.message.power_param
    for name in ("scale", "power"):
        if param.HasField(name) and getattr(param, name) == 0:
            yield ("power_param", name), f"{name} 0 makes the output a constant: no gradient passes", {}


# What people get wrong in one type is advice on that type: each has a check of its own.
SLIPS: dict[str, Callable[[Layer], Iterator[Slip]]] = {
    "Convolution": _convolution,
    "Deconvolution": _convolution,
    "Pooling": _pooling,
    "InnerProduct": _inner_product,
    "Eltwise": _eltwise,
    "Clip": _clip,
    "Power": _power,
}


class MisreadSetting(LayerRule):
    """Caffe takes a setting of a layer for something other than it says, or ignores it.

    ## Why is this bad?
    Each of these loads without a word and does something else: a dilation of 0 reads one pixel only, `kernel_h` beside
    `kernel_size` is dropped, `coeff` means nothing to an Eltwise MAX, a Clip without its block gives zeros, an
    InnerProduct over axis 0 mixes the items of a batch, a Power of scale 0 or power 0 is a constant.

    ## Example
    ```
    pooling_param { pool: MAX kernel_size: 3 kernel_h: 2 }
    ```
    Use instead:
    ```
    pooling_param { pool: MAX kernel_h: 2 kernel_w: 3 }
    ```

    ## Fix safety
    Unsafe: the layer computes something else than before, or a setting goes that had no effect. Where the right
    value is not known there is none.

    ## References
    - the sources of the layers in src/caffe/layers; each was run on Caffe 1.0
    """

    code = "L012"
    name = "misread-setting"
    severity = WARNING
    layer_types = tuple(SLIPS)
    VALID = [
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { dilation: 1 } }',
        'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_h: 3 kernel_w: 2 } }',
        'layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { axis: 2 } }',
        'layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "c" eltwise_param { coeff: 1 coeff: -1 } }',
        'layer { name: "c" type: "Clip" bottom: "a" top: "b" clip_param { min: 0 max: 6 } }',
        'layer { name: "p" type: "Power" bottom: "a" top: "b" power_param { scale: -1 shift: 1 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { dilation: 0 } }',
            span="dilation: 0",
            message="dilation 0 makes every tap of the kernel read the same pixel; use 1 for no dilation",
            fixed='layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { dilation: 1 } }',
        ),
        Invalid(
            'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_size: 3 kernel_h: 2 } }',
            span="kernel_h: 2",
            message="kernel_h is ignored beside kernel_size; give kernel_h and kernel_w",
        ),
        Invalid(
            'layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { axis: 0 } }',
            span="axis: 0",
            message="axis 0 takes the whole batch for one vector: items are mixed, and the output has no batch; use 1",
            fixed='layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { axis: 1 } }',
        ),
        Invalid(
            'layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "c"'
            " eltwise_param { operation: MAX coeff: 1 coeff: -1 } }",
            span="coeff: 1",
            message="coeff is ignored by MAX; scale the bottoms before",
            fixed=(
                'layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "c" eltwise_param { operation: MAX } }'
            ),
        ),
        Invalid(
            'layer { name: "c" type: "Clip" bottom: "a" top: "b" clip_param { min: 6 max: 0 } }'
            ' layer { name: "d" type: "Clip" bottom: "b" top: "c" }',
            span=("min: 6", 'type: "Clip"'),
            message=(
                "min 6 is above max 0: the output is a constant; swap them",
                "Clip without clip_param clips to 0 .. 0: the output is all zeros; give min and max",
            ),
            fixed=(
                'layer { name: "c" type: "Clip" bottom: "a" top: "b" clip_param { min: 0 max: 6 } } layer { '
                'name: "d" type: "Clip" bottom: "b" top: "c" }'
            ),
        ),
        Invalid(
            'layer { name: "p" type: "Power" bottom: "a" top: "b" power_param { scale: 0 } }',
            span="scale: 0",
            message="scale 0 makes the output a constant: no gradient passes",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for path, message, change in SLIPS[layer.type](layer):
            # In a deploy net a constant may well be what is wanted: the markers of a recurrent layer, say.
            meant = layer.type == "Power" and layer.net.role == "deploy"
            edits = [
                write(layer, path[0], name, value=value) if value else remove(layer, path[0], name)
                for name, value in change.items()
            ]
            fixes = fix("write it as it was meant" if all(change.values()) else "remove it", UNSAFE, *edits)
            yield self.finding(layer.at(*path), message, severity=INFO if meant else WARNING, fixes=fixes)
