from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.evidence.weights.rule import Measured, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, Finding, Invalid, plural

from ._example import CONV_BLOBS, FITS, NET, blob, layer, values
from ._words import blob_of, file_of

_MOST = 3
"""Blobs that are named one by one; of more only the first is."""
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
        Invalid(
            {
                "net.caffemodel": layer("a", "InnerProduct", blob((1, 2), [math.nan] * 2), blob((1,), [math.nan]))
                + layer("b", "InnerProduct", blob((1, 1), [math.inf]), blob((2,), [math.nan, 1.0]))
            },
            span="a/0",
            message='5 of the 6 values of InnerProduct "a" and 1 other layer in "net.caffemodel" are nan or infinite;'
            " go back to an earlier snapshot",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        bad = [one for one in weights.measured if one.statistics.bad]
        for model in weights.models:
            some = [one for one in bad if one.weights is model]
            if len(some) <= _MOST:
                yield from self._of_each(weights, some)
            else:
                yield self._of_all(weights, some)

    def _of_all(self, weights: WeightsEvidence, some: Sequence[Measured]) -> Finding:
        first, layers = some[0], list(dict.fromkeys(one.title for one in some))
        wrong, whole = sum(one.statistics.bad for one in some), sum(one.statistics.values for one in some)
        what = f"{wrong:,} of the {whole:,} values of {first.title} and {plural(len(layers) - 1, 'other layer')}"
        if len(layers) == 1:
            what = f"{wrong:,} of the {whole:,} values of {first.title}"
        evidence = ", ".join(layers[:8]) + (" and more" if len(layers) > 8 else "")
        message = f"{what} in {file_of(first.weights)} are nan or infinite; go back to an earlier snapshot"
        return self.finding(weights.at_blob(first), message, evidence=evidence)

    def _of_each(self, weights: WeightsEvidence, some: Sequence[Measured]) -> Iterator[Finding]:
        for one in some:
            found = one.statistics
            bad = [f"{number} {name}" for number, name in ((found.nan, "nan"), (found.inf, "infinite")) if number]
            what = f"{found.bad} of its {found.values} {blob_of(one)} in {file_of(one.weights)} are"
            how = "nan" if not found.inf else "infinite" if not found.nan else f"not finite ({' and '.join(bad)})"
            yield self.finding(weights.at_blob(one), f"{one.title}: {what} {how}; go back to an earlier snapshot")
