from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import SCALAR, DataEvidence, DatasetRule, Feed, Reader, Top
from caffelint.lint import INFO, TRAIN, WARNING, Cause, Finding, Invalid, title
from caffelint.lint.built import BuiltLayer

from ._example import NET, SOUND, project, records
from ._words import counted, extent, path, whole

_RARER = 100
_FEW = 20
_SHOWN = 6
_ALIKE = ("not alike", "alike")
_MANY = 50
_LABELS = 3
"""So many of a source are the same as those of another, each by one off, hardly by chance."""
_EARLY = (
    NET.replace("num_output: 3", "num_output: 4")
    + """layer {
  name: "score"
  type: "InnerProduct"
  bottom: "fc"
  top: "score"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } }
}
"""
)
_TEST = NET.replace("train_lmdb", "test_lmdb").replace('top: "label"', 'top: "label"\n  include { phase: TEST }', 1)
_BOTH = NET.replace('top: "label"', 'top: "label"\n  include { phase: TRAIN }', 1) + _TEST[: _TEST.index("layer", 1)]

_PAIRS = NET.replace("SoftmaxWithLoss", "ContrastiveLoss").replace('bottom: "label"', 'bottom: "fc_p" bottom: "label"')
_PAIRS += NET[NET.index("layer", 1) : NET.rindex("layer")].replace('"fc"', '"fc_p"')

_ADD = "add records of it, or number the classes without gaps"


