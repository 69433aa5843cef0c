from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, titles
from caffelint.lint.built import BuiltLayer, types_that, written_field

_LONG, _KERNEL = 8, 3
"""From which on an axis is one to slide over, and a kernel one to slide."""
_SIDES = ("kernel_h", "kernel_w")
_NET = (
    'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 4 dim: 1 dim: {} dim: {} }} }} }}'
    ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {{ num_output: 4'
    " kernel_h: 1 kernel_w: 9 pad_h: 0 pad_w: 4 }} }}"
)


class KernelAlongSinglePixel(NetRule):
    """A convolution is long along an axis of one pixel, and 1 along the axis that is long.

    ## Why is this bad?
    All of its weights but those of the middle meet nothing but padding, so it sees each step by itself. Mostly data of
    one axis, as a sound or the values of a sensor, was written N x 1 x steps x 1, and the kernel is for N x 1 x 1 x
    steps.

    ## Example
    ```
    convolution_param { num_output: 16 kernel_h: 1 kernel_w: 9 pad_h: 0 pad_w: 4 }  # of 1 x 160 x 1
    ```
    Use instead:
    ```
    convolution_param { num_output: 16 kernel_h: 9 kernel_w: 1 pad_h: 4 pad_w: 0 }
    ```

    ## Known problems
    The shape of what a net reads has to be known: from the text, or from the data with `--read-data` and in `smoke`.

    ## References
    - base_conv_layer.cpp, LayerSetUp; im2col.cpp
    """

    code = "L019"
    name = "kernel-along-single-pixel"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.has_weights and bool(kind.shaped_by) and not kind.upsamples)
    VALID = [_NET.format(1, 160), _NET.format(160, 7), _NET.format(1, 1)]
    INVALID = [
        Invalid(
            _NET.format(160, 1),
            span="kernel_w: 9",
            message='Convolution "conv": kernel_w 9 slides over a map that is 1 wide and 160 high, so 8 of its 9'
            " weights meet nothing but padding; swap kernel_h and kernel_w, and their pads and strides",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            found = [
                (layer, axis) for layer in one.layers if (axis := _axis(layer)) is not None and layer.index is not None
            ]
            if not found:
                continue
            first, axis = found[0]
            layers = [net.layers[layer.index] for layer, _ in found if layer.index is not None]
            kernel, shape = _kernels(first)[axis], first.bottoms[0].shape or ()
            size = ("high", "wide")[axis], ("high", "wide")[1 - axis], shape[3 - axis]
            field = written_field(first.parameters, "kernel_size", axis)
            yield self.finding(
                layers[0].at(layers[0].kind.block, field),
                f"{titles(layers)}: {_SIDES[axis]} {kernel} slides over a map that is 1 {size[0]} and {size[2]}"
                f" {size[1]}, so {kernel - 1} of its {kernel} weights meet nothing but padding;"
                " swap kernel_h and kernel_w, and their pads and strides",
                phases=one.phases,
                layers=layers,
            )
            return


def _axis(layer: BuiltLayer) -> int | None:
    """The spatial axis of one pixel along which the kernel of such a layer is long; None where there is none."""
    shape = layer.bottoms[0].shape if layer.bottoms else None
    if shape is None or len(shape) != 4 or 1 not in shape[2:] or not layer.shaped_by:
        return None
    kernels = _kernels(layer)
    for axis in (0, 1) if len(kernels) == 2 else ():
        if shape[2 + axis] == 1 and kernels[axis] >= _KERNEL and shape[3 - axis] >= _LONG and kernels[1 - axis] == 1:
            return axis
    return None


def _kernels(layer: BuiltLayer) -> list[int]:
    return [window.kernel for window in layer.written_windows() or ()]
