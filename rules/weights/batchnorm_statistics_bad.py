from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.evidence.weights.rule import Measured, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, WARNING, Finding, Invalid

from ._example import FITS, blob, layer
from ._words import file_of

_HUGE = 1e8
_LARGE_FACTOR = 1e6
_BLOBS = 3


class BatchnormStatisticsBad(WeightsRule):
    """The moving statistics of a BatchNorm in the file cannot be used.

    ## Why is this bad?
    In testing, BatchNorm divides by the square root of the moving variance, which the file stores multiplied by a
    factor. A factor of 0 says that no statistics were ever collected: Caffe then takes 0 for mean and variance, and
    multiplies by 1 / sqrt(eps), about 316. A negative variance gives nan, a huge one outputs of 0. Each
    iteration multiplies the factor by moving_average_fraction and adds 1, so it ends near 1 / (1 - that).

    ## References
    - batch_norm_layer.cpp, Forward_cpu
    """

    code = "W205"
    name = "batchnorm-statistics-bad"
    severity = ERROR
    VALID = [FITS, {"a.caffemodel": layer("bn", "BatchNorm", blob((2,)), blob((2,), [1, 2]), blob((1,), [99]))}]
    INVALID = [
        Invalid(
            {"a.caffemodel": layer("bn", "BatchNorm", blob((2,), [0, 0]), blob((2,), [0, 0]), blob((1,), [0]))},
            span="bn/2",
            message='BatchNorm "bn": its factor in "a.caffemodel" is 0, so it has no statistics, and in testing it'
            " multiplies by 1 / sqrt(eps); train with use_global_stats: false",
        ),
        Invalid(
            {"a.caffemodel": layer("bn", "BatchNorm", blob((2,)), blob((2,), [1, 2]), blob((1,), [0]))},
            span="bn/2",
            message='BatchNorm "bn": its factor in "a.caffemodel" is 0, so Caffe takes its means and variances, which'
            " the file has, for 0, and in testing it multiplies by 1 / sqrt(eps); write 1 as the factor",
        ),
        Invalid(
            {"a.caffemodel": layer("bn", "BatchNorm", blob((2,)), blob((2,), [1, 2]), blob((1,), [1e7]))},
            span="bn/2",
            message='BatchNorm "bn": its factor in "a.caffemodel" is 1e+07, by which its means and variances are'
            " divided; Caffe saves 1 / (1 - moving_average_fraction), mostly 1000, at most",
        ),
        Invalid(
            {"a.caffemodel": layer("bn", "BatchNorm", blob((2,)), blob((2,), [1, -2]), blob((1,), [99]))},
            span="bn/1",
            message='BatchNorm "bn": its variances in "a.caffemodel" are as low as -2, so its outputs are nan in'
            " testing",
        ),
        Invalid(
            {"a.caffemodel": layer("bn", "BatchNorm", blob((2,)), blob((2,), [1e15, 2]), blob((1,), [10]))},
            span="bn/1",
            message='BatchNorm "bn": its variances in "a.caffemodel" are as high as 1e+14, so what it read had grown'
            " out of scale in training",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        layers: dict[tuple[int, int], list[Measured]] = {}
        for one in weights.measured:
            if one.kind.keeps_statistics:
                layers.setdefault((id(one.weights), id(one.layer.blobs)), []).append(one)
        for blobs in layers.values():
            if (
                len(blobs) == _BLOBS
                and blobs[2].statistics.values == 1
                and not any(one.statistics.bad for one in blobs)
            ):
                yield from self._of(weights, blobs)

    def _of(self, weights: WeightsEvidence, blobs: Sequence[Measured]) -> Iterator[Finding]:
        _, variance, factor = blobs
        file, scale = file_of(factor.weights), factor.statistics.mean
        if scale == 0:
            message = (
                f"its factor in {file} is 0, so it has no statistics, and in testing it multiplies by 1 / sqrt(eps)"
            )
            remedy = "; train with use_global_stats: false"
            if variance.statistics.high > 0:
                message = f"its factor in {file} is 0, so Caffe takes its means and variances, which the file has, for"
                message += " 0, and in testing it multiplies by 1 / sqrt(eps)"
                remedy = "; write 1 as the factor"
            yield self.finding(weights.at_blob(factor), f"{factor.title}: {message}{remedy}", severity=WARNING)
            return
        if scale > _LARGE_FACTOR:
            message = f"its factor in {file} is {scale:.4g}, by which its means and variances are divided; Caffe saves"
            message += " 1 / (1 - moving_average_fraction), mostly 1000, at most"
            yield self.finding(weights.at_blob(factor), f"{factor.title}: {message}")
            return
        high = variance.statistics.high / scale
        subject = f"{variance.title}: its variances in {file} are"
        if variance.statistics.low < 0 or scale < 0:
            message = f"{subject} as low as {variance.statistics.low:.4g}, so its outputs are nan in testing"
            yield self.finding(weights.at_blob(variance), message)
        elif high > _HUGE:
            message = f"{subject} as high as {high:.4g}, so what it read had grown out of scale in training"
            yield self.finding(weights.at_blob(variance), message, severity=WARNING)
