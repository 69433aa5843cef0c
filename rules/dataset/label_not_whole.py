from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import LABEL, NO_LABEL, PART_LABEL, DataEvidence, DatasetRule
from caffelint.lint import WARNING, Cause, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import counted, first, number, once, path, share, source_place

_EMBED = (
    NET.replace("InnerProduct", "Embed")
    .replace('name: "fc"', 'name: "words"')
    .replace('bottom: "data"', 'bottom: "label"')
    .replace("inner_product_param { num_output: 3", "embed_param { input_dim: 9 num_output: 3")
    .replace(
        'name: "loss"\n  type: "SoftmaxWithLoss"\n  bottom: "fc"\n  bottom: "label"',
        'name: "sum"\n  type: "Reduction"\n  bottom: "fc"',
    )
)


class LabelNotWhole(DatasetRule):
    """Labels of classes, or indices of an Embed, have a fraction, or a line of a list has no label.

    ## Why is this bad?
    Caffe drops the fraction, and a label that is no number is class 0, so records are trained as another class. A loss
    that takes real numbers, such as EuclideanLoss, gets none either from a list of images, whose labels are whole.

    ## References
    - image_data_layer.cpp, DataLayerSetUp: atoi of what follows the last blank; softmax_loss_layer.cpp, Forward_cpu
    """

    code = "E102"
    name = "label-not-whole"
    severity = WARNING
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1, 0.5, 2)),
            span='source: "train_lmdb"',
            message='SoftmaxWithLoss "loss": labels of "train_lmdb" are not whole numbers, such as 0.5, and their'
            " fraction is dropped; store the number of the class",
        ),
        Invalid(
            project(records(0, 0.3, 0.7), _EMBED),
            span='source: "train_lmdb"',
            message='Embed "words": indices of "train_lmdb" are not whole numbers, such as 0.3, and their fraction is'
            " dropped; store whole numbers",
        ),
        Invalid(
            project(records(0, 1, 2) + "\nlabel 0; fault no label", NET),
            span='source: "train_lmdb"',
            message='Data "data": 1 of 4 records of "train_lmdb" has no number as label (first "00003"), which Caffe'
            " reads as class 0; write the number of the class after the last blank",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                readers = [one for one in feed.readers(key) if one.layer.cuts_fractions(one.bottom)]
                if readers and not top.is_whole:
                    odd = next((value for value in top.values or () if value != int(value)), None)
                    like = f", such as {number(odd)}," if odd is not None else ""
                    classes = readers[0].layer.reads_classes(readers[0].bottom)
                    what = f"{title(readers[0].layer)}: {'labels' if classes else 'indices'} of {path(feed)} are not"
                    what += f" whole numbers{like} and their fraction is dropped"
                    remedy = "store the number of the class" if classes else "store whole numbers"
                    yield self.finding(
                        feed.layer.at(*source_place(feed)),
                        f"{what}; {remedy}",
                        phases=feed.phases,
                        cause=Cause("labels", what, remedy),
                    )
        for feed, facts in once(data):
            for kind, how, remedy in (
                (
                    NO_LABEL,
                    "no number as label ({first}), which Caffe reads as class 0",
                    "write the number of the class after the last blank",
                ),
                (
                    PART_LABEL,
                    "a label with a fraction ({first}), which Caffe drops",
                    "write whole numbers, or use HDF5Data",
                ),
            ):
                fault = facts.faults.get(kind)
                blob = feed.top_of(LABEL)
                if fault is not None and blob is not None and any(layer.tops for layer, _ in blob.readers):
                    has = "has" if fault.count == 1 else "have"
                    what = f"{title(feed.layer)}: {share(fault.count, facts)} of {path(feed)} {has}"
                    what += f" {how.format(first=first(fault))}"
                    yield self.finding(
                        feed.layer.at(*source_place(feed)),
                        f"{what}; {remedy}",
                        phases=feed.phases,
                        evidence=counted(fault.count, "line") if fault.count > 1 else "",
                        cause=Cause("labels", what, remedy),
                    )
