from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write
from caffelint.lint.built import BuiltLayer, written_field


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
    Where one stride is written for two kernels and fits one of these, it is taken to be meant for that one. A map on
    which the kernel has one position is not reported, nor one of data whose shape is only in HDF5 files, which may hold
    vectors.

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
        'layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
        " convolution_param { kernel_h: 9 kernel_w: 2 stride: 4 } }",
        # One position of the kernel, as of two values of four.
        'layer { type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 4 dim: 4 } } }'
        ' layer { name: "c" type: "Convolution" bottom: "a" top: "b"'
        " convolution_param { num_output: 9 kernel_size: 2 stride: 4 } }",
        'layer { type: "HDF5Data" top: "a" hdf5_data_param { source: "vectors.txt" batch_size: 1 } }'
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
            if step > 2 and kernel > 1 and step > window.extent and not _has_one_position(layer, axis):
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


def _has_one_position(layer: Layer, axis: int) -> bool:
    """Has the kernel one position on its map, as far as is known, or may it, since the map may be a vector?"""
    built = (one for state in layer.net.states() for one in layer.net.likely(state.state).layers)
    shapes = [one.tops[0].shape for one in built if one.index == layer.index and one.tops]
    if shapes and all(shape is not None and shape[axis + 2 : axis + 3] == (1,) for shape in shapes):
        return True
    return None in shapes and any(True for _ in layer.net.layers_that(_is_of_any_shape))


def _is_of_any_shape(kind: type[BuiltLayer]) -> bool:
    """Does a type of data layer hand over what its files hold, be it no images?"""
    return bool(kind.is_data and not kind.prefetches and kind.has_setting("source"))
