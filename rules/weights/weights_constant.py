from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import LIKELY, WARNING, Finding, Invalid

from ._example import CONV_BLOBS, FITS, NET, blob, layer
from ._words import file_of


class WeightsConstant(WeightsRule):
    """All weights of a layer in the file are the same number.

    ## Why is this bad?
    If all weights are 0, the layer gives its bias whatever it reads. If they are another number, all of its outputs are
    the same. The layer was not trained: its filler is constant, its lr_mult is 0, or no gradient reached it.

    ## References
    - filler.hpp, ConstantFiller
    """

    code = "W202"
    name = "weights-constant"
    severity = WARNING
    certainty = LIKELY
    VALID = [FITS, {"net.caffemodel": layer("up", "Deconvolution", blob((2, 1, 2, 2), [1] * 8))}]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer("conv", "Convolution", blob((3, 2, 3, 3), [0] * 54), CONV_BLOBS[1]),
            },
            span="layer",
            message='Convolution "conv": all of its 54 weights in "net.caffemodel" are 0, so its outputs do not depend'
            " on what it reads",
        ),
        Invalid(
            {"net.caffemodel": layer("fc", "InnerProduct", blob((4, 2), [0.5] * 8))},
            span="fc/0",
            message='InnerProduct "fc": all of its 8 weights in "net.caffemodel" are 0.5, so all of its outputs are the'
            " same",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for one in weights.measured:
            found = one.statistics
            if one.number or not one.kind.has_weights or one.kind.upsamples or found.values < 2:
                continue
            if found.bad or found.low != found.high:
                continue
            then = "all of its outputs are the same" if found.low else "its outputs do not depend on what it reads"
            what = f"all of its {found.values} weights in {file_of(one.weights)} are {found.low:.4g}, so {then}"
            yield self.finding(weights.at_blob(one), f"{one.title}: {what}")
