from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write


class BilinearMisconfigured(LayerRule):
    """A Deconvolution has a bilinear filler, but its other settings keep it from upsampling.

    ## Why is this bad?
    The filler gives every pair of input and output channels the same weights. Without one group per channel, each
    output is the sum of all inputs, so all channels become equal. And the weights interpolate only if the kernel fits
    the stride: kernel_size is 2 * stride - stride % 2 and pad is stride / 2, rounded down, which makes the output
    stride times as large.

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
    Only info if the net is not trained.

    ## References
    - filler.hpp, BilinearFiller; on Caffe 1.0, an input of ones gives the number of channels as output
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
    ]
    INVALID = [
        Invalid(
            _UP % 'num_output: 21 kernel_size: 4 stride: 2 weight_filler { type: "bilinear" }',
            span="num_output: 21",
            message='Deconvolution "up": with group 1, the bilinear filler makes each of the 21 outputs the sum of all'
            " inputs; set group: 21",
        ),
        Invalid(
            _UP % 'num_output: 21 group: 21 kernel_size: 3 stride: 2 weight_filler { type: "bilinear" }',
            span="kernel_size: 3",
            message='Deconvolution "up": bilinear weights of kernel_size 3 do not interpolate at stride 2;'
            " set kernel_size: 4 and pad: 1",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        param = layer.message.convolution_param
        if param.weight_filler.type != "bilinear":
            return
        outputs, groups = param.num_output, param.group
        # Fillers play no part where weights are loaded.
        severity = WARNING if layer.net.role == "train" else INFO
        if outputs > 1 and groups == 1:
            place = "group" if layer.has("convolution_param", "group") else "num_output"
            yield self.finding(
                layer.at("convolution_param", place),
                f"{title(layer)}: with group 1, the bilinear filler makes each of the {outputs} outputs the sum of all"
                f" inputs; set group: {outputs}",
                severity=severity,
                fixes=fix(
                    f"set group: {outputs}", DISPLAY, write(layer, "convolution_param", "group", value=str(outputs))
                ),
            )
        if len(param.kernel_size) == 1 and len(param.stride) == 1 and param.stride[0] > 1:
            kernel, stride = param.kernel_size[0], param.stride[0]
            right = 2 * stride - stride % 2
            if kernel != right:
                yield self.finding(
                    layer.at("convolution_param", "kernel_size"),
                    f"{title(layer)}: bilinear weights of kernel_size {kernel} do not interpolate at stride {stride};"
                    f" set kernel_size: {right} and pad: {stride // 2}",
                    severity=severity,
                    fixes=fix(
                        f"set kernel_size: {right} and pad: {stride // 2}",
                        DISPLAY,
                        write(layer, "convolution_param", "kernel_size", value=str(right)),
                        write(layer, "convolution_param", "pad", value=str(stride // 2), after="kernel_size"),
                    ),
                )
