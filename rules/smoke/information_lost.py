from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Run, SmokeRule, Told, cure, is_zero, lost, weights

from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._lost import reason, what_tells

_FLAT = (2.302585, 2.31, 2.29, 2.3, 2.305, 2.31)
_BY_DATA = Told("label", "data", 0, 400, 0.96, 0.1, 60.0)
_BY_FC = Told("label", "fc", 0, 400, 0.84, 0.1, 40.0, True)
_NONE = Told("label", "log", 0, 400, 0.11, 0.1, 0.4)
_TOLD = [_BY_DATA, _BY_FC, _BY_FC._replace(layer="relu"), _NONE]


def _with(layer: str) -> str:
    return NET.replace('type: "Log"', layer)


_ALONG = "kernel-along-single-pixel"
"""What makes all layers after it lose what is spread along the other axis."""


class InformationLost(SmokeRule):
    """Up to a layer the labels can be told from what the net makes of its data, and after it no longer.

    Where a loss shows nothing learned, the weights are set back to what they start as, and some hundred records go
    through the net. Of each blob on the way from the data to the loss it is asked how well it tells the labels, or
    targets that are numbers, of records that are left out: by the nearest other records, and by a linear fit.

    ## Why is this bad?
    What a layer has lost, no later one brings back: whatever rate and iterations, the net learns how often each label
    occurs, or its records by heart. MVN takes away the level and the size of each item, a Reshape may mix the items of
    a batch, a Slice or Crop may leave out what matters, a Python layer may put its results in another order.

    ## Known problems
    It is measured with a few hundred records: what a net could learn from very many, or from where neither neighbours
    nor a linear fit tell anything, is not seen. So it is not reported where the loss falls below what a constant answer
    gives, or where anything but the rate helps.

    ## References
    - Run on Caffe 1.0; mvn_layer.cpp, reshape_layer.cpp
    - Alain and Bengio, "Understanding intermediate layers using linear classifier probes", 2016
    """

    code = "X130"
    name = "information-lost"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM[:2], 1.2, 0.8, 0.5, 0.3), *_TOLD),
        project(*losses(*_FLAT), *_TOLD[:3], _NONE._replace(agree=0.8, beyond=40.0)),
        project(*losses(*_FLAT), *_TOLD[:2], _TOLD[2]._replace(agree=0.2, beyond=8.0), _NONE),
    ]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), *_TOLD, net=_with('type: "MVN"')),
            span="layer",
            message='MVN "log" loses what tells "label": from "fc" a linear fit gives 84% of the right "label" of 400'
            ' records, from "log" the nearest other records give 11% of the right "label", and chance gives 10%: it'
            " takes away the level and the size of each item, or each of its channels",
        ),
        Invalid(
            project(
                *losses(*_FLAT),
                *_TOLD[:3],
                _NONE._replace(same=True),
                net=_with('type: "Power" power_param { scale: 0 }'),
            ),
            span="layer",
            message='Power "log" loses what tells "label": from "fc" a linear fit gives 84% of the right "label" of 400'
            ' records, and "log" is the same for all of them',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        found = lost(run)
        if found is None or cure(run) is not None or not run.finite or run.known(rules=(_ALONG,)):
            return
        learning = list(weights(run))
        if found.after.same and learning and all(is_zero(one.gradient) for one in learning):
            return  # other rules know more of that
        what = f'{title(found.layer)} loses what tells "{found.before.name}"'
        why, remedy = reason(run, found)
        why = ": ".join(part for part in (what_tells(found), why) if part)
        cause = Cause("layer", what, why, known=run.known([found.layer.name]))
        place = run.place(found.layer.name)
        yield worded(self, place, cause, remedy, certainty=CERTAIN if found.after.same else None)
