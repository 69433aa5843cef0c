from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import (
    TAIL,
    Crossed,
    Run,
    SmokeRule,
    Targets,
    Tested,
    answers_well,
    begins,
    best_constant,
    chance,
    ends,
    outcome,
    rose,
    sums_more,
)
from caffelint.smoke.rule import losses as losses_of

from ._crossed import unlike_train
from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._numbers import number
from ._own_statistics import taking_own, why_own
from ._unlike import OF_VALUES, asks_alike, shares, transformed_apart, units

_TIMES, _OTHER_DATA = 1.3, 3.0
_FAR_BELOW = 0.5
_NEAR = 0.95
"""Of what an answer gives that is always the same: a TEST loss from there on shows nothing learned."""
_SMALL = 0.1
"""Of the loss at the start: less is no bad test, though that of TRAIN is less yet."""
_OF_DATA = ("classes-unbalanced",)
_SAME = "scale, mean and crop in transform_param, and the kind of source, must be the same in both phases"
_NORMED = NET.replace(
    'type: "Log" bottom: "fc" top: "log"',
    'type: "BatchNorm" bottom: "fc" top: "log" batch_norm_param { use_global_stats: false }',
)
_TESTS = 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed" test_iter: 1 test_interval: 100\n'

_BROUGHT, _REST = NET[: NET.index("layer", 9)], NET[NET.index("layer", 9) :]
_LARGER = (
    _BROUGHT.replace(" dummy", " include { phase: TRAIN } dummy")
    + _BROUGHT.replace(" dummy", " include { phase: TEST } dummy").replace("dim: 8", "dim: 48")
    + _REST.replace(' top: "loss"', ' top: "loss" loss_param { normalization: NONE }')
)
_NUMBERED = Crossed("label", 1, 90, 0.35, 0.34, "numbered", 0.98, [(0, 1), (1, 0), (2, 2)])

_SHIFTED = _NUMBERED._replace(labels=[(1, 0), (2, 1), (3, 2)])
_FALLS = (2.3, 2.3, 2.2, 2.2, 2.1, 2.0, 1.8, 1.6, 1.4, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2)
_CODED = Crossed("label", 1, 400, 0.28, 0.25, "ids", 0.98, [], 0.97)

_SHARES = [Targets("label", 0.06, math.nan, math.nan, 0, (), (0.01, 0.99))]
_SHARES.append(Targets("label", 0.69, math.nan, math.nan, 1, (), (0.5, 0.5)))


