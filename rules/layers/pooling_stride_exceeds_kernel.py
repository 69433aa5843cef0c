from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, Net, enum_name, fix, title, write

from ._windows import axes, may_be_empty

EMPTY = {"MAX": "MAX gives -3.4e38", "AVE": "AVE gives 0/0 = nan"}


class PoolingStrideExceedsKernel(LayerRule):
    """The stride of a pooling is larger than its kernel.

    ## Why is this bad?
    The pixels between two windows are never read. Worse, Caffe rounds the number of windows up, so the last one can lie
    outside the map and have no pixels at all: MAX gives -3.4e38 there, and AVE divides 0 by 0. With kernel 3 and stride
    5, AVE gives nan if the height or width is 5, 10, 15 and so on, and a silent 0 at 4, 9, 14; at other sizes pixels
    are only skipped.

    ## Example
    ```
    pooling_param { pool: AVE stride: 5 kernel_size: 3 }
    ```
    Use instead:
    ```
    pooling_param { pool: AVE stride: 3 kernel_size: 3 }
    ```

    ## Known problems
    A kernel of 1 subsamples a map on purpose, but can still have empty windows, so it is reported unless it has padding
    or `round_mode: FLOOR`. If the size of the map is known, `empty-pooling-window` reports it instead. In nets for a
    fork, which may place windows differently, only skipped pixels are reported. Where one stride is written for two
    kernels and fits one of these, it is taken to be meant for that one.

    ## References
    - pooling_layer.cpp, Reshape and Forward_cpu; each size was run on Caffe 1.0
    - Stack Overflow 33962226
    """

    code = "L002"
    name = "pooling-stride-exceeds-kernel"
    severity = WARNING
    risks_nan = True
    layer_types = ("Pooling",)
    VALID = [
        'layer { name: "pool" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_size: 3 stride: 3 } }',
        'layer { name: "pool" type: "Pooling" bottom: "a" top: "b" pooling_param { global_pooling: true stride: 1 } }',
        # Subsampling, with no window outside the map.
        'layer { name: "pool" type: "Pooling" bottom: "a" top: "b"'
        " pooling_param { kernel_size: 1 stride: 2 round_mode: FLOOR } }",
        # A signal over time, of width 1.
        'layer { name: "pool" type: "Pooling" bottom: "a" top: "b"'
        " pooling_param { kernel_h: 3 kernel_w: 1 stride: 2 } }",
        # For a fork, which may round down.
        'layer { name: "pool" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_size: 1 stride: 2 } }'
        ' layer { name: "prior" type: "PriorBox" bottom: "b" top: "c" prior_box_param { min_size: 3 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "pool" type: "Pooling" bottom: "a" top: "b"'
            " pooling_param { pool: AVE stride: 5 kernel: 3 } }",
            span="stride: 5",
            message='Pooling "pool": stride 5 is larger than kernel_size 3, so pixels between the windows are skipped,'
            " and at a height or width of 5, 10, 15 ... the last window is empty (AVE gives 0/0 = nan); set"
            " stride: 3 or less",
        ),
        Invalid(
            'layer { name: "pool" type: "Pooling" bottom: "a" top: "b"'
            " pooling_param { kernel_h: 3 kernel_w: 2 stride_h: 2 stride_w: 4 pad: 1 } }",
            span="stride_w: 4",
            message='Pooling "pool": stride_w 4 is larger than kernel_w 2, so pixels between the windows are skipped;'
            " set stride_w: 2 or less",
        ),
        Invalid(
            'layer { name: "pool" type: "Pooling" bottom: "a" top: "b" pooling_param { kernel_size: 1 stride: 2 } }',
            span="stride: 2",
            message='Pooling "pool": stride 2 is larger than kernel_size 1, so at a height or width of 2, 4, 6 ... the'
            " last window is empty (MAX gives -3.4e38); set kernel_size: 2, or round_mode: FLOOR if your Caffe has it",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        param = layer.message.pooling_param
        if param.stride < 2 and param.stride_h < 2 and param.stride_w < 2:
            return
        both = axes(layer)
        fits = any(axis.window.kernel >= axis.window.stride for axis in both)
        for axis in both:
            kernel, step, *_ = axis.window
            # One stride for two kernels is meant for the longer one: sound and text are as wide as the other.
            if kernel >= step or fits and axis.field == "stride":
                continue
            empty = may_be_empty(axis, layer) and layer.net.is_for_bvlc
            if (kernel == 1 and not empty) or (empty and _is_reported(layer)):
                continue
            field = axis.field.replace("stride", "kernel") if "_" in axis.field else "kernel_size"
            skipped = "" if kernel == 1 else "pixels between the windows are skipped"
            sizes = f"at a height or width of {step}, {2 * step}, {3 * step} ... the last window is empty"
            empties = f"{sizes} ({EMPTY.get(enum_name(param, 'pool'), 'its result means nothing')})" if empty else ""
            advice = (
                f"set {field}: 2, or round_mode: FLOOR if your Caffe has it"
                if kernel == 1
                else f"set {axis.field}: {kernel} or less"
            )
            yield self.finding(
                layer.at("pooling_param", axis.field),
                f"{title(layer)}: {axis.field} {step} is larger than {field} {kernel}, so"
                f" {', and '.join(part for part in (skipped, empties) if part)}; {advice}",
                evidence="Caffe rounds the number of windows up" if empty else "",
                fixes=fix("set round_mode: FLOOR", DISPLAY, write(layer, "pooling_param", "round_mode", value="FLOOR"))
                if kernel == 1
                else fix(
                    f"set {axis.field}: {kernel}", DISPLAY, write(layer, "pooling_param", axis.field, value=str(kernel))
                ),
            )


def _is_reported(layer: Layer) -> bool:
    """Is the size of the map known and its last window empty, so that `empty-pooling-window` reports it?"""
    return layer.index in layer.net.once(_reported)


def _reported(net: Net) -> frozenset[int]:
    from .empty_pooling_window import empty_windows

    return frozenset(index for index, *_ in empty_windows(net))
