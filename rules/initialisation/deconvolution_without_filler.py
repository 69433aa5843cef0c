from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    starts_from_weights,
    titles,
    write,
)

from ._fillers import in_a_row

_MANY = 5


class DeconvolutionWithoutFiller(NetRule):
    """A Deconvolution without a `weight_filler` outputs zeros and passes no gradient to earlier layers.

    ## Why is this bad?
    Its weights start at 0. With `lr_mult: 0`, which upsampling layers often have, they stay at 0, so the output is
    always 0 and no earlier layer learns.

    ## Example
    ```
    param { lr_mult: 0 }
    convolution_param { num_output: 21 group: 21 kernel_size: 4 stride: 2 pad: 1 bias_term: false }
    ```
    Use instead:
    ```
    param { lr_mult: 0 }
    convolution_param {
      num_output: 21 group: 21 kernel_size: 4 stride: 2 pad: 1 bias_term: false weight_filler { type: "bilinear" }
    }
    ```

    ## Known problems
    A single layer that learns is an info: it gets a gradient at once. A training script may fill the layer itself, as
    FCN's does (`surgery.interp`). It is an info if any script of the project sets the weights of upsampling layers or
    the net seems to be fine-tuned, and nothing if a script that names the solver sets weights.

    ## Fix safety
    Unsafe: training starts from other weights. There is no fix if `group` does not keep the channels apart, because a
    bilinear filler would mix them.

    ## References
    - caffe.proto, FillerParameter; BVLC/caffe#4446
    """

    code = "I006"
    name = "deconvolution-without-filler"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Deconvolution",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "up" type: "Deconvolution" bottom: "data" top: "up"%s'
        " convolution_param { num_output: 2 kernel_size: 4 stride: 2%s } }"
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "up" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % ("", ' weight_filler { type: "bilinear" }'),
        {"solver.prototxt": 'net: "net.prototxt" weights: "fcn.caffemodel"', "net.prototxt": _NET % ("", "")},
    ]
    INVALID = [
        Invalid(
            _NET % (" param { lr_mult: 0 }", ""),
            span="convolution_param",
            message='Deconvolution "up": no weight_filler and lr_mult 0, so its output stays 0 and no earlier layer'
            ' learns; add weight_filler { type: "bilinear" } or set the weights in the training script',
        ),
        Invalid(
            _NET % ("", ""),
            span="convolution_param",
            message='Deconvolution "up": no weight_filler, so its weights start at 0;'
            ' add one, for example weight_filler { type: "bilinear" }, or set the weights in the training script',
        ),
        Invalid(
            _NET % ("", "") + ' layer { name: "up2" type: "Deconvolution" bottom: "up" top: "up2" }',
            span="convolution_param",
            message='Deconvolution "up", "up2": no weight_filler, so their weights start at 0;'
            ' add one to each, for example weight_filler { type: "bilinear" }, or set the weights in the training'
            " script",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        missing = [
            layer
            for layer in net.layers
            if layer.type == "Deconvolution" and not layer.has("convolution_param", "weight_filler")
        ]
        if not missing or not net.is_trained or any(solver.runs and solver.runs.surgery for solver in net.solvers):
            return
        fills = next((solver.runs.customs.fills for solver in net.solvers if solver.runs), None)
        severity, evidence = (INFO, f"{fills} seems to set such weights") if fills else (None, "")
        frozen = [layer for layer in missing if layer.has_frozen_weights]
        if starts_from_weights(net) or _is_written_without_fillers(net):
            # Who trains such nets in earnest loads weights, and mostly has a script that fills these layers.
            severity = INFO
        found = frozen or missing
        one = len(found) == 1
        its, outputs, to_each = ("its", "its output stays", "") if one else ("their", "their outputs stay", " to each")
        if frozen:
            yield self.finding(
                frozen[0].at("convolution_param"),
                f"{titles(frozen)}: no weight_filler and lr_mult 0, so {outputs} 0 and no earlier"
                f' layer learns; add weight_filler {{ type: "bilinear" }}{to_each} or set the weights in the training'
                " script",
                evidence=evidence,
                severity=severity,
                fixes=_fixes(frozen),
                layers=frozen,
            )
        elif not starts_from_weights(net):
            severity = severity if in_a_row(net, missing) else INFO
            yield self.finding(
                missing[0].at("convolution_param"),
                f"{titles(missing)}: no weight_filler, so {its} weights start at 0; add one{to_each}, for example"
                f' weight_filler {{ type: "bilinear" }}, or set the weights in the training script',
                evidence=evidence,
                severity=severity,
                fixes=_fixes(missing),
                layers=missing,
            )


def _is_written_without_fillers(net: Net) -> bool:
    """Whether no layer has a filler, though a net of so many layers learns nothing then."""
    layers = net.layers_that(lambda kind: kind.has_weights)
    return len(layers) >= _MANY and not any(layer.has(layer.kind.block, "weight_filler") for layer in layers)


def _fixes(layers: list[Layer]) -> tuple[Fix, ...]:
    params = [layer.message.convolution_param for layer in layers]
    if not all(param.num_output == param.group for param in params):
        return ()
    filler = [("type", '"bilinear"')]
    edits = [write(layer, "convolution_param", "weight_filler", value=filler) for layer in layers]
    return fix("add a bilinear weight_filler", UNSAFE, *edits)
