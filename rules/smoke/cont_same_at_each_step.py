from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import BLOB, DATA, Run, SmokeRule, Statistics

from ._example import CALM, losses, project

_NET = """layer { name: "in" type: "DummyData" top: "x" top: "cont" dummy_data_param { shape { dim: 5 dim: 4 dim: 3 }
  shape { dim: 5 dim: 4 } } }
layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "lstm" recurrent_param { num_output: 4 } }
"""


def _cont(iteration: int, low: float, same: bool) -> Statistics:
    return Statistics(iteration, "in", BLOB, "cont", DATA, low, 1, 0.75, 0.43, 0.25, same=same)


class ContSameAtEachStep(SmokeRule):
    """The second bottom of a recurrent layer, usually `cont`, is 0 for some items at every step, and for others never.

    ## Why is this bad?
    It is 0 where a sequence begins, and 1 where one goes on, in the order steps x items. Where it is the same at all
    steps, some items forget at each step, and the others never begin: mostly the data was written items x steps, and
    the layer runs across the items.

    ## Known problems
    Synthetic data is not judged. Nor is a `cont` of a single item, or one that is the same for all.

    ## References
    - recurrent_layer.hpp: inputs are T x N x ..., cont is T x N
    """

    code = "X128"
    name = "cont-same-at-each-step"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _cont(-1, 0, False), _cont(5, 0, True), net=_NET),
        project(*losses(*CALM), _cont(-1, 1, True), _cont(5, 1, True), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _cont(-1, 0, True), _cont(5, 0, True), net=_NET),
            span='bottom: "cont"',
            message='LSTM "lstm": "cont" is the same at all of its 5 steps, 0 for some of the 4 items and 1 for others,'
            " so some begin anew at each step; write data and cont as steps x items, perhaps they are the other way"
            " round",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic:
            return
        for layer in run.built[0].layers:
            shape = layer.bottoms[1].shape if layer.is_recurrent and len(layer.bottoms) > 1 else None
            if not shape or len(shape) < 2 or min(shape[:2]) < 2:
                continue
            name = layer.bottoms[1].original.name
            seen = run.values_of(name)
            if not seen or not all(one.same and (one.min, one.max) == (0, 1) for one in seen):
                continue
            what = f'{title(layer)}: "{name}" is the same at all of its {shape[0]} steps, 0 for some of the {shape[1]}'
            what += " items and 1 for others"
            why = "some begin anew at each step; write data and cont as steps x items, perhaps they are the other way"
            why += " round"
            place = run.place(layer.name, 0, "bottom", 1)
            yield self.finding(place, f"{what}, so {why}", cause=Cause("data", what, why))
