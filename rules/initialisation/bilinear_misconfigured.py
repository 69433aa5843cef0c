from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from caffelint.lint import DISPLAY, INFO, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write

_LARGEST = 4096
"""Kernel and stride; larger ones are mistakes of another kind."""
_MILD = 0.5, 2.0
"""What a map of ones may become where the weights learn."""


class BilinearMisconfigured(LayerRule):
    """A Deconvolution has a bilinear filler, but its other settings keep it from upsampling.

    ## Why is this bad?
    The filler gives every pair of input and output channels the same weights. Without one group per channel, each
    output is the sum of all inputs, so all channels become equal. And the weights interpolate only if the kernel fits
    the stride: with another kernel a map of ones does not stay a map of ones. It fits if kernel_size is
    2 * stride - stride % 2; with a pad of stride / 2, rounded down, the output is then stride times as large.

    ## Example
    ```
    convolution_param { num_output: 21 kernel_size: 4 stride: 2 weight_filler { type: "bilinear" } }
    ```
    Use instead:
    ```
    convolution_param {
      num_output: 21 group: 21 kernel_size: 4 stride: 2 pad: 1 bias_term: false weight_filler { type: "bilinear" }
    }
    ```

    ## Known problems
    Only info if the net is not trained, or if the weights learn: channels become different then, and a grid that nearly
    keeps the scale is no bad beginning.

    ## References
    - filler.hpp, BilinearFiller; on Caffe 1.0, an input of ones gives the number of channels as output, and with
      kernel_size 2 and stride 2 a quarter
    """

    code = "I007"
    name = "bilinear-misconfigured"
    severity = WARNING
    layer_types = ("Deconvolution",)
    _UP = 'layer { name: "up" type: "Deconvolution" bottom: "a" top: "b" convolution_param { %s } }'
    VALID = [
        _UP % 'num_output: 21 group: 21 kernel_size: 4 stride: 2 pad: 1 weight_filler { type: "bilinear" }',
        _UP % 'num_output: 1 kernel_size: 16 stride: 8 weight_filler { type: "bilinear" }',
        _UP % 'num_output: 21 kernel_size: 4 stride: 2 weight_filler { type: "xavier" }',
        _UP % 'num_output: 21 group: 21 kernel_size: 3 stride: 2 weight_filler { type: "bilinear" }',
    ]
    INVALID = [
        Invalid(
            _UP % 'num_output: 21 kernel_size: 4 stride: 2 weight_filler { type: "bilinear" }',
            span="num_output: 21",
            message='Deconvolution "up": with group 1, the bilinear filler makes each of the 21 outputs the sum of all'
            " inputs; set group: 21",
        ),
        Invalid(
            _UP % 'num_output: 21 group: 21 kernel_size: 2 stride: 2 weight_filler { type: "bilinear" }',
            span="kernel_size: 2",
            message='Deconvolution "up": the bilinear filler with kernel_size 2 and stride 2 scales the map by 0.25'
            " instead of interpolating it; set kernel_size: 4 and pad: 1",
        ),
        Invalid(
            _UP % 'num_output: 21 group: 21 kernel_size: 5 stride: 2 weight_filler { type: "bilinear" }',
            span="kernel_size: 5",
            message='Deconvolution "up": the bilinear filler with kernel_size 5 and stride 2 scales pixels by 1.78 to'
            " 2.78, a grid, instead of interpolating them; set kernel_size: 4 and pad: 1",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        param = layer.message.convolution_param
        if param.weight_filler.type != "bilinear":
            return
        outputs, groups = param.num_output, param.group
        # Fillers play no part where weights are loaded.
        severity = WARNING if layer.net.may_be_trained else INFO
        if outputs > 1 and groups == 1 and list(param.kernel_size) != [1]:
            learns = all(one.lr_mult for one in layer.message.param[:1])
            place = "group" if layer.has("convolution_param", "group") else "num_output"
            yield self.finding(
                layer.at("convolution_param", place),
                f"{title(layer)}: with group 1, the bilinear filler makes each of the {outputs} outputs the sum of all"
                f" inputs; set group: {outputs}",
                severity=INFO if learns else severity,
                fixes=fix(
                    f"set group: {outputs}", DISPLAY, write(layer, "convolution_param", "group", value=str(outputs))
                ),
            )
        if len(param.kernel_size) != 1 or len(param.stride) != 1:
            return
        kernel, stride = param.kernel_size[0], param.stride[0]
        if 0 < kernel <= _LARGEST and 1 < stride <= _LARGEST:
            right = 2 * stride - stride % 2
            least, most = _scales(kernel, stride)
            if round(least, 2) != 1 or round(most, 2) != 1:
                does = f"scales the map by {least:.3g} instead of interpolating it"
                if round(least, 2) != round(most, 2):
                    does = f"scales pixels by {least:.3g} to {most:.3g}, a grid, instead of interpolating them"
                # Weights that learn only begin so, and a map that keeps its scale is no bad beginning.
                is_mild = layer.kind.learns and _MILD[0] <= least and most <= _MILD[1]
                yield self.finding(
                    layer.at("convolution_param", "kernel_size"),
                    f"{title(layer)}: the bilinear filler with kernel_size {kernel} and stride {stride} {does};"
                    f" set kernel_size: {right} and pad: {stride // 2}",
                    severity=INFO if is_mild else severity,
                    fixes=fix(
                        f"set kernel_size: {right} and pad: {stride // 2}",
                        DISPLAY,
                        write(layer, "convolution_param", "kernel_size", value=str(right)),
                        write(layer, "convolution_param", "pad", value=str(stride // 2), after="kernel_size"),
                    ),
                )


def _scales(kernel: int, stride: int) -> tuple[float, float]:
    """The least and the largest value that a map of ones becomes, away from its borders."""
    half = ceil(kernel / 2)
    weights = [1 - abs(at / half - (kernel - 1) / (2 * half)) for at in range(kernel)]
    sums = [sum(weights[start::stride]) for start in range(stride)]
    return min(sums) ** 2, max(sums) ** 2
