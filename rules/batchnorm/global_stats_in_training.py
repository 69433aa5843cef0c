from __future__ import annotations

from collections.abc import Iterator
from math import inf, log10

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    has_rate_of_fine_tuning,
    remove,
    starts_from_weights,
    titles,
)

from ._norms import feeding, global_stats, norms

_FLOAT32 = 38.5
"""The digits of the largest number of float32, which Caffe computes in."""


class GlobalStatsInTraining(NetRule):
    """A BatchNorm uses stored statistics while it is trained from scratch.

    ## Why is this bad?
    The stored mean and variance are 0 until training has filled them, and with `use_global_stats: true` it never does.
    The layer then divides by sqrt(eps): with the default 1e-5 it makes everything 316 times as large. Fifteen of them
    in a row overflow float32; the log shows activations of 1e11, 1e13, inf, and a loss of 87.3365 or nan.

    ## Example
    ```
    batch_norm_param { use_global_stats: true }
    ```
    Use instead:
    ```
    batch_norm_param { }
    ```
    Without the field, it is false in TRAIN and true in TEST, which is usually right.

    ## Known problems
    It is right for weights that are loaded and kept frozen. A solver with `weights`, a frozen layer before it, a last
    layer that learns ten times as fast as the others, and layers without fillers count as signs of that; it is an info
    where a script of the project trains from weights.

    ## Fix safety
    Unsafe: training then uses the statistics of each batch, which is wrong where weights are loaded.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; shicai/MobileNet-Caffe#75
    """

    code = "B001"
    name = "global-stats-in-training"
    severity = WARNING
    certainty = LIKELY
    risks_nan = True
    layer_types = ("BatchNorm",)
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"%s'
        ' convolution_param { num_output: 8 weight_filler { type: "msra" } } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" batch_norm_param { %s } }'
        ' layer { name: "bn2" type: "BatchNorm" bottom: "conv" top: "conv" batch_norm_param { %s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv" bottom: "label" top: "loss" }'
    )
    _TRUE = "use_global_stats: true"
    VALID = [
        _NET % ("", "", ""),
        _NET % ("", "use_global_stats: false", ""),
        # Frozen.
        _NET % (" param { lr_mult: 0 }", _TRUE, _TRUE),
        {"solver.prototxt": 'net: "net.prototxt" weights: "w.caffemodel"', "net.prototxt": _NET % ("", _TRUE, _TRUE)},
    ]
    INVALID = [
        Invalid(
            _NET % ("", _TRUE, _TRUE),
            span=_TRUE,
            message="both BatchNorm layers use stored statistics in TRAIN; in a net trained from scratch these are"
            " 0, so each layer multiplies its input by up to 316, and both together by up to 100,000; remove"
            " use_global_stats",
            fixed=(
                'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } } layer { '
                'name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 8 '
                'weight_filler { type: "msra" } } } layer { name: "bn" type: "BatchNorm" bottom: "conv" top: '
                '"conv" } layer { name: "bn2" type: "BatchNorm" bottom: "conv" top: "conv" } layer { name: '
                '"loss" type: "SoftmaxWithLoss" bottom: "conv" bottom: "label" top: "loss" }'
            ),
        ),
        Invalid(
            _NET % ("", _TRUE, ""),
            span=_TRUE,
            message='BatchNorm "bn" uses stored statistics in TRAIN (1 other does not); in a net trained from scratch'
            " these are 0, so it multiplies its input by up to 316; remove use_global_stats",
            fixed=(
                'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } } layer { '
                'name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 8 '
                'weight_filler { type: "msra" } } } layer { name: "bn" type: "BatchNorm" bottom: "conv" top: '
                '"conv" } layer { name: "bn2" type: "BatchNorm" bottom: "conv" top: "conv" batch_norm_param {  } '
                '} layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv" bottom: "label" top: "loss" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        all_norms = norms(net, TRAIN)
        stored = [layer for layer in all_norms if global_stats(layer)]
        if not stored or not net.is_trained or starts_from_weights(net) or not _has_fillers(net):
            return
        stored = [layer for layer in stored if not _follows_frozen(layer)]
        if not stored:
            return
        eps = stored[0].message.batch_norm_param.eps
        if not 0 <= eps < inf:
            return
        gain = (eps or 1e-20) ** -0.5
        if len(stored) == len(all_norms):
            total = len(stored) * log10(gain)
            which = "both BatchNorm layers use" if len(stored) == 2 else f"all {len(stored)} BatchNorm layers use"
            which = which if len(stored) > 1 else "the only BatchNorm layer uses"
            message = (
                f"{which} stored statistics in TRAIN; in a net trained from scratch these are 0, so"
                f" {'each layer' if len(stored) > 1 else 'it'} multiplies its input by up to {_grown(gain)}"
                f"{_in_all(len(stored), total) if len(stored) > 1 else ''}"
            )
        else:
            one, others = len(stored) == 1, len(all_norms) - len(stored)
            message = (
                f"{titles(stored)} use{'s' if one else ''} stored statistics in TRAIN ({others}"
                f" other{' does' if others == 1 else 's do'} not); in a net trained from scratch these are 0, so"
                f" {'it' if one else 'each layer'} multiplies its input by up to {_grown(gain)}"
            )
        # Who freezes the statistics of all layers at so low a rate, or loads weights, fine-tunes a published net.
        loads = net.runs.trains_on if net.runs and len(stored) == len(all_norms) else None
        fine_tunes = loads or len(stored) == len(all_norms) and has_rate_of_fine_tuning(net)
        yield self.finding(
            stored[0].at("batch_norm_param", "use_global_stats"),
            f"{message}; remove use_global_stats",
            evidence="Caffe divides by sqrt(0 + eps)" + (f"; {loads} trains from weights" if loads else ""),
            severity=INFO if fine_tunes else None,
            phases=(TRAIN,),
            fixes=fix(
                "remove use_global_stats",
                UNSAFE,
                *(remove(layer, "batch_norm_param", "use_global_stats") for layer in stored),
            ),
            layers=stored if len(stored) < len(all_norms) else (),
        )


def _grown(times: float) -> str:
    """`316`, and powers of ten for numbers too long to read."""
    return f"{times:,.0f}" if times < 1e9 else f"{times:.0e}"


def _in_all(layers: int, digits: float) -> str:
    """What all the layers multiply by together, as a number that means something to people."""
    together = "both together" if layers == 2 else f"all {layers} together"
    if digits > _FLOAT32:
        return f", and {together} overflow float32 (maximum 3e38)"
    return f", and {together} by up to {_grown(float(f'{10.0**digits:.1e}'))}"


def _follows_frozen(layer: Layer) -> bool:
    """Is the layer with weights that a BatchNorm follows one that learns nothing?"""
    above = feeding(layer)
    while above is not None and not above.kind.has_weights:
        above = feeding(above)
    return above is not None and above.kind.learns is False


def _has_fillers(net: Net) -> bool:
    return any(path[1] == "weight_filler" for found in net.fillers.values() for _, (path, _) in found)
