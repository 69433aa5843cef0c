from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from caffelint.lint import CERTAIN, ERROR, LIKELY, Cause, Finding, Invalid, Place, other_classes, title
from caffelint.smoke.rule import DATA, Blob, BuiltLayer, Run, SmokeRule, Statistics, classes

from ._example import CALM, NET, losses, project
from ._numbers import extent
from ._records import bad_labels

_READ = NET.replace("DummyData", "Input").replace("dummy_data_param", "input_param")
_EMBED = _READ.replace('type: "InnerProduct"', 'type: "Embed"').replace(
    "inner_product_param { num_output: 10", "embed_param { num_output: 10 input_dim: 20"
)

_CUT_RIGHTLY = 1e-3
_FAR = 100
"""So many times as large as a table is no index, but a hash or another number."""


class LabelOutOfRange(SmokeRule):
    """A label, or an index of an Embed, is below 0, not below the number of classes, or no whole number.

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
    VALID = [
        # 255 * 0.00392157
        project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 1.0000002, 0.3, 0.4, 0.7)),
        project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 9, 4.5, 3, 0.1)),
        # What a filler draws.
        project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 9.9, 4.5, 3, 0.1)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 1, 10, 5.5, 3, 0)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": labels are 1 to 10, but its 10 classes are 0 to 9',
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "label", DATA, 0, 0.5, 0.2, 0.1, 0), net=_READ),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": labels are fractions, 0 to 0.5, which Caffe cuts to whole numbers',
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "data", DATA, 0, 0.9, 0.4, 0.1, 0.1), net=_EMBED),
            span='bottom: "data"',
            message='Embed "fc": its input holds fractions, 0 to 0.9, which Caffe cuts to whole numbers',
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "data", DATA, 0, 49, 20, 3, 0.1), net=_EMBED),
            span="input_dim: 20",
            message='Embed "fc": its input holds indices 0 to 49, but input_dim is 20, so Caffe reads outside the'
            " weights;"
            " set input_dim: 50",
        ),
        Invalid(
            project(*losses(*CALM), Statistics(-1, "data", "blob", "data", DATA, 0, 2.9e7, 20, 3, 0.1), net=_EMBED),
            span="input_dim: 20",
            message='Embed "fc": its input holds indices 0 to 2.9e+07, but input_dim is 20, so Caffe reads outside the'
            " weights; number them from 0 to 19",
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
                words, size = found.get(layer.bottoms[0].original.name), layer.message.embed_param.input_dim
                if words is not None and _are_fractions(layer.bottoms[0], *words):
                    yield self._cut(run, layer, *words)
                elif words is not None and not 0 <= words[0] <= words[1] < size:
                    what = (
                        f"{title(layer)}: its input holds indices {extent(*words)}, but input_dim is {size}, so Caffe"
                    )
                    what += " reads outside the weights"
                    if words[0] >= 0 and size <= words[1] < _FAR * size:
                        what += f"; set input_dim: {int(words[1]) + 1}"
                    elif words[0] >= 0:
                        what += f"; number them from 0 to {size - 1}"
                    why = "Caffe does not check the indices"
                    place = run.place(layer.name, 0, "embed_param", "input_dim")
                    yield self.finding(place, what, evidence=why, cause=Cause("data", what, why))
            among = classes(layer)
            labels = found.get(layer.bottoms[1].original.name) if among is not None else None
            if labels is None or among is None:
                continue
            low, high = labels
            if _are_fractions(layer.bottoms[1], low, high):
                what = f"{title(layer)}: labels are fractions, {extent(low, high)}, which Caffe cuts to whole numbers"
                one = f"every label is {int(low)}, " if int(low) == int(high) else ""
                why = f"{one}but it has {among} classes; give whole numbers from 0 to {among - 1}"
                place = run.place(layer.name, 0, "bottom", 1)
                yield self.finding(place, what, evidence=why, cause=Cause("labels", what, why))
                continue
            if all(0 <= end < among or _ignores(layer, end) for end in labels):
                continue
            what = f"{title(layer)}: labels are {extent(low, high)}, but its {among} classes are {extent(0, among - 1)}"
            remedy, at = _ignored(run, layer, labels, among) or _other_top(run, layer, among, found) or ("", None)
            if not remedy:
                remedy, at = _likely(run, layer, low, high, among)
            place = run.place(layer.name, 0, "bottom", 1)
            records = bad_labels(run, layer.bottoms[1].original.name)
            why = "; ".join(part for part in (remedy, records) if part)
            cause = Cause("labels", what, why, LIKELY if remedy else CERTAIN, at)
            yield self.finding(place, what, evidence=why, cause=cause)

    def _cut(self, run: Run, layer: BuiltLayer, low: float, high: float) -> Finding:
        """Indices with a fraction."""
        what = f"{title(layer)}: its input holds fractions, {extent(low, high)}, which Caffe cuts to whole numbers"
        last = layer.message.embed_param.input_dim - 1
        one = f"every index is {int(low)}" if int(low) == int(high) else f"indices are {extent(int(low), int(high))}"
        why = f"{one}, though input_dim allows 0 to {last}; give whole numbers"
        place = run.place(layer.name, 0, "bottom", 0)
        return self.finding(place, what, evidence=why, cause=Cause("data", what, why))


def _are_fractions(blob: Blob, low: float, high: float) -> bool:
    """Where a filler draws them, to try a net out, what is left of them will do."""
    maker = blob.original.producer
    drawn = maker is not None and maker.type == "DummyData"
    # What scaling leaves above a whole number is cut off rightly; 0.999 becomes 0.
    return not drawn and math.isfinite(low + high) and max(low % 1, high % 1) > _CUT_RIGHTLY


def _ignored(run: Run, layer: BuiltLayer, labels: tuple[float, float], among: int) -> tuple[str, Place | None] | None:
    """A label that other layers leave out which read the same blob, in any net."""
    blob = layer.bottoms[1].original.name
    for one in (one for built in run.built for one in built.layers if one is not layer):
        reads = len(one.bottoms) > 1 and one.bottoms[1].original.name == blob
        left_out = one.ignored_label if reads else None
        if left_out is None or left_out not in labels or layer.type != "SoftmaxWithLoss":
            continue
        if all(0 <= end < among or end == left_out for end in labels):
            place = run.place(layer.name, 0, "loss_param", "ignore_label")
            return f"{title(one)} leaves out {left_out}; set loss_param {{ ignore_label: {left_out} }} here, too", place
    return None


def _other_top(
    run: Run, layer: BuiltLayer, among: int, found: Mapping[str, tuple[float, float]]
) -> tuple[str, Place] | None:
    """Another top of the layer that makes the labels, which holds classes, and which no loss reads, or one that takes
    these labels."""
    labels = layer.bottoms[1].original
    if labels.producer is None:
        return None
    for top in labels.producer.tops:
        low, high = found.get(top.name, (math.nan, math.nan))
        if not (low >= 0 and 0 < high < among) or low % 1 or high % 1 or top.shape != labels.shape:
            continue
        what = f'"{top.name}", another top of {title(labels.producer)}, holds {extent(low, high)}'
        place = run.place(labels.producer.name)
        losses = [reader for reader, _ in top.readers if reader.is_loss]
        if any(reader.is_recurrent for reader, _ in top.readers):
            continue  # where a sequence begins
        if not losses:
            return f"{what}, as labels do; make that the label", place
        others = [classes(reader) or 0 for reader in losses]
        if min(others) > found[labels.name][1] and found[labels.name][0] >= 0:
            return f'{what}, and {title(losses[0])} reads it; exchange "{labels.name}" and "{top.name}"', place
    return None


def _likely(run: Run, layer: BuiltLayer, low: float, high: float, among: int) -> tuple[str, Place | None]:
    """What to do, and where, None for no better place."""
    if remedy := other_classes(low, high, among, _only_ends(run, layer, high)):
        return remedy, None
    if high == 255 and layer.type == "SoftmaxWithLoss":
        loss = layer.message.loss_param
        now = f", but ignore_label is {loss.ignore_label}" if loss.HasField("ignore_label") else ""
        place = run.place(layer.name, 0, "loss_param", "ignore_label")
        return f"255 often marks pixels to ignore{now}; set loss_param {{ ignore_label: 255 }}", place
    if math.inf > high >= among:
        return f"set num_output: {int(high) + 1} if all of them are classes", _scores(run, layer)
    return "", None


def _only_ends(run: Run, layer: BuiltLayer, high: float) -> bool:
    """Was every label that was measured either 0 or the highest?"""
    seen = run.values_of(layer.bottoms[1].original.name)
    # Of all values between two ends with this mean, only those at the ends themselves vary so much.
    return all(math.isclose(one.std**2, one.mean * (high - one.mean), rel_tol=0.01) for one in seen)


def _ignores(layer: BuiltLayer, label: float) -> bool:
    loss = layer.message.loss_param
    return bool(loss.HasField("ignore_label") and loss.ignore_label == label)


def _scores(run: Run, layer: BuiltLayer) -> Place | None:
    """The num_output of the layer that makes the scores."""
    maker = layer.bottoms[0].maker_beyond(lambda above: not above.has_weights and len(above.bottoms) == 1)
    return run.place(maker.name, 0, maker.block, "num_output") if maker is not None and maker.has_weights else None
