from __future__ import annotations

from collections.abc import Callable, Iterator

from caffelint.lint import INFO, UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, remove, title, write

Slip = tuple[tuple[str, ...], str, dict[str, str]]
"""Path of the field, what is wrong, and what to set fields of its block to; empty to remove them."""


def _convolution(layer: Layer) -> Iterator[Slip]:
    param = layer.message.convolution_param
    sides = {*param.kernel_size, param.kernel_h, param.kernel_w} - {0}
    if 0 in param.dilation and sides != {1}:
        yield (
            ("convolution_param", "dilation"),
            "dilation 0 makes every tap of the kernel read the same pixel; set dilation: 1 for none",
            {"dilation": "1"} if len(param.dilation) == 1 else {},
        )


def _pooling(layer: Layer) -> Iterator[Slip]:
    param = layer.message.pooling_param
    sides = [side for side in ("kernel_h", "kernel_w") if param.HasField(side)]
    if len(sides) == 1 and param.HasField("kernel_size"):
        yield ("pooling_param", sides[0]), f"{sides[0]} is ignored next to kernel_size; set kernel_h and kernel_w", {}


def _inner_product(layer: Layer) -> Iterator[Slip]:
    if layer.message.inner_product_param.axis == 0:
        yield (
            ("inner_product_param", "axis"),
            "axis 0 takes the whole batch as one vector, so items are mixed and the output has no batch axis; set"
            " axis: 1",
            {"axis": "1"},
        )


def _eltwise(layer: Layer) -> Iterator[Slip]:
    param = layer.message.eltwise_param
    if param.operation == param.MAX and param.coeff:
        yield (
            ("eltwise_param", "coeff"),
            "coeff is ignored by operation MAX; remove it, or scale the bottoms first",
            {"coeff": ""},
        )


def _clip(layer: Layer) -> Iterator[Slip]:
    param = layer.message.clip_param
    if not layer.message.HasField("clip_param"):
        yield ("type",), "clip_param is missing, so Caffe clips to 0 and the output is all zeros; set min and max", {}
    elif param.HasField("min") and param.HasField("max") and param.min > param.max:
        yield (
            ("clip_param", "min"),
            f"min {param.min:g} is larger than max {param.max:g}, so the output is a constant; swap them",
            {"min": f"{param.max:g}", "max": f"{param.min:g}"},
        )


def _power(layer: Layer) -> Iterator[Slip]:
    param = layer.message.power_param
    for name in ("scale", "power"):
        if param.HasField(name) and getattr(param, name) == 0:
            text = f"{name} 0 makes the output a constant, so no gradient passes; set {name}: 1"
            yield ("power_param", name), text, {}


def _arg_max(layer: Layer) -> Iterator[Slip]:
    if layer.message.argmax_param.HasField("axis"):
        return
    for one in layer.net.states():
        shape = next((blob.shape for built in one.layers if built.index == layer.index for blob in built.bottoms), None)
        if shape and len(shape) == 4 and shape[2] * shape[3] > 1:
            yield (
                ("argmax_param",) if layer.message.HasField("argmax_param") else ("type",),
                f"without axis it takes the maximum over all of a {shape[1]}x{shape[2]}x{shape[3]} map, not for each"
                " pixel; set axis: 1",
                {"axis": "1"},
            )
            return


# What people get wrong in one type is advice on that type: each has a check of its own.
SLIPS: dict[str, Callable[[Layer], Iterator[Slip]]] = {
    "Convolution": _convolution,
    "Deconvolution": _convolution,
    "Pooling": _pooling,
    "InnerProduct": _inner_product,
    "Eltwise": _eltwise,
    "Clip": _clip,
    "Power": _power,
    "ArgMax": _arg_max,
}