class TrainTestDisagree(SmokeRule):
    """The TEST net does much worse with the trained weights than the TRAIN net.

    ## Why is this bad?
    What is tested is not what was trained. A BatchNorm that normalises by the TEST batch itself (use_global_stats:
    false) gives answers that depend on the other images of the batch, and useless ones for a single image. Data that
    is scaled, or has its mean subtracted, in only one phase is different data in the other.

    Where the loss falls far below chance on records that the net reads for the first time, it has not memorised them;
    if the TEST loss is at chance all the same, something tells the label in TRAIN that does not in TEST.

    The nearest records of TRAIN are looked up for those of TEST. Where their labels do not agree, it is tried whether
    they do with the channels in the other order, with the images mirrored, upside down, transposed or as negatives, or
    with the classes numbered otherwise. Where the labels of each can be told by simple means from others of its own,
    and not from one to the other, as of words that two vocabularies number, they are coded differently.

    ## Known problems
    Moving averages need a few hundred iterations, so a BatchNorm that uses them in TEST is not judged here. Nor is a
    net that has memorised its few synthetic images and sees others in TEST.

    ## References
    - batch_norm_layer.cpp, LayerSetUp: use_global_stats is true in TEST unless it is set
    """

    code = "X110"
    name = "train-test-disagree"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), Tested(1, 1, 2.1, {}, True), solver=_TESTS),
        project(*losses(*CALM), Tested(1, 1, 4.1, {}, True), solver=_TESTS),
        project(*losses(*_FALLS), Tested(1, 1, 1.4, {}, False), _CODED, solver=_TESTS),
        # It is the sum over a batch that is six times as large.
        project(*losses(*(8 * one for one in CALM)), Tested(1, 1, 48 * 2.2, {}, True), net=_LARGER, solver=_TESTS),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 4.0, {}, True), net=_NORMED, solver=_TESTS),
            span="use_global_stats: false",
            message='the TEST loss is 4 but the TRAIN loss was 2.1: BatchNorm "log" normalises by the TEST batch'
            " itself; remove use_global_stats",
        ),
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 90.0, {}, True), solver=_TESTS),
            span="layer",
            message="the TEST loss is 90 but the TRAIN loss was 2.31 before training and 2.1 after: the TEST data is"
            " unlike the TRAIN data",
        ),
        Invalid(
            project(*losses(*CALM), *_SHARES, Tested(1, 1, 90.0, {}, True), solver=_TESTS),
            span="layer",
            message="the TEST loss is 90 but the TRAIN loss was 2.31 before training and 2.1 after: 99% of the"
            ' "label" in TRAIN are 1, but 50% in TEST, so the net learns to answer always that; train on more records'
            " of other labels",
        ),
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 4.0, {}, True), _NUMBERED, solver=_TESTS),
            span="layer",
            message='the TEST loss is 4 but the TRAIN loss 2.1: the "label" of TEST is numbered otherwise than in'
            ' TRAIN: 0 is 1 in TRAIN, 1 is 0; of 90 records, the nearest ones of TRAIN have the same "label" in 98% of'
            " cases with that, and in 35% as it is",
        ),
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 4.0, {}, True), _SHIFTED, solver=_TESTS),
            span="layer",
            message='the TEST loss is 4 but the TRAIN loss 2.1: the "label" of TEST is 1 too high: 1 is 0 in TRAIN, 2'
            ' is 1, 3 is 2; of 90 records, the nearest ones of TRAIN have the same "label" in 98% of cases with that,'
            " and in 35% as it is",
        ),
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 4.0, {}, True), _NUMBERED._replace(how="channels"), solver=_TESTS),
            span="layer",
            message="the TEST loss is 4 but the TRAIN loss 2.1: the TEST data is like that of TRAIN with their channels"
            ' in the other order: of 90 records, the nearest ones of TRAIN have the same "label" in 98% of cases with'
            " that, and in 35% as it is",
        ),
        Invalid(
            project(*losses(*_FALLS), Tested(1, 1, 2.4, {}, False), _CODED, solver=_TESTS),
            span="layer",
            message='the TEST loss is 2.4 but the TRAIN loss 1.2: by the values that occur the "label" of 98% of 400'
            " records of TEST can be told from others of TEST, and 97% in TRAIN, but from TRAIN only 28% of those of"
            " TEST, as chance gives 25%: these are numbered otherwise in the two, as words by a vocabulary of each",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        trained = ends(run)
        if not math.isfinite(trained) or not math.isfinite(run.iterations[-1].loss) or rose(run):
            return
        for event in run.all(Tested):
            if not 0 <= event.net < len(run.built) or answers_well(run, event):
                continue
            loss = event.loss / sums_more(run, event.net)
            normed = [layer for layer in run.built[event.net].layers if layer.keeps_statistics]
            own = taking_own(run, event.net)
            if own and loss > max(_TIMES * trained, _SMALL * begins(run)) > 0:
                what = f"the TEST loss is {number(event.loss)} but the TRAIN loss was {number(trained)}"
                why = why_own(run, event.net, own)
                cause = Cause("statistics", what, why, LIKELY, known=run.known([own[0].name]))
                yield worded(self, run.place(own[0].name, event.net, "batch_norm_param", "use_global_stats"), cause)
            elif (crossed := _changed(run, event, loss, trained)) is not None:
                what = f"the TEST loss is {number(event.loss)} but the TRAIN loss {number(trained)}"
                name = next((layer.name for layer in run.built[event.net].layers if not layer.bottoms), "")
                why, remedy = unlike_train(crossed)
                yield worded(self, run.place(name, event.net), Cause("phases", what, why, LIKELY), remedy)
            elif not asks_alike(run, event.net):
                continue
            elif (
                not normed
                and (event.same_batch or not run.synthetic)
                and loss > _OTHER_DATA * max(begins(run), trained, chance(run) or 0) > 0
            ):
                name = next((layer.name for layer in run.built[event.net].layers if not layer.bottoms), "")
                what = f"the TEST loss is {number(event.loss)} but the TRAIN loss was {number(begins(run))} before"
                what += f" training and {number(trained)} after"
                known = run.known([name], (*_OF_DATA, *OF_VALUES))
                absent = (
                    next((one.message for one in known if one.name in _OF_DATA), "")
                    or units(run)
                    or shares(run, event.net)
                )
                why = absent or "the TEST data is unlike the TRAIN data"
                cause = Cause("phases", what, why, LIKELY, known=known)
                notes = [_SAME] if transformed_apart(run, event.net) and not absent else []
                yield worded(self, run.place(name, event.net), cause, *notes)
            elif (
                not normed
                and not run.synthetic
                and (fresh := _fresh(run)) is not None
                and event.loss >= (near := _constant(run, event, fresh[1]))
            ):
                name = next((layer.name for layer in run.built[event.net].layers if not layer.bottoms), "")
                what = f"the TEST loss is {number(event.loss)}, no better than that of an answer that is always the"
                what += f" same, {number(near)}, but the TRAIN loss fell to {number(fresh[0])} on records that were"
                what += " as new to the net"
                apart = transformed_apart(run, event.net)
                told = units(run)
                known = run.known([name]) if not told else ()
                why = told or "what tells the label in TRAIN does not in TEST"
                if not told and not apart and any(layer.transforms for layer in run.built[event.net].layers):
                    why += "; transform_param is the same in both"
                remedy = _SAME if apart else "compare the values and labels of their records"
                cause = Cause("phases", what, why, LIKELY, known=known)
                yield worded(self, run.place(name, event.net), cause, *([] if told else [remedy]))


def _constant(run: Run, event: Tested, trained: float) -> float:
    """The loss in TEST of an answer that is always the same; that in TRAIN where it is not known."""
    near = best_constant(run, event.net)
    trained *= sums_more(run, event.net)
    return trained if math.isnan(near) else near


def _changed(run: Run, event: Tested, loss: float, trained: float) -> Crossed | None:
    """A change with which the records of a TEST net are like those of TRAIN, where it tests worse than it trains."""
    found = next((one for one in run.all(Crossed) if one.net == event.net and one.how), None)
    if found is not None and not math.isnan(found.own):
        # What is not told by simple means, a net may have learned all the same; and one cause is known to the check.
        at_chance = event.loss > _NEAR * _constant(run, event, chance(run) or math.inf)
        return found if at_chance and outcome(run).learns and not units(run) else None
    return found if loss > _TIMES * trained > 0 else None


def _fresh(run: Run) -> tuple[float, float] | None:
    """The loss on records that were read for the first time, and that of the best constant answer, if it is far below.

    None of them can be memorised, so a net that has learned it should do as well on other records of the same kind.
    """
    how, near = outcome(run), best_constant(run)
    near = (chance(run) or math.nan) if math.isnan(near) else near
    if not how.seen or any(one.name == "records-unlike-iterations" for one in run.static):
        return None
    new = losses_of(run)[: int(how.iterations / how.seen) if how.seen > 1 else how.iterations]
    if len(new) < 2 * TAIL:
        return None
    last = max(median(new[-TAIL:]), ends(run))
    return (last, near) if last < _FAR_BELOW * near else None
