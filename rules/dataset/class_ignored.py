from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from caffelint.evidence.data.rule import SCALAR, DataEvidence, DatasetRule, Top
from caffelint.lint import DISPLAY, LIKELY, TRAIN, WARNING, Cause, Finding, Invalid, fix, remove, title

from ._example import NET, project, records
from ._words import path

_RARE, _FREQUENT = 0.25, 1.25
_REAL = 0.01
"""Of all labels of maps."""
_FEW = 20
_IGNORES = NET.replace('top: "loss"', 'top: "loss"\n  loss_param { ignore_label: 1 }')


class ClassIgnored(DatasetRule):
    """The loss ignores a label that occurs in the training data like any other class.

    ## Why is this bad?
    An ignored label gives no loss and no gradient. Where it stands for a class, the net never learns to answer it, and
    each record of it is read in vain.

    ## Known problems
    Many data sets of maps give what is not labelled a number of its own, mostly the first or the last, which is left
    out on purpose. So in maps only a label between these is reported, and of single labels only one that is about as
    frequent as the classes are.

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
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                for reader in feed.readers(key) if TRAIN in feed.phases else ():
                    layer, expected = reader.layer, reader.expected
                    label = layer.ignored_label
                    if not layer.is_loss or label is None or layer.index is None or layer.bottoms[0].shape is None:
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
