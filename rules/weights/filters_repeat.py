from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, plural

from ._example import CONV_BLOBS, FITS, NET, blob, layer, values
from ._words import file_of

_SMALLEST = 4
_SHARE = 0.05


class FiltersRepeat(WeightsRule):
    """Filters of a layer are copies of others.

    ## Why is this bad?
    Filters that are equal give equal outputs and mostly get equal gradients, so they stay equal: the layer is as good
    as one with fewer. They come of a constant filler, and of nets that were put together or widened by copying.

    ## References
    - Goodfellow, Bengio and Courville, Deep Learning (2016), 8.4, on breaking symmetry
    """

    code = "W203"
    name = "filters-repeat"
    severity = WARNING
    certainty = LIKELY
    VALID = [FITS]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer(
                    "conv", "Convolution", blob((3, 2, 3, 3), [*values(18), *values(18, 5), *values(18)]), CONV_BLOBS[1]
                ),
            },
            span="layer",
            message='Convolution "conv": 1 of its 3 filters in "net.caffemodel" is a copy of another one',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for one in weights.measured:
            filters = one.statistics.filters
            if filters is None or not filters.copies or one.number or not one.kind.has_weights or one.kind.upsamples:
                continue
            if filters.size < _SMALLEST:
                continue
            number = len(filters.copies)
            are = "is a copy of another one" if number == 1 else "are copies of others"
            shown = [f"{row} of {of}" for row, of in filters.copies[:3]]
            yield self.finding(
                weights.at_blob(one),
                f"{one.title}: {number} of its {plural(filters.number, 'filter')} in {file_of(one.weights)} {are}",
                evidence=f"filter {', '.join(shown)}",
                severity=WARNING if number >= _SHARE * filters.number else INFO,
            )
