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
    Layer,
    Net,
    NetRule,
    fix,
    has_rate_of_fine_tuning,
    listed,
    quoted,
    speaks_of_fine_tuning,
    speaks_of_weights,
    starts_as_detectors_do,
    starts_from_weights,
    titles,
    write,
)
from caffelint.lint.built import types_that

from ._dead import dead_before_a_relu
from ._fillers import MANY, WEIGHTED, blocks_with_weights, in_a_row, is_last, random_filler

_UPSAMPLING = types_that(lambda kind: kind.upsamples)


class MissingWeightFiller(NetRule):
    """Layers without a `weight_filler` start with all weights at 0.

    ## Why is this bad?
    Caffe's default filler is the constant 0. A hidden layer of zeros passes nothing on, and with two of them in a row
    the gradient of every weight is always exactly 0: only the last bias learns, and the loss stays at its first value.
    So it is with a single one that a ReLU follows, with or without a BatchNorm between: a ReLU returns no gradient
    for a 0. Where biases or a Sigmoid pass something on, the layers learn, but all units of a hidden layer stay equal.
    Nets without any filler are made for loaded weights.

    ## Example
    ```
    convolution_param { num_output: 20 kernel_size: 5 }
    ```
    Use instead:
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } }
    ```

    ## Known problems
    The text does not show `caffe train --weights`. A solver with `weights`, a layer with `lr_mult: 0`, and fillers in
    the last layers only are taken as signs that weights are loaded. A layer of zeros that no other one follows is an
    info unless a ReLU does: it gets a gradient at once, and the layers before it one iteration later. A net without any
    filler is only info if no solver names it, if its solvers have the rates of fine-tuning, below 0.001, if a script of
    the project trains on weights, or if all solvers end before their first snapshot and test. Where its scripts train,
    and none with weights, rates of fine-tuning say nothing. The detectors of the R-CNN family are trained on weights;
    an info tells of a few of their layers that lack what the first ones have.

    ## Fix safety
    Unsafe: training starts from other weights. The filler is the one used elsewhere in the net, or else `msra` before
    a ReLU and `xavier` before anything else. Shown but not applied if weights are probably loaded: no solver trains the
    net, something suggests fine-tuning, or none of many layers has a filler.

    ## References
    - caffe.proto, FillerParameter; relu_layer.cpp, Backward_cpu; on Caffe 1.0, the gradients of the weights are 0
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
    _RELU = _NET.replace(
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2"',
        ' layer { name: "relu" type: "ReLU" bottom: "fc2" top: "fc2" }'
        ' layer { name: "fc3" type: "InnerProduct" bottom: "fc2" top: "fc3" inner_product_param { num_output: 9%s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc3"',
    )
    _ROIS = _RELU.replace('type: "Data"', 'type: "Python" python_param { module: "roi_data_layer.layer" layer: "L" }')
    _RECURRENT = _NET.replace(
        ' layer { name: "fc2"',
        ' layer { name: "lstm" type: "LSTM" bottom: "fc1" bottom: "clip" top: "lstm"'
        ' recurrent_param { num_output: 9 } } layer { name: "fc2"',
    ).replace('bottom: "fc1" top: "fc2"', 'bottom: "lstm" top: "fc2"') % ((' weight_filler { type: "xavier" }',) * 2)
    _GIVEN = ' weight_filler { type: "xavier" }'
    VALID = [
        _NET % (_GIVEN, _GIVEN),
        # A new head on a net whose weights are loaded.
        _NET % ("", _GIVEN),
        {"solver.prototxt": 'net: "net.prototxt" weights: "vgg.caffemodel"', "net.prototxt": _NET % ("", "")},
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }',
        # A detector, which starts from a trained net.
        _ROIS % ("", "", _GIVEN),
        # C3D, which has no separate block for it.
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
            message='InnerProduct "fc1", "fc2": weight_filler is missing in every layer, so all weights start at 0 and'
            " units stay equal or never learn unless weights are loaded; add one to each, for example weight_filler {"
            ' type: "xavier" }',
        ),
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt" base_lr: 0.1', "net.prototxt": _NET % ("", "")},
            span="inner_product_param",
            message='InnerProduct "fc1", "fc2": weight_filler is missing in every layer, so all weights start at 0 and'
            " units stay equal or never learn unless weights are loaded; add one to each, for example weight_filler {"
            ' type: "xavier" }',
            fixed={
                "solver.prototxt": 'net: "net.prototxt" base_lr: 0.1',
                "net.prototxt": _NET % (' weight_filler { type: "xavier" }', ' weight_filler { type: "xavier" }'),
            },
        ),
        Invalid(
            _NET % (_GIVEN, ""),
            span="inner_product_param",
            message='InnerProduct "fc2": weight_filler is missing, so its weights start at 0 and earlier layers get'
            ' no gradient at first; add one, for example weight_filler { type: "xavier" }',
            fixed=_NET % (_GIVEN, ' weight_filler { type: "xavier" }'),
        ),
        # Its gates are half open, so it learns at once.
        Invalid(
            _RECURRENT,
            span="recurrent_param",
            message='LSTM "lstm": weight_filler is missing, so its weights start at 0 and earlier layers get no'
            ' gradient at first; add one, for example weight_filler { type: "xavier" }',
            fixed=_RECURRENT.replace("num_output: 9 }", 'num_output: 9 weight_filler { type: "xavier" } }', 1),
        ),
        Invalid(
            _RELU % (_GIVEN, "", _GIVEN),
            span="inner_product_param",
            message='InnerProduct "fc2": weight_filler is missing, so its weights start at 0 and the ReLU after it'
            ' returns no gradient: it never learns; add one, for example weight_filler { type: "xavier" }',
            fixed=_RELU % (_GIVEN, _GIVEN, _GIVEN),
        ),
        # A detector whose first layers start from fillers.
        Invalid(
            _ROIS % (_GIVEN, "", _GIVEN),
            span="inner_product_param",
            message='InnerProduct "fc2": weight_filler is missing, so its weights start at 0 and the ReLU after it'
            " returns no gradient: it never learns unless weights are loaded; add one, for example weight_filler {"
            ' type: "xavier" }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        weighted = [(layer, block) for layer, block in net.once(blocks_with_weights) if layer.type not in _UPSAMPLING]
        layers = [layer for layer, _ in weighted]
        missing = [layer for layer, block in weighted if not block.HasField("weight_filler")]
        # A single linear layer learns from 0 as well.
        if not missing or len(layers) < 2 or not net.is_trained:
            return
        scratch = _from_scratch(net) if len(missing) == len(layers) else ""
        # A detector is trained on a trained net, which needs no filler in its first layers either.
        half_filled = starts_as_detectors_do(net) and len(missing) < min(MANY, len(layers) / 2)
        if starts_from_weights(net) and not scratch and not half_filled:
            return
        example = f"for example weight_filler {{ type: {random_filler(missing[0])[0][1]} }}"
        # Zeros right before a loss get a gradient from it.
        last = len(missing) < MANY and all(is_last(layer) for layer in missing)
        # Where some of many have fillers, these are the new ones of a net whose weights are loaded.
        dead = [] if last or len(missing) >= MANY else dead_before_a_relu(net, missing)
        if half_filled and not dead:
            return
        severity = WARNING if dead or not last and len(missing) < MANY and in_a_row(net, missing) else INFO
        loads = next((solver.runs.loads for solver in net.solvers if solver.runs and solver.runs.loads), None)
        if loads is None and (len(missing) == len(layers) or has_rate_of_fine_tuning(net)):
            # Nets of which no layer has a filler are mostly copied from those of published weights.
            loads = next((solver.runs.customs.trains_on for solver in net.solvers if solver.runs), None)
        likely_loaded = loads is not None or speaks_of_weights(net)
        if len(missing) == len(layers):
            likely_loaded = likely_loaded or not net.solvers or len(layers) >= MANY
            # Without a solver it may well be a net for existing weights.
            is_told = len(layers) >= MANY and speaks_of_fine_tuning(net)
            fine_tunes = is_told or has_rate_of_fine_tuning(net) and not scratch
            learns = any(not solver.is_cut_short for solver in net.solvers)
            severity = WARNING if learns and not fine_tunes else INFO
            message = (
                "weight_filler is missing in every layer, so all weights start at 0 and units stay equal or never learn"
                f"{'' if scratch else ' unless weights are loaded'}; add one to each, {example}"
            )
        else:
            whose, each = ("its", "") if len(missing) == 1 else ("their", " to each")
            so = (
                _of_the_dead(dead, missing)
                if dead
                else "earlier layers get no gradient at first"
                if last or all(layer.kind.is_recurrent for layer in missing)
                else "nothing passes through them"
            )
            so += " unless weights are loaded" if half_filled else ""
            message = f"weight_filler is missing, so {whose} weights start at 0 and {so}; add one{each}, {example}"
        types = {random_filler(one)[0][1] for one in missing}
        yield self.finding(
            missing[0].at(missing[0].kind.block),
            f"{titles(missing)}: {message}",
            severity=INFO if loads or half_filled else severity,
            evidence=f"{loads} loads weights" if loads else f"{scratch} trains without weights" if scratch else "",
            fixes=fix(
                f"add weight_filler {{ type: {types.pop()} }}"
                if len(types) == 1
                else f"add weight_fillers of type {listed(sorted(types))}",
                DISPLAY if likely_loaded or half_filled else UNSAFE,
                *(write(one, one.kind.block, "weight_filler", value=random_filler(one)) for one in missing),
            ),
            layers=missing,
        )


def _from_scratch(net: Net) -> str:
    """Where a script trains without weights, if nothing in the project of its solvers trains with any."""
    runs = [solver.runs for solver in net.solvers if solver.runs]
    if any(one.loads or one.trains_on or one.customs.trains_on for one in runs):
        return ""
    if any(solver.message.weights for solver in net.solvers):
        return ""
    return next((str(one.customs.from_scratch) for one in runs if one.customs.from_scratch), "")


def _of_the_dead(dead: list[Layer], missing: list[Layer]) -> str:
    """What becomes of zeros that a ReLU reads."""
    whom, who = ("it", "it") if len(missing) == 1 else ("them", "they")
    if len(dead) < len(missing):
        whom = who = listed([quoted(layer.name) for layer in dead])
    return f"the ReLU after {whom} returns no gradient: {who} never learn{'s' if len(dead) == 1 else ''}"