class ClassesUnbalanced(DatasetRule):
    """Classes that a loss has scores for are absent from the training data, or 100 times rarer than others.

    ## Why is this bad?
    Nothing is learned about a class that does not occur, and next to nothing about one that is drowned: always to
    answer with the frequent ones costs hardly anything. With many absent classes the number of classes, or the list
    that the labels come from, is likely that of another data set. The same goes for pairs of a ContrastiveLoss, of
    which nearly all are to be alike, or not.
    """

    code = "E103"
    name = "classes-unbalanced"
    severity = WARNING
    VALID = [SOUND, project(records(*[0, 1] * 8, 2)), project(records(*[1] * 90, *[0] * 10), _PAIRS)]
    INVALID = [
        Invalid(
            project(records(*[0, 2] * 12)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": class 1 does not occur in "train_lmdb", so it is never learned; add'
            " records of it, or number the classes without gaps",
        ),
        Invalid(
            {"net.prototxt": _BOTH, "train_lmdb": records(*[0, 2] * 12), "test_lmdb": records(*[0, 1, 2] * 4)},
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": class 1 does not occur in "train_lmdb", so it is never learned, but 4'
            ' records of "test_lmdb" are of that class; train on records of that class as well',
        ),
        Invalid(
            {
                "net.prototxt": _BOTH.replace("num_output: 3", "num_output: 4"),
                "train_lmdb": records(*[0, 1, 2] * 12),
                "test_lmdb": records(*[1, 2, 3] * 4),
            },
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": the labels of "test_lmdb", 1 to 3, may each be 1 too high: those of'
            ' "train_lmdb" are 0 to 2; number the classes of both alike',
        ),
        Invalid(
            project(records(*[0, 1] * 12), _EARLY),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": classes 2 and 3 do not occur in "train_lmdb", so they are never learned;'
            ' let it read "score" of InnerProduct "score", which has 2 outputs and no loss',
        ),
        Invalid(
            project(records(*[0, 1] * 150, 2), NET),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": class 2 occurs once in "train_lmdb", but class 0 occurs 150 times; repeat'
            " the rare records, or weigh the loss with InfogainLoss",
        ),
        Invalid(
            project(records(*[1] * 198, 0), _PAIRS),
            span='bottom: "label"',
            message='ContrastiveLoss "loss": 198 of the 199 pairs in "train_lmdb" are labelled 1 (alike), so to put all'
            " records in one place costs hardly anything; add pairs labelled 0 (not alike)",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                if TRAIN not in feed.phases or top.values is None or list(top.shapes) != [SCALAR]:
                    continue
                for reader in feed.readers(key):
                    layer, expected = reader.layer, reader.expected
                    if layer.compares_records and top.records >= _FEW:
                        yield from self._pairs(feed, reader, top)
                    if not layer.is_loss or not layer.reads_classes(reader.bottom) or layer.index is None:
                        continue
                    scores = layer.bottoms[0].shape
                    classes = range(int(expected.low), int(expected.high) + 1)
                    if scores is None or len(classes) < 2 or top.records < _FEW:
                        continue
                    counts = {one: top.values.get(float(one), 0) for one in classes}
                    place = feed.net.layers[layer.index].at("bottom", reader.bottom)
                    absent = [one for one, count in counts.items() if not count]
                    most = max(counts, key=lambda one: counts[one])
                    rare = [one for one, count in counts.items() if 0 < count * _RARER <= counts[most]]
                    if absent and not data.is_sample and top.records >= 5 * len(classes):
                        are = "es " if len(absent) > 1 else " "
                        what = f"class{are}{_listed(absent)} {'do' if len(absent) > 1 else 'does'} not occur in"
                        what += f" {path(feed)}, so {'they are' if len(absent) > 1 else 'it is'} never learned"
                        remedy = _ADD
                        if other_numbers := _shifted(data, feed, key, top):
                            what, remedy = other_numbers, "number the classes of both alike"
                        elif tested := _tested(data, feed, key, absent):
                            what += f", but {tested}"
                            remedy = f"train on records of {_those(absent)} as well"
                        elif other := _fits(layer, len(classes) - len(absent), absent):
                            remedy = f'let it read "{other.tops[0].name}" of {title(other)}, which has'
                            remedy += f" {len(classes) - len(absent)} outputs and no loss"
                        # Many number their classes from 1, and leave 0 to the background, or have scores to spare.
                        is_end = absent in ([0], [*classes][-len(absent) :]) and 2 * len(absent) <= len(classes)
                        are_spare = is_end and remedy == _ADD
                        # What TEST does not ask for either is left for later.
                        is_agreed = remedy == _ADD and _is_agreed(data, feed, key, absent)
                        severity = INFO if are_spare or is_agreed else WARNING
                        what = f"{title(layer)}: {what}"
                        yield self.finding(
                            place,
                            f"{what}; {remedy}",
                            severity=severity,
                            phases=feed.phases,
                            cause=Cause("labels", what, remedy),
                        )
                    if rare:
                        least = min(rare, key=lambda one: counts[one])
                        times = "once" if counts[least] == 1 else f"{counts[least]:,} times"
                        others = f" (and {len(rare) - 1} more classes are as rare)" if len(rare) > 1 else ""
                        yield self.finding(
                            place,
                            f"{title(layer)}: class {least} occurs {times} in {path(feed)}{others}, but class {most}"
                            f" occurs {counts[most]:,} times; repeat the rare records, or weigh the loss with"
                            " InfogainLoss",
                            phases=feed.phases,
                        )

    def _pairs(self, feed: Feed, reader: Reader, top: Top) -> Iterator[Finding]:
        """Pairs of records, of which nearly all are to be alike, or to differ."""
        counts = {one: (top.values or {}).get(float(one), 0) for one in (0, 1)}
        few, many = sorted(counts, key=counts.__getitem__)
        if reader.layer.index is None or sum(counts.values()) < top.records or counts[few] * _RARER > counts[many]:
            return
        ends = "far apart" if many == 0 else "in one place"
        yield self.finding(
            feed.net.layers[reader.layer.index].at("bottom", reader.bottom),
            f"{title(reader.layer)}: {counts[many]:,} of the {top.records:,} pairs in {path(feed)} are labelled {many}"
            f" ({_ALIKE[many]}), so to put all records {ends} costs hardly anything; add pairs labelled {few}"
            f" ({_ALIKE[few]})",
            phases=feed.phases,
        )


def _tested(data: DataEvidence, feed: Feed, key: str, absent: list[int]) -> str:
    """Which source of the same net holds records of these classes for TEST; "" for none."""
    for other, facts in data.read:
        values = facts.tops[key].values if key in facts.tops else None
        count = sum((values or {}).get(float(one), 0) for one in absent)
        if count and other.net is feed.net and TRAIN not in other.phases and other.source != feed.source:
            return f"{counted(count)} of {path(other)} {'is' if count == 1 else 'are'} of {_those(absent)}"
    return ""


def _is_agreed(data: DataEvidence, feed: Feed, key: str, absent: list[int]) -> bool:
    """Do the sources for TEST of the same net leave out these classes as well?"""
    tested = [
        facts.tops[key].values or {}
        for other, facts in data.read
        if other.net is feed.net and TRAIN not in other.phases and other.source != feed.source and key in facts.tops
    ]
    return any(tested) and not any(float(one) in values for values in tested for one in absent)


def _shifted(data: DataEvidence, feed: Feed, key: str, top: Top) -> str:
    """Has a source for TEST of the same net all labels of TRAIN, each one too high or too low? "" if not."""
    mine = sorted(top.values or {})
    for other, facts in data.read:
        if key not in facts.tops or other.net is not feed.net or TRAIN in other.phases or len(mine) < _LABELS:
            continue
        theirs = sorted(facts.tops[key].values or {})
        for shift in (1, -1):
            if theirs == [one + shift for one in mine]:
                high = "high" if shift > 0 else "low"
                text = f"the labels of {path(other)}, {extent(theirs)}, may each be 1 too {high}:"
                return f"{text} those of {path(feed)} are {extent(mine)}"
    return ""


def _those(absent: list[int]) -> str:
    return "them" if len(absent) > 1 else "that class"


def _fits(loss: BuiltLayer, present: int, absent: list[int]) -> BuiltLayer | None:
    """A layer after that which makes the scores, with an output for each of the classes up to the first that is absent,
    and with no loss."""
    maker = loss.bottoms[0].maker
    if absent[0] != present or maker is None:
        return None
    pending = [layer for layer, _ in maker.tops[0].readers]
    for layer in pending:
        if len(pending) > _MANY:
            break
        if layer.has_weights and layer.has_setting("num_output") and layer.parameters.num_output == present:
            read = any(reader.is_loss or reader.has_weights for reader, _ in layer.tops[0].readers)
            return None if read else layer
        if len(layer.bottoms) == 1 and not layer.has_weights:
            pending += [reader for top in layer.tops for reader, _ in top.readers]
    return None


def _listed(classes: list[int]) -> str:
    """`1`, `1 and 3`, `10 to 19`."""
    if len(classes) > 2 and classes[-1] - classes[0] == len(classes) - 1:
        return f"{classes[0]} to {classes[-1]}"
    shown = [whole(one) for one in classes[:_SHOWN]]
    left = len(classes) - len(shown)
    if left:
        return f"{', '.join(shown)} and {left} more"
    *some, last = shown
    return f"{', '.join(some)} and {last}" if some else last
