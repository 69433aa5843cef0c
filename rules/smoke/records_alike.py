from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import BuiltLayer, Neighbours, Run, SmokeRule, fell, staying

from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._numbers import number
from ._zeros import made_whole

_FLAT = (2.302585, 2.31, 2.29, 2.3, 2.305, 2.31)
_MOST = 0.3
_FEW, _UNLIKE = 0.05, 0.25
"""Of the records that were read, how many are different; of those that came again, how many had another label."""
_FED = NET.replace('type: "DummyData"', 'type: "Python" python_param { module: "m" layer: "Feed" }').replace(
    "dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }", "}"
)


class RecordsAlike(SmokeRule):
    """Many records are equal in all values, and have different labels; nothing is learned.

    ## Why is this bad?
    What is equal cannot be told apart: the net learns how often each label occurs. The data was lost on its way, as by
    a division of whole numbers, a conversion to bytes, a crop of the margin alone, or a file that could not be read.

    ## References
    - Run on Caffe 1.0 with pictures divided by `// 255`
    """

    code = "X127"
    name = "records-alike"
    severity = WARNING
    VALID = [
        project(*losses(*_FLAT), Neighbours("label", 600, 9, 1, 0.7, 0.1, 40)),
        project(*losses(*CALM), Neighbours("label", 600, 504, 4, 0.7, 0.1, 40)),
        # A small data set, read again and again.
        project(*losses(*_FLAT), Neighbours("label", 600, 30, 1, 0.7, 0.1, 40, again=580, unlike=0)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), Neighbours("label", 600, 150, 4, 0.7, 0.1, 40, again=594, unlike=275)),
            span="layer",
            message='the 600 records that were read hold only 6 different ones of "data", and 275 of those that came'
            ' again had another "label", so no net can tell them apart',
        ),
        Invalid(
            project(*losses(*_FLAT), Neighbours("label", 600, 504, 4, 0.7, 0.1, 40)),
            span="layer",
            message='504 of the 600 records that were read are equal in all values of "data", and have 4 different'
            ' values of "label", so no net can tell them apart',
        ),
        Invalid(
            project(*losses(*_FLAT), Neighbours("label", 600, 528, 6, 0.7, 0.1, 40, blank=0.0), net=_FED),
            span="layer",
            message='528 of the 600 records that were read are equal in all values of "data", all 0, and have 6'
            ' different values of "label", so no net can tell them apart',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        told = run.synthetic or run.known(rules=("lost-in-float32",))
        for one in () if told else run.all(Neighbours):
            if (few := self._few(run, one)) is not None:
                yield few
                return
            stays = staying(run, one.name) if one.equal > _MOST * one.records and one.kinds > 1 else None
            if stays is None or one.shift:
                continue
            layer = stays[0]
            brings = next((maker for maker in layer.bottoms[0].depends_on if not maker.bottoms), layer)
            what = f"{one.equal} of the {one.records} records that were read are equal in all values of"
            what += f' "{brings.tops[0].name}"{_all_of(one.blank)}, and have {one.kinds} different values of'
            what += f' "{one.name}"'
            cause = Cause("data", f"{what}, so no net can tell them apart", "")
            yield worded(self, run.place(brings.name), cause, _remedy(run, brings, one.blank))
            return

    def _few(self, run: Run, one: Neighbours) -> Finding | None:
        """So few different records that most labels go with a record of another label."""
        kinds = one.records - one.again
        if one.shift or one.net or kinds > _FEW * one.records or not one.unlike > _UNLIKE * one.again:
            return None
        found = (layer for layer in run.loss_layers if len(layer.bottoms) > 1)
        layer = next((layer for layer in found if layer.bottoms[1].original.name == one.name), None)
        if layer is None or not run.iterations or fell(run):
            return None
        brings = next((maker for maker in layer.bottoms[0].depends_on if not maker.bottoms), layer)
        what = (
            f'the {one.records} records that were read hold only {kinds} different ones of "{brings.tops[0].name}", and'
        )
        what += f' {one.unlike} of those that came again had another "{one.name}", so no net can tell them apart'
        remedy = "look at a few records as the net reads them, and at what rounds or cuts them"
        remedy = ": ".join(part for part in (remedy, made_whole(run, brings)) if part)
        return worded(self, run.place(brings.name), Cause("data", what, ""), remedy)


def _all_of(value: float) -> str:
    return f", all {number(value)}" if not math.isnan(value) else ""


def _remedy(run: Run, brings: BuiltLayer, blank: float) -> str:
    """Where to look; values from 0 to 1 are 0 as whole numbers, all but 1 itself."""
    look = "look at a few records as the net reads them, and at what makes them"
    whole = made_whole(run, brings) if not blank else ""
    return f"{look}: {whole}" if whole else look
