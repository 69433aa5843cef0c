from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    fix,
    listed,
    speaks_of_weights,
    starts_from_weights,
    write,
)

from ._fillers import WEIGHTED, is_last, random_filler

_MANY = 5
"""Nobody trains so many layers without a filler from scratch; nets made for loaded weights have none."""


class MissingWeightFiller(NetRule):
    """Layers without a `weight_filler` start with all weights 0.

    ## Why is this bad?
    Caffe's default filler is the constant 0. A hidden layer of zeros passes nothing on, and where two of them stand in
    a row every gradient of a weight is exactly 0 for ever: only the last bias learns, and the loss stays at its first
    value. Nets without any filler are made for weights that are loaded; trained from scratch they learn nothing.

    ## Example
    ```
    convolution_param { num_output: 20 kernel_size: 5 }
    ```
    Use instead:
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } }
    ```

    ## Known problems
    `caffe train --weights` cannot be seen from the text. A solver with `weights`, a layer with `lr_mult: 0`, and
    fillers for the last layers alone are taken as signs that weights are loaded. A net without any filler is info
    where no solver names it.

    ## Fix safety
    Unsafe: training starts from other weights. It is the filler that the net has elsewhere, else `msra` before a
    ReLU and `xavier` before all else. Shown alone where the weights are likely to be loaded: no solver trains the net,
    something speaks of fine-tuning, or none of many layers has one.

    ## References
    - caffe.proto, FillerParameter; run on Caffe 1.0: gradients of the weights are 0
    """

    code = "I001"
    name = "missing-weight-filler"
    severity = WARNING
    certainty = LIKELY
    layer_types = WEIGHTED
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "fc1" type: "InnerProduct" bottom: "data" top: "fc1" inner_product_param { num_output: 9%s } }'
        ' layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" inner_product_param { num_output: 9%s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }'
    )
    _GIVEN = ' weight_filler { type: "xavier" }'
    VALID = [
        _NET % (_GIVEN, _GIVEN),
        # A new head on a net whose weights are loaded.
        _NET % ("", _GIVEN),
        {"solver.prototxt": 'net: "net.prototxt" weights: "vgg.caffemodel"', "net.prototxt": _NET % ("", "")},
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }',
        # C3D, which has no block of its own for it.
        'layers { name: "data" type: DATA top: "data" top: "label" include { phase: TRAIN } }'
        ' layers { name: "c" type: CONVOLUTION3D bottom: "data" top: "c"'
        ' convolution_param { num_output: 9 weight_filler { type: "gaussian" std: 0.01 } bias_filler { } } }'
        ' layers { name: "d" type: CONVOLUTION3D bottom: "c" top: "d"'
        ' convolution_param { num_output: 9 weight_filler { type: "gaussian" std: 0.01 } bias_filler { } } }'
        ' layers { name: "loss" type: SOFTMAX_LOSS bottom: "d" bottom: "label" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            _NET % ("", ""),
            span="inner_product_param",
            message="no layer has a weight_filler: all weights start at 0 and get no gradient unless weights are"
            " loaded;"
            ' give one, such as { type: "xavier" }, to fc1, fc2',
        ),
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt" base_lr: 0.1', "net.prototxt": _NET % ("", "")},
            span="inner_product_param",
            message="no layer has a weight_filler: all weights start at 0 and get no gradient unless weights are"
            " loaded;"
            ' give one, such as { type: "xavier" }, to fc1, fc2',
            fixed={
                "solver.prototxt": 'net: "net.prototxt" base_lr: 0.1',
                "net.prototxt": _NET % (' weight_filler { type: "xavier" }', ' weight_filler { type: "xavier" }'),
            },
        ),
        Invalid(
            _NET % (_GIVEN, ""),
            span="inner_product_param",
            message='layer fc2 has no weight_filler: its weights start at 0; give it one, such as { type: "xavier" }',
            fixed=_NET % (_GIVEN, ' weight_filler { type: "xavier" }'),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers = [layer for layer in net.layers if layer.kind.has_weights and not layer.kind.upsamples]
        # Caffe refuses a layer without its block; in C3D a Convolution3D takes all from convolution_param.
        layers = [layer for layer in layers if layer.has(layer.kind.block)]
        missing = [layer for layer in layers if not layer.has(layer.kind.block, "weight_filler")]
        # A single linear layer learns from 0 as well.
        if not missing or len(layers) < 2 or not net.is_trained or starts_from_weights(net):
            return
        names = listed([layer.name for layer in missing])
        advice = f"such as {{ type: {random_filler(missing[0])[0][1]} }}"
        # Zeros right before a loss get a gradient from it.
        severity = INFO if all(is_last(layer) for layer in missing) else WARNING
        likely_loaded = speaks_of_weights(net)
        if len(missing) == len(layers):
            likely_loaded = likely_loaded or not net.solvers or len(layers) >= _MANY
            # Without a solver it may well be a net for weights that are there already.
            severity = WARNING if net.solvers else INFO
            message = (
                "no layer has a weight_filler: all weights start at 0 and get no gradient unless weights are loaded;"
                f" give one, {advice}, to {names}"
            )
        elif len(missing) == 1:
            message = f"layer {names} has no weight_filler: its weights start at 0; give it one, {advice}"
        else:
            message = f"layers {names} have no weight_filler: their weights start at 0; give each one, {advice}"
        yield self.finding(
            missing[0].at(missing[0].kind.block),
            message,
            severity=severity,
            fixes=fix(
                "draw the weights",
                DISPLAY if likely_loaded else UNSAFE,
                *(write(one, one.kind.block, "weight_filler", value=random_filler(one)) for one in missing),
            ),
        )
