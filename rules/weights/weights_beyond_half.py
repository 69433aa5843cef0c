from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.weights.rule import HALF_MOST, WeightsEvidence, WeightsRule
from caffelint.lint import INFO, Finding, Invalid

from ._example import FITS, blob, layer
from ._words import blob_of, file_of

_INT8 = 254.0
"""Times the root mean square of the others, at which the largest makes a step of int8 twice that large."""


class WeightsBeyondHalf(WeightsRule):
    """Weights do not survive float16, or one scale of int8 for the whole layer.

    ## Why is this bad?
    float16 ends at 65504, so what is larger becomes infinite. int8 with one scale divides the largest weight into 127
    steps: a few large weights leave no steps to all others, which become 0. Quantise such a layer by channel, or clip
    it.

    ## References
    - IEEE 754-2008, binary16; Jacob et al., arXiv 1712.05877
    """

    code = "W206"
    name = "weights-beyond-half"
    severity = INFO
    VALID = [FITS]
    INVALID = [
        Invalid(
            {"a.caffemodel": layer("fc", "InnerProduct", blob((2, 3), [7e4, 1, 2, 3, 4, 5]))},
            span="fc/0",
            message='InnerProduct "fc": its weights in "a.caffemodel" reach 7e+04, so they become infinite in float16',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for one in weights.measured:
            found = one.statistics
            if found.bad or one.kind.keeps_statistics:
                continue
            subject = f"{one.title}: its {blob_of(one)} in {file_of(one.weights)} reach {found.largest:.4g}"
            if found.largest > HALF_MOST:
                yield self.finding(weights.at_blob(one), f"{subject}, so they become infinite in float16")
                continue
            others = math.sqrt(max(found.rms**2 - found.largest**2 / max(one.blob.count, 1), 0.0))
            if one.number == 0 and one.kind.has_weights and found.largest > _INT8 * others > 0:
                times = f"{found.largest / others:.0f} times the root mean square of the others, {others:.3g}"
                then = "so with one scale of int8 most of them become 0"
                yield self.finding(weights.at_blob(one), f"{subject}, {times}, {then}")
