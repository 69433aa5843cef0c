from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import CERTAIN, ERROR, LIKELY, Cause, Finding, Invalid, Place, title
from caffelint.smoke.rule import DATA, BuiltLayer, Run, SmokeRule, Statistics, classes

from ._example import CALM, NET, losses, project
from ._labels import source
from ._numbers import extent
from ._records import bad_labels

_EMBED = NET.replace('type: "InnerProduct"', 'type: "Embed"').replace(
    "inner_product_param { num_output: 10", "embed_param { num_output: 10 input_dim: 20"
)


class LabelOutOfRange(SmokeRule):
    """A label is below 0, not below the number of classes, or no whole number.

    ## Why is this bad?
    Caffe does not check: the loss reads, and HingeLoss writes, outside the row of scores. The result is a loss of
    87.3365, nan, a crash, or training that goes on and learns nonsense. Labels count from 0: labels from 1 to C need
    one more class, or 1 subtracted.

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
            message='SoftmaxWithLoss "loss": labels are 1 to 10, but its 10 classes are 0 to 9',
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 0.5, 0.2, 0.1, 0)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": labels are fractions, 0 to 0.5, which Caffe cuts to whole numbers',
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "data", DATA, 0, 49, 20, 3, 0.1), net=_EMBED),
            span="input_dim: 20",
            message='Embed "fc": its input holds indices 0 to 49, but input_dim is 20, so Caffe reads outside the'
            " weights;"
            " set input_dim: 50",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        found: dict[str, tuple[float, float]] = {}
        for event in run.all(Statistics):
            if event.kind == "blob" and event.part == DATA:
                low, high = found.get(event.name, (event.min, event.max))
                found[event.name] = min(low, event.min), max(high, event.max)
        for layer in run.built[0].layers:
            if layer.type == "Embed" and layer.bottoms:
                words, size = found.get(source(layer.bottoms[0])), layer.message.embed_param.input_dim
                if words is not None and not 0 <= words[0] <= words[1] < size:
                    what = (
                        f"{title(layer)}: its input holds indices {extent(*words)}, but input_dim is {size}, so Caffe"
                    )
                    what += " reads outside the weights"
                    if words[0] >= 0 and size <= words[1] < math.inf:
                        what += f"; set input_dim: {int(words[1]) + 1}"
                    why = "Caffe does not check the indices"
                    place = run.place(layer.name, 0, "embed_param", "input_dim")
                    yield self.finding(place, what, evidence=why, cause=Cause("data", what, why))
            among = classes(layer)
            labels = found.get(source(layer.bottoms[1])) if among is not None else None
            if labels is None or among is None:
                continue
            low, high = labels
            if math.isfinite(low + high) and (low % 1 or high % 1):
                what = f"{title(layer)}: labels are fractions, {extent(low, high)}, which Caffe cuts to whole numbers"
                one = f"every label is {int(low)}, " if int(low) == int(high) else ""
                why = f"{one}but it has {among} classes; give whole numbers from 0 to {among - 1}"
                place = run.place(layer.name, 0, "bottom", 1)
                yield self.finding(place, what, evidence=why, cause=Cause("labels", what, why))
                continue
            if all(0 <= end < among or _ignores(layer, end) for end in labels):
                continue
            what = f"{title(layer)}: labels are {extent(low, high)}, but its {among} classes are {extent(0, among - 1)}"
            remedy, at = _likely(run, layer, low, high, among)
            place = run.place(layer.name, 0, "bottom", 1)
            records = bad_labels(run, source(layer.bottoms[1]))
            why = "; ".join(part for part in (records, remedy) if part)
            cause = Cause("labels", what, why, LIKELY if remedy else CERTAIN, at)
            yield self.finding(place, what, evidence=why, cause=cause)


def _likely(run: Run, layer: BuiltLayer, low: float, high: float, among: int) -> tuple[str, Place | None]:
    """What to do, and where, None for no better place."""
    if high == 255 and layer.type == "SoftmaxWithLoss":
        loss = layer.message.loss_param
        now = f", but ignore_label is {loss.ignore_label}" if loss.HasField("ignore_label") else ""
        place = run.place(layer.name, 0, "loss_param", "ignore_label")
        return f"255 often marks pixels to ignore{now}; set loss_param {{ ignore_label: 255 }}", place
    if low == 1 and high == among:
        return f"the labels count from 1; subtract 1, or use {among + 1} classes", None
    if math.inf > high >= among:
        return f"set num_output: {int(high) + 1} if all of them are classes", _scores(run, layer)
    return "", None


def _ignores(layer: BuiltLayer, label: float) -> bool:
    loss = layer.message.loss_param
    return bool(loss.HasField("ignore_label") and loss.ignore_label == label)


def _scores(run: Run, layer: BuiltLayer) -> Place | None:
    """The num_output of the layer that makes the scores."""
    maker = layer.bottoms[0].producer
    while maker is not None and not maker.has_weights and len(maker.bottoms) == 1:
        maker = maker.bottoms[0].producer
    return run.place(maker.name, 0, maker.block, "num_output") if maker is not None and maker.has_weights else None
