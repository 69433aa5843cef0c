from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, Finding, Invalid

from ._example import CONV_BLOBS, FITS, NET, blob, layer, values
from ._words import blob_of, file_of

_BROKEN = blob((3, 2, 3, 3), [math.nan, math.nan, -math.inf, *values(51)])


class WeightsNotFinite(WeightsRule):
    """Weights of the file are nan or infinite.

    ## Why is this bad?
    One nan among the weights makes every output of the layer nan, and the loss with it. Caffe copies it without a word,
    and writes a snapshot whether training has gone nan or not. Go back to an earlier snapshot.

    ## References
    - net.cpp, CopyTrainedLayersFrom; solver.cpp, Snapshot
    """

    code = "W201"
    name = "weights-not-finite"
    severity = ERROR
    VALID = [FITS]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer("conv", "Convolution", _BROKEN, CONV_BLOBS[1]),
            },
            span="layer",
            message='Convolution "conv": 3 of its 54 weights in "net.caffemodel" are not finite (2 nan and 1 infinite);'
            " go back to an earlier snapshot",
        ),
        Invalid(
            {"net.caffemodel": layer("fc", "InnerProduct", blob((2,), [math.nan, math.nan]))},
            span="fc/0",
            message='InnerProduct "fc": 2 of its 2 weights in "net.caffemodel" are nan; go back to an earlier snapshot',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for one in weights.measured:
            found = one.statistics
            if not found.bad:
                continue
            bad = [f"{number} {name}" for number, name in ((found.nan, "nan"), (found.inf, "infinite")) if number]
            what = f"{found.bad} of its {found.values} {blob_of(one)} in {file_of(one.weights)} are"
            how = "nan" if not found.inf else "infinite" if not found.nan else f"not finite ({' and '.join(bad)})"
            yield self.finding(weights.at_blob(one), f"{one.title}: {what} {how}; go back to an earlier snapshot")
