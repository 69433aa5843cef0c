from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import Misfits, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, Finding, Invalid

from ._example import CONV_BLOBS, FITS, NET, blob, layer
from ._words import plural, stored

_MORE_AXES = "a blob has at most 32 axes"


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
                what = {
                    Misfits.VALUES: f"but holds {plural(blob.count, 'value')}, so Caffe aborts",
                    Misfits.EMPTY: "so it has no elements and Caffe aborts",
                    Misfits.AXES: f"but {_MORE_AXES}, so Caffe aborts",
                    Misfits.NEGATIVE: "a negative size, so Caffe aborts",
                    Misfits.TOO_LARGE: "more than the 2147483647 values that Caffe can count, so it aborts",
                    Misfits.TYPE: "but does not hold numbers, so Caffe aborts",
                }[misfit.kind]
                comma = "" if what.startswith("but") else ","
                if misfit.kind is Misfits.VALUES and blob.diffs not in (0, blob.count):
                    what = f"but holds {plural(blob.diffs, 'gradient')}, so Caffe aborts"
                subject = f'{misfit.target.type} "{misfit.source.name}": blob {misfit.number} is {stored(blob)}'
                yield self.finding(
                    weights.at(fit.weights, misfit.source.name, misfit.number),
                    f"{subject}{comma} {what}; write the file again",
                    evidence=f"Caffe stops with: {misfit.kind.value}",
                )
