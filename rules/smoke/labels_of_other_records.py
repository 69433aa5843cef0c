from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, INFO, LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import CHANCE, SURE, Neighbours, Run, SmokeRule, cure, staying

from ._evidence import worded
from ._example import NET, losses, project
from ._numbers import number

_PLAIN = NET.replace('bottom: "log" bottom: "label"', 'bottom: "fc" bottom: "label"')
_FLAT = (2.302585, 2.31, 2.29, 2.3, 2.305, 2.31)
_AT_CHANCE = Neighbours("label", 600, 1, 1, 0.101, 0.1, 0.2)
_FEW = 100.0
"""Pairs of equal labels that chance gives: with fewer, as of a thousand classes, none may be nearest neighbours."""
_LEAST = 200
_NEAREST = 5
_ORDINALS = {2: "second", 3: "third"}


class LabelsOfOtherRecords(SmokeRule):
    """Records that are alike have labels no more alike than chance gives, and nothing is learned.

    The nearest neighbours of each of the first records that were read are looked up, and their labels, or targets that
    are numbers, compared. Of data that is read from files in their order, the same is done with the labels of the
    records before and after.

    ## Why is this bad?
    Labels of other records cannot be learned: the loss stays at what a constant answer gives. It happens where images
    and labels are shuffled or sorted apart, a line is lost in one of two lists, or a header is read as a label.

    ## Known problems
    That neighbours tell nothing proves little of data whose likeness is not that of their values; so it is an info, and
    only where the loss does not fall, and nothing that was tried helped. Labels that fit the data of the records before
    or after them prove it.

    ## References
    - Run on Caffe 1.0. In the data of some 35 projects whose labels belong to their records (digits, textures, tables,
      sentences, waves, pairs, masks), neighbours agree by at least 8.9 deviations more than by chance
    """

    code = "X126"
    name = "labels-of-other-records"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*_FLAT), Neighbours("label", 600, 1, 1, 0.7, 0.1, 40), net=_PLAIN),
        project(*losses(2.3, 2, 1.6, 1.2, 0.9, 0.7), _AT_CHANCE, net=_PLAIN),
    ]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), _AT_CHANCE, net=_PLAIN),
            span="layer",
            message='the loss of SoftmaxWithLoss "loss" does not fall: 2.303 to 2.305: of 600 records, the nearest'
            ' neighbours have the same "label" in 10% of cases, and chance gives 10%, so the labels may be those of'
            " other records, or the data was spoilt on its way",
        ),
        Invalid(
            project(
                *losses(*_FLAT),
                _AT_CHANCE,
                Neighbours("label", 600, 1, 1, 0.9, 0.1, 60, -1),
                net=_PLAIN,
            ),
            span="layer",
            message='the "label" of each record is that of another: of 600 records, the nearest neighbours have the'
            ' same "label" in 10% of cases, and chance gives 10%; with that of the next record it is 90%',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic:
            return
        every = list(run.all(Neighbours))
        for one in every:
            stays = staying(run, one.name) if not one.shift and one.beyond < CHANCE else None
            if stays is None:
                continue
            layer, first, last = stays
            maker = layer.bottoms[1].maker
            place = run.place(layer.name)
            if maker is not None:
                source = (maker.block, "source") if maker.has_setting("source") else ()
                place = run.place(maker.name, 0, *source)
            shifted = next((other for other in every if other.name == one.name and other.shift), None)
            why = _agree(one)
            if shifted is not None and shifted.beyond > SURE:
                what = f'the "{one.name}" of each record is that of another'
                why += f"; with that of the {_of(shifted.shift)} it is "
                why += _share(shifted.agree) if one.labels else f"{shifted.agree:.2f}"
                remedy = "look for a line that is missing or too many where data and labels were joined"
                yield worded(self, place, Cause("labels", what, why), remedy, certainty=CERTAIN)
            elif one.records >= _LEAST and (not one.labels or _likely(one) > _FEW) and cure(run) is None:
                what = f"the loss of {title(layer)} does not fall: {number(first)} to {number(last)}"
                why += ", so the labels may be those of other records, or the data was spoilt on its way"
                remedy = "look at a few records as the net reads them, with their labels"
                yield worded(self, place, Cause("labels", what, why, LIKELY), remedy, severity=INFO)


def _agree(one: Neighbours) -> str:
    of = f"of {one.records} records, the nearest neighbours"
    if not one.labels:
        return f'{of} have a "{one.name}" that correlates by {one.agree:.2f}, and chance gives 0'
    return f'{of} have the same "{one.name}" in {_share(one.agree)} of cases, and chance gives {_share(one.chance)}'


def _likely(one: Neighbours) -> float:
    """How many pairs of neighbours have the same label by chance."""
    return one.chance * one.records * _NEAREST


def _share(share: float) -> str:
    return f"{100 * share:.0f}%"


def _of(shift: int) -> str:
    if abs(shift) == 1:
        return "record before" if shift > 0 else "next record"
    return f"{_ORDINALS[abs(shift)]} record {'before' if shift > 0 else 'after'}"
