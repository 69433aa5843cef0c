from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Finding, Invalid, Net, NetRule
from caffelint.lint.built import BuiltLayer

from ..graph._states import built, is_plain


class MapShrinksToNothing(NetRule):
    """A kernel is larger than the map that it is to slide over, padding included.

    ## Why is this bad?
    Caffe divides towards 0, so a kernel that reaches over the border by less than its stride still gives one output,
    with zeros for the pixels that are not there; a pooling can give a blob without any elements. The input or crop is
    too small for the net, or the map was made smaller once too often.

    ## Example
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 6 dim: 6 } } }
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { kernel_size: 7 stride: 2 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 12 dim: 12 } } }
    layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { kernel_size: 7 stride: 2 } }
    ```

    ## Known problems
    Silent where the size of the map stands in a data file, and about nets that use layers or fields of a fork.

    ## References
    - conv_layer.cpp, compute_output_shape; pooling_layer.cpp, Reshape; run on Caffe 1.0
    """

    code = "L011"
    name = "map-shrinks-to-nothing"
    severity = WARNING
    layer_types = ("Convolution", "Pooling", "Slice")
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: %d dim: 9 } } }'
        ' layer { name: "c" type: "Convolution" bottom: "data" top: "c"'
        " convolution_param { num_output: 2 kernel_size: 7 stride: 2%s } }"
    )
    VALID = [_NET % (7, ""), _NET % (6, " pad: 1")]
    INVALID = [
        Invalid(
            _NET % (6, ""),
            span="kernel_size: 7",
            message="kernel 7 does not fit the height of 6 (padding included): the pixels outside count as 0;"
            " use a larger input, a smaller kernel or padding",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 2 dim: 9 } } }'
            ' layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { kernel_size: 3 stride: 1 } }',
            span="kernel_size: 3",
            message="kernel 3 does not fit the height of 2 (padding included): the output is empty;"
            " use a larger input, a smaller kernel or padding",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "s" type: "Slice" bottom: "data" top: "a" top: "b" slice_param { slice_point: 3 } }',
            span="slice_point: 3",
            message='the slice leaves nothing for "b": its slice_point is the size of the axis',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not is_plain(net):
            return
        said = set()
        for one in built(net):
            for layer in one.layers:
                if layer.type in ("Convolution", "Pooling") and layer.index is not None and layer.index not in said:
                    for kernel, side, size in _misfits(layer):
                        said.add(layer.index)
                        mine = net.layers[layer.index]
                        block = "convolution_param" if layer.type == "Convolution" else "pooling_param"
                        field = f"kernel_{side[0]}" if mine.has(block, f"kernel_{side[0]}") else "kernel_size"
                        what = (
                            "the output is empty"
                            if 0 in (layer.tops[0].shape or ())
                            else "the pixels outside count as 0"
                        )
                        yield self.finding(
                            mine.at(block, field),
                            f"kernel {kernel} does not fit the {side} of {size} (padding included): {what};"
                            " use a larger input, a smaller kernel or padding",
                        )
                        break
                if layer.type == "Slice" and layer.index is not None and layer.index not in said:
                    empty = [top.name for top in layer.tops if top.shape is not None and 0 in top.shape]
                    if empty and 0 not in (layer.bottoms[0].shape or ()):
                        said.add(layer.index)
                        yield self.finding(
                            net.layers[layer.index].at("slice_param", "slice_point", -1),
                            f'the slice leaves nothing for "{empty[0]}": its slice_point is the size of the axis',
                        )


def _misfits(layer: BuiltLayer) -> Iterator[tuple[int, str, int]]:
    """Kernel, side of the map and its size with padding, where the kernel is the larger."""
    bottom, top = (blobs[0].shape if blobs else None for blobs in (layer.bottoms, layer.tops))
    if bottom is None or top is None or len(bottom) != 4:
        return
    param = layer.parameters
    pooling = layer.type == "Pooling"
    if pooling and (param.global_pooling or 0 not in top):
        return
    for axis, side in enumerate(("height", "width")):
        kernel, pad = (
            getattr(param, f"{name}_{side[0]}") or _item(getattr(param, plain), axis, 0)
            for name, plain in (("kernel", "kernel_size"), ("pad", "pad"))
        )
        dilation = 1 if pooling else _item(param.dilation, axis, 1)
        reach, size = (kernel - 1) * dilation + 1, bottom[2 + axis] + 2 * pad
        if size and reach > size:
            yield reach, side, size


def _item(values: object, axis: int, default: int) -> int:
    if isinstance(values, int):
        return values
    items = list(values)  # type: ignore[call-overload]
    return int(items[min(axis, len(items) - 1)]) if items else default