class MisreadSetting(LayerRule):
    """Caffe reads a setting of a layer as something other than it seems to say, or ignores it.

    ## Why is this bad?
    Each of these loads without a warning and does something else: a dilation of 0 reads only one pixel, `kernel_h` next
    to `kernel_size` is ignored, an Eltwise MAX ignores `coeff`, a Clip without `clip_param` gives zeros, an
    InnerProduct over axis 0 mixes the items of a batch, a Power with scale 0 or power 0 is a constant, and an ArgMax
    without axis finds one place in a whole map.

    ## Example
    ```
    pooling_param { pool: MAX kernel_size: 3 kernel_h: 2 }
    ```
    Use instead:
    ```
    pooling_param { pool: MAX kernel_h: 2 kernel_w: 3 }
    ```

    ## Fix safety
    Unsafe: the layer computes something other than before, or a setting without effect is removed. If the right value
    is not known, there is no fix.

    ## References
    - the sources of the layers in src/caffe/layers; each was run on Caffe 1.0
    """

    code = "L012"
    name = "misread-setting"
    severity = WARNING
    layer_types = tuple(SLIPS)
    VALID = [
        'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 1 dim: 1 } } }'
        ' layer { name: "m" type: "ArgMax" bottom: "a" top: "b" }',
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { dilation: 1 } }',
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 1 dilation: 0 } }',
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
            message='Convolution "c": dilation 0 makes every tap of the kernel read the same pixel; set dilation: 1'
            " for none",
            fixed='layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { dilation: 1 } }',
        ),
        Invalid(
            'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_size: 3 kernel_h: 2 } }',
            span="kernel_h: 2",
            message='Pooling "p": kernel_h is ignored next to kernel_size; set kernel_h and kernel_w',
        ),
        Invalid(
            'layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { axis: 0 } }',
            span="axis: 0",
            message='InnerProduct "f": axis 0 takes the whole batch as one vector, so items are mixed and the output'
            " has no batch axis; set axis: 1",
            fixed='layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { axis: 1 } }',
        ),
        Invalid(
            'layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "c"'
            " eltwise_param { operation: MAX coeff: 1 coeff: -1 } }",
            span="coeff: 1",
            message='Eltwise "e": coeff is ignored by operation MAX; remove it, or scale the bottoms first',
            fixed=(
                'layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "c" eltwise_param { operation: MAX } }'
            ),
        ),
        Invalid(
            'layer { name: "c" type: "Clip" bottom: "a" top: "b" clip_param { min: 6 max: 0 } }'
            ' layer { name: "d" type: "Clip" bottom: "b" top: "c" }',
            span=("min: 6", 'type: "Clip"'),
            message=(
                'Clip "c": min 6 is larger than max 0, so the output is a constant; swap them',
                'Clip "d": clip_param is missing, so Caffe clips to 0 and the output is all zeros; set min and max',
            ),
            fixed=(
                'layer { name: "c" type: "Clip" bottom: "a" top: "b" clip_param { min: 0 max: 6 } } layer { '
                'name: "d" type: "Clip" bottom: "b" top: "c" }'
            ),
        ),
        Invalid(
            'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }'
            ' layer { name: "m" type: "ArgMax" bottom: "a" top: "b" argmax_param { top_k: 1 } }',
            span="argmax_param",
            message='ArgMax "m": without axis it takes the maximum over all of a 3x9x9 map, not for each pixel; set'
            " axis: 1",
            fixed='layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }'
            ' layer { name: "m" type: "ArgMax" bottom: "a" top: "b" argmax_param { top_k: 1 axis: 1 } }',
        ),
        Invalid(
            'layer { name: "p" type: "Power" bottom: "a" top: "b" power_param { scale: 0 } }',
            span="scale: 0",
            message='Power "p": scale 0 makes the output a constant, so no gradient passes; set scale: 1',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for path, wrong, change in SLIPS[layer.type](layer):
            # In a deploy net a constant may well be wanted: the markers of a recurrent layer, say.
            meant = layer.type == "Power" and layer.net.role == "deploy"
            edits = [
                write(layer, path[0], name, value=value) if value else remove(layer, path[0], name)
                for name, value in change.items()
            ]
            what = ", ".join(f"{name}: {value}" for name, value in change.items())
            fixes = fix(f"set {what}" if all(change.values()) else f"remove {', '.join(change)}", UNSAFE, *edits)
            yield self.finding(
                layer.at(*path), f"{title(layer)}: {wrong}", severity=INFO if meant else WARNING, fixes=fixes
            )
