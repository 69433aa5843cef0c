from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import CERTAIN, UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write

_LARGEST = 3.4e38
"""A float32 holds no more."""
_USUAL = "0.999"


class MovingAverageFractionOutOfRange(LayerRule):
    """`moving_average_fraction` of a BatchNorm is below 0 or above 1.

    ## Why is this bad?
    In every training iteration the stored mean, variance and their common factor are multiplied by it, before those of
    the batch are added. Above 1, the first batches count ever more and the later ones for nothing, until all three
    overflow and their quotient is nan; below 0, batches are subtracted from each other, so a variance may be negative.
    Training does not read the stored statistics, so its loss falls all the same: only testing is wrong.

    ## Example
    ```
    batch_norm_param { moving_average_fraction: 5 }
    ```
    Use instead:
    ```
    batch_norm_param { moving_average_fraction: 0.999 }
    ```

    ## Known problems
    1, the mean of all batches so far, and 0, the last batch only, are taken as meant.

    ## Fix safety
    Unsafe: the statistics then follow the last thousand batches or so, and another fraction may be meant.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "B008"
    name = "moving-average-fraction-out-of-range"
    severity = WARNING
    certainty = CERTAIN
    layer_types = ("BatchNorm",)
    _BN = 'layer { name: "bn" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { %s } }'
    VALID = [_BN % "", _BN % "moving_average_fraction: 0", _BN % "moving_average_fraction: 1.0"]
    INVALID = [
        Invalid(
            _BN % "moving_average_fraction: 5",
            span="moving_average_fraction: 5",
            message='BatchNorm "bn": moving_average_fraction 5 multiplies the stored statistics in every iteration, so'
            " they overflow by iteration 55, and testing with them is wrong; set moving_average_fraction: 0.999",
            fixed=_BN % "moving_average_fraction: 0.999",
        ),
        Invalid(
            _BN % "moving_average_fraction: -0.5",
            span="moving_average_fraction: -0.5",
            message='BatchNorm "bn": moving_average_fraction -0.5 subtracts the statistics of batches from each other,'
            " so testing with them is wrong; set moving_average_fraction: 0.999",
            fixed=_BN % "moving_average_fraction: 0.999",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        fraction = layer.message.batch_norm_param.moving_average_fraction
        if 0 <= fraction <= 1 or layer.message.batch_norm_param.use_global_stats:
            return
        consequence = "subtracts the statistics of batches from each other, so testing with them is wrong"
        if fraction > 1:
            last = math.floor(math.log(_LARGEST) / math.log(fraction))
            consequence = "multiplies the stored statistics in every iteration, so they"
            consequence += f" overflow by iteration {last:,}, and testing with them is wrong"
        advice = f"set moving_average_fraction: {_USUAL}"
        yield self.finding(
            layer.at("batch_norm_param", "moving_average_fraction"),
            f"{title(layer)}: moving_average_fraction {fraction:g} {consequence}; {advice}",
            fixes=fix(advice, UNSAFE, write(layer, "batch_norm_param", "moving_average_fraction", value=_USUAL)),
        )
