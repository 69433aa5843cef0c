from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import Misfits, StoredBlob, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, Finding, Invalid, plural

from ._example import CONV_BLOBS, FITS, NET, blob, layer
from ._words import stored


class BlobValuesMissing(WeightsRule):
    """A blob of the file has a shape that its values do not fill, or that no blob can have.

    ## Why is this bad?
    Caffe aborts as it copies the blob. Such files come from converters, and from tools that remove the values.

    ## References
    - blob.cpp, FromProto and Reshape; util/hdf5.cpp, hdf5_load_nd_dataset
    """

    code = "W102"
    name = "blob-values-missing"
    severity = ERROR
    VALID = [FITS]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer("conv", "Convolution", CONV_BLOBS[0], blob((3,), [1, 2])),
            },
            span="conv/1",
            message='Convolution "conv": blob 1 is 3 but holds 2 values, so Caffe aborts; write the file again',
        ),
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": layer("fc", "InnerProduct", blob((0, 3)), blob((4,)))},
            span="fc/0",
            message='InnerProduct "fc": blob 0 is 0x3, so it has no elements and Caffe aborts; write the file again',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        seen = set()
        for fit in weights.fits:
            for misfit, certain in fit.misfits:
                if misfit.number is None or misfit.kind is Misfits.SHAPE or not certain:
                    continue
                blob = misfit.source.blobs[misfit.number]
                if id(blob) in seen:
                    continue
                seen.add(id(blob))
                subject = f'{misfit.target.type} "{misfit.source.name}": blob {misfit.number} is {stored(blob)}'
                yield self.finding(
                    weights.at(fit.weights, misfit.source.name, misfit.number),
                    f"{subject}{_fault(misfit.kind, blob)}; write the file again",
                    evidence=f"Caffe stops with: {misfit.kind.value}",
                )


def _fault(kind: Misfits, blob: StoredBlob) -> str:
    values = plural(blob.count, "value")
    if blob.diffs not in (0, blob.count):
        values = plural(blob.diffs, "gradient")
    faults = {
        Misfits.EMPTY: ", so it has no elements and Caffe aborts",
        Misfits.AXES: " but a blob has at most 32 axes, so Caffe aborts",
        Misfits.NEGATIVE: ", a negative size, so Caffe aborts",
        Misfits.TOO_LARGE: ", more than the 2147483647 values that Caffe can count, so it aborts",
        Misfits.TYPE: " but does not hold numbers, so Caffe aborts",
    }
    return faults.get(kind, f" but holds {values}, so Caffe aborts")
