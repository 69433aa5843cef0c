from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, SmokeRule
from caffelint.lint.built import Blob
from caffelint.smoke.run import DATA, Layer, Run, Statistics

from ._example import CALM, losses, project
from ._words import extent

_CLASSES = frozenset(["SoftmaxWithLoss", "InfogainLoss", "MultinomialLogisticLoss", "HingeLoss"])


class LabelOutOfRange(SmokeRule):
    """A label was below 0, or not below the number of classes.

    ## Why is this bad?
    Caffe does not look: the loss reads, and HingeLoss writes, beside the row of scores. What comes of it is a loss of
    87.3365, nan, a crash, or training that goes on and learns nonsense. Labels count from 0: those from 1 to C want one
    class more, or 1 taken off.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu: only a DCHECK, which release builds leave out
    - BVLC/caffe issues 2143 and 4670
    """

    code = "X113"
    name = "label-out-of-range"
    severity = ERROR
    VALID = [project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 9, 4.5, 3, 0.1))]
    INVALID = [
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 1, 10, 5.5, 3, 0)),
            span='bottom: "label"',
            message='labels of 1 to 10 came to "loss" (SoftmaxWithLoss), which has 10 classes, 0 to 9; labels count'
            " from 0",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        found: dict[str, tuple[float, float]] = {}
        for event in run.all(Statistics):
            if event.kind == "blob" and event.part == DATA:
                low, high = found.get(event.name, (event.min, event.max))
                found[event.name] = min(low, event.min), max(high, event.max)
        for layer in run.built[0].layers:
            if layer.type not in _CLASSES or len(layer.bottoms) < 2:
                continue
            labels = found.get(_source(layer.bottoms[1]))
            classes = _classes(layer)
            if labels is None or classes is None:
                continue
            low, high = labels
            if _ignores(layer, labels) or 0 <= low <= high < classes:
                continue
            yield self.finding(
                run.place(layer.name, 0, "bottom", 1),
                f'labels of {extent(low, high)} came to "{layer.name}" ({layer.type}), which has'
                f" {classes} classes, 0 to {classes - 1}; labels count from 0",
            )


def _classes(layer: Layer) -> int | None:
    scores = layer.bottoms[0].shape
    axis = layer.message.softmax_param.axis if layer.type == "SoftmaxWithLoss" else 1
    return scores[axis] if scores and -len(scores) <= axis < len(scores) else None


def _source(blob: Blob) -> str:
    """The name of the blob, or of the one that it is a copy of."""
    while blob.producer is not None and blob.producer.type == "Split":
        blob = blob.producer.bottoms[0]
    return blob.name


def _ignores(layer: Layer, labels: tuple[float, float]) -> bool:
    """May the label that lies outside be the one that is ignored?"""
    loss = layer.message.loss_param
    return bool(loss.HasField("ignore_label") and loss.ignore_label in labels)
