from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from caffelint.evidence.data.rule import SCALAR, DataEvidence, DatasetRule, Feed, Top
from caffelint.lint import CERTAIN, DISPLAY, ERROR, LIKELY, TRAIN, WARNING, Cause, Finding, Invalid, fix, remove, title
from caffelint.lint.built import BuiltLayer

from ._example import NET, project, records
from ._labels import come_together
from ._words import path, whole

_RARE, _FREQUENT = 0.25, 1.25
_REAL = 0.01
"""Of all labels of maps."""
_FEW = 20
_IGNORES = NET.replace('top: "loss"', 'top: "loss"\n  loss_param { ignore_label: 1 }')
_TESTED = """layer {
  name: "data"
  type: "Data"
  top: "data"
  top: "label"
  include { phase: TEST }
  data_param { source: "val_lmdb" backend: LMDB batch_size: 4 }
}
"""


class ClassIgnored(DatasetRule):
    """The loss ignores a label that occurs in the training data like any other class.

    ## Why is this bad?
    An ignored label gives no loss and no gradient. Where it stands for a class, the net never learns to answer it, and
    each record of it is read in vain.

    ## Known problems
    Many data sets of maps give what is not labelled a number of its own, mostly the first or the last, which is left
    out on purpose. So in maps only a label between these is reported, and of single labels only one that is about as
    frequent as the classes are. Without it there must be two classes left: else it is an error, whatever it is.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu and Backward_cpu
    """

    code = "E121"
    name = "class-ignored"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(records(*[0, 1, 2] * 8)),
        # Most have no label.
        project(records(*[0, 1, 2, 1, 1] * 8), _IGNORES),
        # It hardly occurs.
        project(records(*[0, 2] * 20, 1, 1), _IGNORES),
    ]
    INVALID = [
        Invalid(
            project(records(*[0, 1, 2] * 8), _IGNORES),
            span="ignore_label: 1",
            message='SoftmaxWithLoss "loss": ignore_label 1 is a class: 8 of 24 labels of "train_lmdb" are 1, and none'
            " of them is learned; remove ignore_label",
        ),
        # Masks of 0 and 255.
        Invalid(
            project(records(*[0, 0, 255] * 8), _IGNORES.replace("ignore_label: 1", "ignore_label: 255")),
            span="ignore_label: 255",
            message='SoftmaxWithLoss "loss": labels of "train_lmdb" are 0 or ignore_label 255 (33% of them), so there'
            " is only one class to learn; write another class, such as 1, for 255",
        ),
        Invalid(
            {
                "net.prototxt": _TESTED
                + _IGNORES.replace("ignore_label: 1", "ignore_label: 255").replace(
                    "batch_size: 4 }", "batch_size: 4 } include { phase: TRAIN }"
                ),
                "train_lmdb": records(*[0, 0, 255] * 8),
                "val_lmdb": records(*[0, 2] * 8),
            },
            span="ignore_label: 255",
            message='SoftmaxWithLoss "loss": labels of "train_lmdb" are 0 or ignore_label 255 (33% of them), so there'
            ' is only one class to learn; write 2 for 255, as "val_lmdb" does',
        ),
        Invalid(
            project(records(*[0, 0, 1] * 8), _IGNORES.replace("ignore_label: 1", "ignore_label: 0")),
            span="ignore_label: 0",
            message='SoftmaxWithLoss "loss": labels of "train_lmdb" are 1 or ignore_label 0 (67% of them), so there is'
            " only one class to learn; remove ignore_label, or set one that is no class, such as 255",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                for reader in feed.readers(key) if TRAIN in feed.phases else ():
                    layer, expected = reader.layer, reader.expected
                    label = layer.ignored_label
                    if not layer.is_loss or label is None or layer.index is None or layer.bottoms[0].shape is None:
                        continue
                    if come_together(layer):
                        continue
                    if (left := _left(label, int(expected.high), top)) is not None:
                        yield self._one_class(data, feed, top, layer, left, 0 <= label <= expected.high)
                        continue
                    if not _is_a_class(label, int(expected.high), top):
                        continue
                    loss = feed.net.layers[layer.index]
                    times, count = (top.values or {})[label], sum((top.values or {}).values())
                    what = f"{title(layer)}: ignore_label {label} is a class: {times:,} of {count:,} labels of"
                    what += f" {path(feed)} are {label}, and none of them is learned"
                    remedy = "remove ignore_label"
                    yield self.finding(
                        loss.at("loss_param", "ignore_label"),
                        f"{what}; {remedy}",
                        phases=feed.phases,
                        cause=Cause("labels", what, remedy, LIKELY),
                        fixes=fix(remedy, DISPLAY, remove(loss, "loss_param", "ignore_label")),
                    )

    def _one_class(
        self, data: DataEvidence, feed: Feed, top: Top, layer: BuiltLayer, left: float, is_class: bool
    ) -> Finding:
        """Of a loss for which the labels that it does not ignore are all the same."""
        label, counts = layer.ignored_label, top.values or {}
        share = counts.get(float(label or 0), 0) / sum(counts.values())
        what = f"{title(layer)}: labels of {path(feed)} are {whole(left)} or ignore_label {label}"
        what += f" ({100 * share:.2g}% of them), so there is only one class to learn"
        remedy = f"write another class, such as {0 if left else 1}, for {label}"
        names = [blob.name for blob in feed.made.tops]
        for other, facts in data.read:
            for key, tested in facts.tops.items() if TRAIN not in other.phases else ():
                blob, more = other.top_of(key), set(tested.values or ()) - {left, float(label or 0)}
                if blob is not None and blob.name in names and any(other.readers(key)) and len(more) == 1:
                    remedy = f"write {whole(more.pop())} for {label}, as {path(other)} does"
        if is_class:
            remedy = "remove ignore_label, or set one that is no class, such as 255"
        return self.finding(
            feed.net.layers[layer.index or 0].at("loss_param", "ignore_label"),
            f"{what}; {remedy}",
            severity=ERROR,
            certainty=CERTAIN,
            phases=feed.phases,
            cause=Cause("labels", what, remedy),
        )


def _left(label: int, last: int, top: Top) -> float | None:
    """The only label beside one that is ignored, and often enough to be a class; None where there are several."""
    counts = top.values or {}
    left = [value for value in counts if value != label]
    often = counts.get(label, 0) >= _REAL * sum(counts.values()) > 0
    return left[0] if len(left) == 1 and often and sum(counts.values()) >= _FEW and last > 0 else None


def _is_a_class(label: int, last: int, top: Top) -> bool:
    """Does a label occur as the classes 0 to `last` do, with none that stands for no class?"""
    counts = top.values or {}
    others = [count for value, count in counts.items() if value != label]
    if not 0 <= label <= last or len(others) < 2 or sum(counts.values()) < _FEW:
        return False
    if not 0 <= min(counts) <= max(counts) <= last:
        return False
    if list(top.shapes) == [SCALAR]:
        return _RARE * median(others) <= counts.get(label, 0) <= _FREQUENT * max(others)
    return 0 < label < last and counts.get(label, 0) >= _REAL * sum(counts.values())
