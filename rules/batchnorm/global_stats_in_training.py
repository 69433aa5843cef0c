from __future__ import annotations

from collections.abc import Iterator
from math import inf, log10

from caffelint.lint import (
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
    listed,
    remove,
    starts_from_weights,
)

from ._norms import feeding, global_stats, is_frozen, norms

_FLOAT32 = 38.5
"""The digits of the largest number of float32, which Caffe computes in."""


class GlobalStatsInTraining(NetRule):
    """A BatchNorm takes stored statistics while it is trained from scratch.

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
    Left out, it is false in TRAIN and true in TEST, which is what one wants.

    ## Known problems
    Right for weights that are loaded and kept frozen. A solver with `weights`, a frozen layer in front, and layers
    without fillers are taken as signs of that; `caffe train --weights` cannot be seen.

    ## Fix safety
    Unsafe: training takes the statistics of each batch from then on, which is no use where weights are loaded.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; shicai/MobileNet-Caffe#75
    """

    code = "B001"
    name = "global-stats-in-training"
    severity = WARNING
    certainty = LIKELY
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
            message="all 2 BatchNorm layers take stored statistics in TRAIN, which are 0 from scratch: each makes"
            " its input"
            " up to 316 times as large (100,000 times in all); leave use_global_stats out",
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
            message="BatchNorm bn takes stored statistics in TRAIN, which are 0 from scratch, while the other 1 does"
            " not:"
            " it makes its input up to 316 times as large; leave use_global_stats out",
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
        stored = [layer for layer in stored if not is_frozen(_weights_above(layer))]
        if not stored:
            return
        eps = stored[0].message.batch_norm_param.eps
        if not 0 <= eps < inf:
            return
        gain = (eps or 1e-20) ** -0.5
        if len(stored) == len(all_norms):
            total = len(stored) * log10(gain)
            which = f"all {len(stored)} BatchNorm layers take" if len(stored) > 1 else "the only BatchNorm takes"
            message = (
                f"{which} stored statistics in TRAIN, which are 0 from scratch:"
                f" {'each makes' if len(stored) > 1 else 'it makes'} its input up to"
                f" {_grown(gain)} times as large{f' ({_in_all(total)})' if len(stored) > 1 else ''}"
            )
        else:
            names = listed([layer.name for layer in stored])
            one = len(stored) == 1
            message = (
                f"BatchNorm {names} take{'s' if one else ''} stored statistics in TRAIN, which are 0 from scratch,"
                f" while the"
                f" other {len(all_norms) - len(stored)} do{'es' if len(all_norms) - len(stored) == 1 else ''} not:"
                f" {'it makes its' if one else 'each makes its'} input up to {_grown(gain)} times as large"
            )
        yield self.finding(
            stored[0].at("batch_norm_param", "use_global_stats"),
            f"{message}; leave use_global_stats out",
            evidence="Caffe divides by sqrt(0 + eps)",
            phases=(TRAIN,),
            fixes=fix(
                "leave use_global_stats out",
                UNSAFE,
                *(remove(layer, "batch_norm_param", "use_global_stats") for layer in stored),
            ),
        )


def _grown(times: float) -> str:
    """`316`, and powers of ten where it is more than one reads."""
    return f"{times:,.0f}" if times < 1e9 else f"{times:.0e}"


def _in_all(digits: float) -> str:
    """What is made of 1 by all of them, as a number that means something to people."""
    if digits > _FLOAT32:
        return "together that overflows float32, whose largest number is 3e38"
    return f"{_grown(10.0 ** round(digits))} times in all"


def _weights_above(layer: Layer) -> Layer | None:
    """The layer with weights that a BatchNorm stands behind."""
    above = feeding(layer)
    while above is not None and not above.kind.has_weights:
        above = feeding(above)
    return above


def _has_fillers(net: Net) -> bool:
    return any(layer.kind.has_weights and layer.has(layer.kind.block, "weight_filler") for layer in net.layers)
