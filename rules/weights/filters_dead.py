from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule, bare
from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, plural

from ._example import CONV_BLOBS, FITS, NET, blob, layer, values
from ._words import file_of

_SHARE = 0.1
_FEWEST = 2


class FiltersDead(WeightsRule):
    """Filters of a layer are 0, or have decayed to next to nothing.

    ## Why is this bad?
    Such a filter gives a constant. A ReLU whose input is always below 0 passes no gradient, so weight_decay is all that
    still changes the weights before it: they shrink to 0. The rate was too large at some time, or the biases are. Nets
    that were pruned have such filters on purpose.

    ## References
    - sgd_solver.cpp, Regularize; BVLC/caffe issue 1532
    """

    code = "W204"
    name = "filters-dead"
    severity = WARNING
    certainty = LIKELY
    VALID = [FITS, {"net.caffemodel": layer("fc", "InnerProduct", blob((2, 2), [0] * 4))}]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer(
                    "conv", "Convolution", blob((3, 2, 3, 3), [*[0] * 18, *[1e-9] * 18, *values(18)]), CONV_BLOBS[1]
                ),
            },
            span="layer",
            message='Convolution "conv": 2 of its 3 filters in "net.caffemodel" are 0 or next to it, so their outputs'
            " are constant",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for one in weights.measured:
            found, filters = one.statistics, one.statistics.filters
            if filters is None or one.number or not one.kind.has_weights or found.low == found.high:
                continue
            number = len(filters.dead)
            if not number:
                continue
            noun = "filter" if len(bare(one.blob.shape)) > 2 else "unit"
            are = "is 0 or next to it, so its output is constant"
            if number > 1:
                are = "are 0 or next to it, so their outputs are constant"
            shown = ", ".join(map(str, filters.dead[:8])) + (" and more" if number > 8 else "")
            yield self.finding(
                weights.at_blob(one),
                f"{one.title}: {number} of its {plural(filters.number, noun)} in {file_of(one.weights)} {are}",
                evidence=f"{noun}{'' if number == 1 else 's'} {shown}",
                severity=WARNING if number >= max(_FEWEST, _SHARE * filters.number) else INFO,
            )
