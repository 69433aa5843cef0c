from __future__ import annotations

from collections.abc import Iterator, Mapping

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Feed, Reader, Top
from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid, Place, other_classes, title

from ._example import NET, PAIRED, SOUND, project, records
from ._words import counted, extent, number, path, whole

_SHOWN = 4
_MASKS = PAIRED.replace("SoftmaxWithLoss", "SigmoidCrossEntropyLoss").replace("num_output: 2", "num_output: 1")
_UNLABELLED = _BYTE = 255


class LabelOutsideClasses(DatasetRule):
    """Labels of a source are below 0, or not below the number of classes that a layer has scores for.

    ## Why is this bad?
    Caffe does not check labels in release builds: the loss reads outside the scores. The result is a loss of 87.3365,
    nan, a crash, or training that goes on and learns nonsense. Labels count from 0.

    ## References
    - softmax_loss_layer.cpp, Forward_cpu: only a DCHECK; BVLC/caffe issues 2143 and 4670
    """

    code = "E101"
    name = "label-outside-classes"
    severity = ERROR
    VALID = [
        SOUND,
        project(records(0, 1, 2, 255), NET.replace('top: "loss"', 'top: "loss" loss_param { ignore_label: 255 }')),
        # What the loss reads is not what the source holds.
        project(
            records(0, 1, 2),
            NET.replace("data_param", "transform_param { scale: 0.0039 } data_param")
            .replace("SoftmaxWithLoss", "SigmoidCrossEntropyLoss")
            .replace('bottom: "label"', 'bottom: "data"'),
        ),
    ]
    INVALID = [
        Invalid(
            project(records(0, 1, 2, 3, 3)),
            span="num_output: 3",
            message='SoftmaxWithLoss "loss": 2 labels of "train_lmdb" are outside its classes 0 to 2: 3 (2 times,'
            ' first in "00003"); set num_output: 4 if all of them are classes',
        ),
        Invalid(
            project(records(1, 2, 3)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": 1 label of "train_lmdb" is outside its classes 0 to 2: 3 (once, in'
            ' "00002"); the labels count from 1; subtract 1 from each, or set num_output: 4',
        ),
        Invalid(
            project(records(0, 1, 255)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": 1 label of "train_lmdb" is outside its classes 0 to 2: 255 (once, in'
            ' "00002"); 255 often marks what is to be ignored; set loss_param { ignore_label: 255 }',
        ),
        Invalid(
            project(records(0, 255), NET.replace("num_output: 3", "num_output: 2")),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": 1 label of "train_lmdb" is outside its classes 0 to 1: 255 (once, in'
            ' "00001"); every label is 0 or 255; divide them by 255, as classes count 0, 1',
        ),
        Invalid(
            project(records(48, 49, 50)),
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": 3 labels of "train_lmdb" are outside its classes 0 to 2: 48 (once, in'
            ' "00000"), 49 (once, in "00001"), 50 (once, in "00002"); the labels count from 48, the code of the'
            " character 0; subtract 48 from each",
        ),
        Invalid(
            {
                "net.prototxt": _MASKS,
                "train_lmdb": records(0, 0),
                "masks": records(0, 0, image="1x2x2 0 255 0 0"),
            },
            span='bottom: "label"',
            message='SigmoidCrossEntropyLoss "loss": labels of "masks" are outside what it takes, 0 to 1: 255; set'
            ' transform_param { scale: 0.00392157 } in Data "label"',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                for reader in feed.readers(key):
                    yield from self._reader(feed, reader, top)

    def _reader(self, feed: Feed, reader: Reader, top: Top) -> Iterator[Finding]:
        layer, expected = reader.layer, reader.expected
        if not expected.whole or layer.index is None or layer.bottoms[0].shape is None:
            return
        low, high = expected.low, expected.high
        ignored = {float(one) for one in (expected.ignored, layer.ignored_label) if one is not None}
        values = top.values if top.values is not None else {end: 0 for end in (top.low, top.high) if end is not None}
        wrong = {value: count for value, count in values.items() if not low <= value <= high and value not in ignored}
        if not wrong:
            return
        count = sum(wrong.values())
        are = "is" if count == 1 else "are"
        labels = counted(count, "label") if count else "labels"
        what = f"{title(layer)}: {labels} of {path(feed)} {are} outside its classes {extent((low, high))}"
        if not layer.reads_classes(reader.bottom):
            what = what.replace("its classes", "what it takes,")
        what += f": {_listed(wrong, top)}"
        remedy, place = _remedy(feed, reader, top, wrong)
        message = f"{what}; {remedy}" if remedy else what
        severity = ERROR if layer.reads_classes(reader.bottom) or expected.boxes or layer.type == "Embed" else WARNING
        yield self.finding(
            place,
            message,
            severity=severity,
            phases=feed.phases,
            cause=Cause("labels", what, remedy, LIKELY if remedy else "certain"),
        )


def _listed(wrong: Mapping[float, int], top: Top) -> str:
    shown = []
    for value in sorted(wrong)[:_SHOWN]:
        times = "once" if wrong[value] == 1 else f"{wrong[value]:,} times"
        where = f'{"" if wrong[value] == 1 else "first "}in "{top.first_of[value]}"' if value in top.first_of else ""
        about = ", ".join(part for part in (times if wrong[value] else "", where) if part)
        shown.append(f"{whole(value)} ({about})" if about else whole(value))
    left = len(wrong) - len(shown)
    return ", ".join(shown) + (f" and {left} more, up to {number(max(wrong))}" if left else "")


def _remedy(feed: Feed, reader: Reader, top: Top, wrong: Mapping[float, int]) -> tuple[str, Place]:
    """What to do, and the place of it."""
    layer = reader.layer
    assert layer.index is not None
    written = feed.net.layers[layer.index]
    here = written.at("bottom", reader.bottom)
    if not layer.reads_classes(reader.bottom):
        if (top.low, top.high, reader.expected.high) == (0, _BYTE, 1):
            is_image = layer.bottoms[reader.bottom].original.name == feed.made.tops[0].name and feed.made.transforms
            scaled = f"set transform_param {{ scale: {1 / _BYTE:.6g} }} in {title(feed.layer)}"
            return scaled if is_image else "divide them by 255", here
        quantities = not top.is_whole and layer.type == "SigmoidCrossEntropyLoss"
        return "if they are quantities, use a EuclideanLoss" if quantities else "", here
    among = int(reader.expected.high) + 1
    if top.low is not None and top.high is not None:
        two = top.values is not None and set(top.values) <= {top.low, top.high}
        if remedy := other_classes(top.low, top.high, among, two):
            return remedy, here
    if set(wrong) == {_UNLABELLED} and layer.type == "SoftmaxWithLoss":
        return "255 often marks what is to be ignored; set loss_param { ignore_label: 255 }", here
    if min(wrong) < 0 and set(wrong) == {-1.0} and layer.type == "SoftmaxWithLoss":
        return "-1 often marks what is to be ignored; set loss_param { ignore_label: -1 }", here
    if min(wrong) >= 0 and top.is_whole and max(wrong) < 2 * among + 1000:
        maker = layer.bottoms[0].maker_beyond(lambda above: not above.has_weights and len(above.bottoms) == 1)
        if maker is not None and maker.index is not None and maker.shaped_by:
            place = feed.net.layers[maker.index].at(maker.block, "num_output")
            return f"set num_output: {int(max(wrong)) + 1} if all of them are classes", place
    return "", here
