from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write
from caffelint.lint.built import written_field

from ._windows import has_one_position


class ConvolutionStrideExceedsKernel(LayerRule):
    """The stride of a convolution is larger than its kernel.

    ## Why is this bad?
    The pixels between two positions of the kernel are never read, and get no gradient. A smaller stride, or a pooling
    before the convolution, does what was meant. A kernel of 1 is not reported: it subsamples a map on purpose, as in a
    shortcut.

    ## Example
    ```
    convolution_param { num_output: 32 kernel_size: 3 stride: 4 }
    ```
    Use instead:
    ```
    convolution_param { num_output: 32 kernel_size: 5 stride: 4 }
    ```

    ## Known problems
    Where one stride is written for two kernels and fits one of these, it is taken to be meant for that one. It is
    silent where the kernel has one position, and about data of HDF5 files, which may be vectors.

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
        # A signal over time, of width 2.
        'layer { type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_h: 9 kernel_w: 2 stride: 4 } }',
        # One position of the kernel.
        'layer { type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 4 dim: 4 } } } layer { name: "c"'
        ' type: "Convolution" bottom: "a" top: "b" convolution_param { num_output: 9 kernel_size: 2 stride: 4 } }',
        'layer { type: "HDF5Data" top: "a" hdf5_data_param { source: "vectors.txt" } }'
        ' layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 2 stride: 4 } }',
        # Two pixels of five and the three between them.
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
        " convolution_param { kernel_size: 2 stride: 4 dilation: 4 } }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { kernel_size: 3 stride: 4'
            " } }",
            span="stride: 4",
            message='Convolution "c": stride 4 is larger than kernel_size 3, so pixels between windows are never read;'
            " set stride: 3 or less",
        ),
        Invalid(
            'layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
            " convolution_param { kernel_h: 1 kernel_w: 3 stride_h: 1 stride_w: 4 } }",
            span="stride_w: 4",
            message='Convolution "c": stride_w 4 is larger than kernel_w 3, so pixels between windows are never read;'
            " set stride_w: 3 or less",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        param = layer.message.convolution_param
        if max(param.stride_h, param.stride_w, *param.stride) <= 2:
            return
        windows = layer.kind.written_windows() or ()
        fits = any(window.stride <= window.extent for window in windows)
        for axis, window in enumerate(windows):
            kernel, step, *_ = window
            if step > 2 and kernel > 1 and step > window.extent and not has_one_position(layer, axis):
                field, of = (written_field(param, name, axis) for name in ("stride", "kernel_size"))
                # One stride for two kernels is meant for the longer one: sound and text are as wide as the other.
                if fits and field == "stride":
                    continue
                yield self.finding(
                    layer.at("convolution_param", field),
                    f"{title(layer)}: {field} {step} is larger than {of} {kernel}, so pixels between windows are"
                    f" never read; set {field}: {window.extent} or less",
                    fixes=fix(
                        f"set {field}: {window.extent}",
                        DISPLAY,
                        write(layer, "convolution_param", field, value=str(window.extent)),
                    ),
                )
                if field == "stride":
                    return
