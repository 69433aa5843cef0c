from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.evidence.weights.rule import BuiltLayer, Fit, WeightsEvidence, WeightsRule
from caffelint.lint import LIKELY, WARNING, Finding, Invalid, title
from caffelint.lint.built import computed_by

from ._example import FITS, MODEL, NET
from ._words import file_of, said

_OF_SHAPES = frozenset(["num_output", "bias_term", "axis", "transpose"])
"""What shows in the shapes of the weights, or counts in a blob that may have other axes."""
_MOST = 3
_WINDOW = 4
"""The largest kernel of a Pooling that makes a map smaller; a larger one mostly covers the whole of it."""


class TrainedOtherwise(WeightsRule):
    """A layer of a net that is to be used computes otherwise than the layer that the weights were trained in.

    ## Why is this bad?
    A .caffemodel holds the whole net that was trained. Caffe compares only the shapes of the weights. Another pad,
    stride, dilation, pooling method or slope shows in no shape of theirs, and the net gives other numbers than it did
    in training.

    ## References
    - net.cpp, CopyTrainedLayersFrom and ToProto
    """

    code = "W107"
    name = "trained-otherwise"
    severity = WARNING
    certainty = LIKELY
    _TRAINED = MODEL.replace(
        '"Convolution" ', '"Convolution" convolution_param { num_output: 3 kernel_size: 3 } '
    ).replace('"InnerProduct" ', '"InnerProduct" inner_product_param { num_output: 4 } ')
    VALID = [FITS, {"net.prototxt": NET, "net.caffemodel": _TRAINED}]
    INVALID = [
        Invalid(
            {
                "net.prototxt": NET.replace("kernel_size: 3", "kernel_size: 3 stride: 1"),
                "net.caffemodel": _TRAINED.replace("kernel_size: 3", "kernel_size: 3 pad: 1 stride: 2"),
            },
            span=("stride: 1", "convolution_param"),
            message=(
                'Convolution "conv": stride is 1 here but was 2 as "net.caffemodel" was trained; set stride: 2',
                'Convolution "conv": pad is 0 here but was 1 as "net.caffemodel" was trained; set pad: 1',
            ),
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for fit in weights.fits:
            if fit.net.role != "deploy":
                continue
            found = list(_differing(fit))
            if len({field for _, field, _, _ in found}) <= _MOST:
                for layer, field, here, there in found:
                    name = "kernel_size" if field == "kernel" else field
                    what = f"{name} is {said(here)} here but was {said(there)} as {file_of(fit.weights)} was trained"
                    path = (layer.block, name)
                    yield self.finding(
                        fit.at(layer, *path),
                        f"{title(layer)}: {what}; set {name}: {said(there)}",
                        phases=fit.phases,
                    )


def _differing(fit: Fit) -> Iterator[tuple[BuiltLayer, str, Any, Any]]:
    for layer, trained in fit.trained_as():
        if not trained.block or (layer.has_weights and not trained.message.HasField(trained.block)):
            continue  # a converter that wrote no more than the weights
        here = computed_by(layer)
        for field, there in computed_by(trained).items():
            if field in _OF_SHAPES or here.get(field) == there:
                continue
            if field == "kernel" and (layer.has_weights or max(there) > _WINDOW):
                continue
            yield layer, field, here.get(field), there
