from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, fix, write


class ConvolutionStrideExceedsKernel(LayerRule):
    """The stride of a convolution is larger than its kernel.

    ## Why is this bad?
    The pixels between two positions of the kernel are never looked at, and get no gradient. A smaller stride, or a
    pooling above, does what was meant. A kernel of 1 is left alone: it thins out a map on purpose, as in a shortcut.

    ## Example
    ```
    convolution_param { num_output: 32 kernel_size: 3 stride: 4 }
    ```
    Use instead:
    ```
    convolution_param { num_output: 32 kernel_size: 5 stride: 4 }
    ```

    ## References
    - conv_layer.cpp, compute_output_shape
    """

    code = "L004"
    name = "convolution-stride-exceeds-kernel"
    severity = WARNING
    layer_types = ("Convolution",)
    VALID = [
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 4 stride: 4 } }',
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 1 stride: 2 } }',
        # Two pixels of five and the three between them.
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
        " convolution_param { kernel_size: 2 stride: 4 dilation: 4 } }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 3 stride: 4'
            " } }",
            span="stride: 4",
            message="stride 4 is above kernel_size 3: pixels between the windows are never read; use a stride of 3"
            " or less",
        ),
        Invalid(
            'layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
            " convolution_param { kernel_h: 1 kernel_w: 3 stride_h: 1 stride_w: 4 } }",
            span="stride_w: 4",
            message="stride_w 4 is above kernel_w 3: pixels between the windows are never read; use a stride of 3 or"
            " less",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        param = layer.message.convolution_param
        stride = param.stride
        if (not stride or max(stride) < 3) and param.stride_h < 3 and param.stride_w < 3:
            return
        for axis, side in enumerate("hw"):
            step = getattr(param, f"stride_{side}") or _item(param.stride, axis)
            kernel = getattr(param, f"kernel_{side}") or _item(param.kernel_size, axis)
            reach = (kernel - 1) * _item(param.dilation, axis) + 1
            if kernel > 1 and step > reach:
                field = f"stride_{side}" if getattr(param, f"stride_{side}") else "stride"
                of = f"kernel_{side}" if getattr(param, f"kernel_{side}") else "kernel_size"
                yield self.finding(
                    layer.at("convolution_param", field),
                    f"{field} {step} is above {of} {kernel}: pixels between the windows are never read;"
                    f" use a stride of {reach} or less",
                    fixes=fix(
                        f"use {field}: {reach}", DISPLAY, write(layer, "convolution_param", field, value=str(reach))
                    ),
                )
                if field == "stride":
                    return


def _item(values: object, axis: int) -> int:
    """What a repeated field says of an axis; 1 where it is not given, as all of its users take it."""
    items = list(values)  # type: ignore[call-overload]
    return int(items[min(axis, len(items) - 1)]) if items else 1
