from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, INFO, LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import (
    CHANCE,
    SURE,
    BuiltLayer,
    Neighbours,
    Run,
    SmokeRule,
    Tested,
    constant_of,
    cure,
    falls,
    lost,
    recalled,
    same_scores,
    staying,
)

from ._evidence import worded
from ._example import NET, losses, project
from ._numbers import number

_PLAIN = NET.replace('bottom: "log" bottom: "label"', 'bottom: "fc" bottom: "label"')
_FED = _PLAIN.replace('type: "DummyData"', 'type: "Python" python_param { module: "feeder" layer: "Feeder" }').replace(
    "dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }", "}"
)
_FLAT = (2.302585, 2.31, 2.29, 2.3, 2.305, 2.31)
_AT_CHANCE = Neighbours("label", 600, 1, 1, 0.101, 0.1, 0.2)
_FEW = 100.0
"""Pairs of equal labels that chance gives: with fewer, as of a thousand classes, none may be nearest neighbours."""
_LEAST = 200
_AGAIN = 20
_ONE = 0.3  # of the records: records-alike reports as many that are equal
_NEAREST = 5
_ORDINALS = {2: "second", 3: "third"}


class LabelsOfOtherRecords(SmokeRule):
    """Records that are alike have labels no more alike than chance gives, and nothing is learned.

    The nearest neighbours of each of the first records that were read are looked up, and their labels, or targets that
    are numbers, compared. Of data that is read from files in their order, the same is done with the labels of the
    records before and after. Where they do not agree in TRAIN, TEST is looked at, too, and how often equal records have
    other labels.

    ## Why is this bad?
    Labels of other records cannot be learned: the loss stays at what a constant answer gives. It happens where images
    and labels are shuffled or sorted apart, a line is lost in one of two lists, or a header is read as a label.

    ## Known problems
    That neighbours tell nothing proves little of data whose likeness is not that of their values; so it is an info, and
    only where the loss does not fall, or only on records that were read before, and nothing that was tried helped.
    Labels that fit the records before or after them prove it, or that fit in TEST, or that change from time to time.

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
        project(*losses(2.3, 2, 1.6, 1.2, 0.9, 0.7), Tested(1, 3, 2.5, {"loss": 2.5}, False), _AT_CHANCE, net=_PLAIN),
        project(
            *losses(2.4, 2.2, 2.1, 2.0, 1.98, 1.97), Tested(1, 3, 1.9, {"loss": 1.9}, False), _AT_CHANCE, net=_PLAIN
        ),
        project(*losses(*_FLAT), _AT_CHANCE._replace(equal=528, kinds=6, again=567, unlike=458), net=_FED),
    ]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), _AT_CHANCE, net=_PLAIN),
            span="layer",
            message='the loss of SoftmaxWithLoss "loss" does not fall: 2.303 to 2.305: of 600 records, the nearest'
            ' neighbours have the same "label" in 10% of cases, and chance gives 10%, so the labels may be those of'
            " other records or of another quantity, or the data was spoilt",
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
        Invalid(
            project(*losses(*_FLAT), _AT_CHANCE, _AT_CHANCE._replace(shift=32, agree=0.9, beyond=60.0), net=_PLAIN),
            span="layer",
            message='the "label" of each record is that of another: of 600 records, the nearest neighbours have the'
            ' same "label" in 10% of cases, and chance gives 10%; with that of the record 32 before it is 90%',
        ),
        Invalid(
            project(*losses(*_FLAT), _AT_CHANCE, _AT_CHANCE._replace(net=1, agree=0.8, beyond=40.0), net=_PLAIN),
            span="layer",
            message='the "label" of each record is that of another: of 600 records, the nearest neighbours have the'
            ' same "label" in 10% of cases, and chance gives 10%; in TEST it is 80%',
        ),
        Invalid(
            project(*losses(*_FLAT), _AT_CHANCE._replace(equal=4, kinds=4, again=300, unlike=280), net=_FED),
            span="layer",
            message='the "label" of each record is that of another: 300 records that were read are equal to earlier'
            ' ones, and 280 of these have another "label"',
        ),
        Invalid(
            project(*losses(3.1, 2.9, 2.6, 2.4, 2.35, 2.32), _AT_CHANCE, net=_PLAIN),
            span="layer",
            message='the loss of SoftmaxWithLoss "loss" falls only to 2.4; an answer that is always the same gives'
            ' 2.303: of 600 records, the nearest neighbours have the same "label" in 10% of cases, and chance gives'
            " 10%, so the labels may be those of other records or of another quantity, or the data was spoilt",
        ),
        Invalid(
            project(
                *losses(2.4, 2.2, 2.1, 2.0, 1.98, 1.97), Tested(1, 3, 2.5, {"loss": 2.5}, False), _AT_CHANCE, net=_PLAIN
            ),
            span="layer",
            message='the loss of SoftmaxWithLoss "loss" is 2 on records that were read before, but 2.5 in TEST; an'
            " answer that is always the same gives 2.303: of 600 records, the nearest neighbours have the same"
            ' "label" in 10% of cases, and chance gives 10%, so the labels may be those of other records or of'
            " another quantity, or the data was spoilt",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic:
            return
        every = list(run.all(Neighbours))
        for one in every:
            found = _stays(run, one.name) if not one.shift and not one.net and one.beyond < CHANCE else None
            if found is None or one.equal > _ONE * one.records or lost(run) or same_scores(run):
                continue
            layer, stays = found
            maker = layer.bottoms[1].maker
            place = run.place(layer.name)
            if maker is not None:
                source = (maker.block, "source") if maker.has_setting("source") else ()
                place = run.place(maker.name, 0, *source)
            what, why, remedy = f'the "{one.name}" of each record is that of another', _agree(one), ""
            shifted = next((other for other in every if other.name == one.name and other.shift), None)
            tested = next((other for other in every if other.name == one.name and other.net), None)
            enough = one.records >= _LEAST and (not one.labels or _likely(one) > _FEW)
            if shifted is not None and shifted.beyond > SURE:
                why += f"; with that of the {_of(shifted.shift)} it is {_likeness(shifted)}"
                remedy = "look for a line that is missing or too many where data and labels were joined"
                if abs(shifted.shift) > max(_ORDINALS):
                    remedy = "that is a batch: take data and labels of the same one"
            elif maker is not None and _drawn_apart(one) and (remedy := _in_step(layer, maker)):
                why = f"{one.again} records that were read are equal to earlier ones, and {one.unlike} of these have"
                why += f' another "{one.name}"'
            elif enough and tested is not None and tested.beyond > SURE and not _changes_at_random(layer):
                why += f"; in TEST it is {_likeness(tested)}"
                remedy = f'write the data and the "{one.name}" of TRAIN again, in the same order'
            if remedy:
                yield worded(self, place, Cause("labels", what, why), remedy, certainty=CERTAIN)
            elif enough and cure(run) is None and not run.known(rules=("mirrored-sides",)):
                why += ", so the labels may be those of other records or of another quantity, or the data was spoilt"
                remedy = "look at a few records as the net reads them, with their labels"
                yield worded(self, place, Cause("labels", stays, why, LIKELY), remedy, severity=INFO)


def _stays(run: Run, target: str) -> tuple[BuiltLayer, str] | None:
    """The loss that compares with a blob and shows nothing learned, and this in words."""
    if (found := staying(run, target)) is not None:
        layer, first, last = found
        if not falls(first, last):
            return layer, f"the loss of {title(layer)} does not fall: {number(first)} to {number(last)}"
        what = f"the loss of {title(layer)} falls only to {number(last)}; an answer that is always the same gives"
        return layer, f"{what} {number(constant_of(run, layer))}"
    if (again := recalled(run, target)) is not None:
        layer, last, tested = again
        what = f"the loss of {title(layer)} is {number(last)} on records that were read before, but {number(tested)} in"
        return layer, f"{what} TEST; an answer that is always the same gives {number(constant_of(run, layer))}"
    return None


def _drawn_apart(one: Neighbours) -> bool:
    """Do equal records have other targets as often as by chance? Those that are all blank may."""
    again = one.again - (one.equal - 1)
    return again >= _AGAIN and one.unlike > (1 - max(one.chance, 0)) / 2 * one.again


def _changes_at_random(loss: BuiltLayer) -> bool:
    """May the data be cut or mirrored in TRAIN alone, so that neighbours tell less there?"""
    makers = [layer for layer in loss.bottoms[0].depends_on if not layer.bottoms]
    transforms = [layer.message.transform_param for layer in makers if layer.transforms]
    return any(one.mirror or one.crop_size for one in transforms) or any(one.type == "Python" for one in makers)


def _in_step(loss: BuiltLayer, maker: BuiltLayer) -> str:
    """What to do about data and targets that come apart; "" where one source holds both: it may be so by its nature."""
    makers = [layer for layer in loss.bottoms[0].depends_on if not layer.bottoms]
    if makers == [maker] and maker.type == "Python":
        param = maker.message.python_param
        return f"take both with the same index in {param.module}.{param.layer}"
    if not makers or maker in makers:
        return ""
    return f"let {title(makers[0])} and {title(maker)} read as many records, in the same order"


def _agree(one: Neighbours) -> str:
    of = f"of {one.records} records, the nearest neighbours"
    if not one.labels:
        return f'{of} have a "{one.name}" that correlates by {one.agree:.2f}, and chance gives 0'
    return f'{of} have the same "{one.name}" in {_share(one.agree)} of cases, and chance gives {_share(one.chance)}'


def _likely(one: Neighbours) -> float:
    """How many pairs of neighbours have the same label by chance."""
    return one.chance * one.records * _NEAREST


def _likeness(one: Neighbours) -> str:
    return _share(one.agree) if one.labels else f"{one.agree:.2f}"


def _share(share: float) -> str:
    return f"{100 * share:.0f}%"


def _of(shift: int) -> str:
    if abs(shift) == 1:
        return "record before" if shift > 0 else "next record"
    way = "before" if shift > 0 else "after"
    nth = _ORDINALS.get(abs(shift))
    return f"{nth} record {way}" if nth else f"record {abs(shift)} {way}"
