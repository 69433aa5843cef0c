from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import BLOB, DATA, Run, SmokeRule, Statistics

from ._example import CALM, losses, project

_NET = (
    'layer { name: "data" type: "DummyData" top: "x" top: "cont" top: "label"\n'
    "  dummy_data_param { shape { dim: 5 dim: 2 dim: 4 } shape { dim: 5 dim: 2 } shape { dim: 5 dim: 2 } } }\n"
    'layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "lstm" recurrent_param { num_output: 6 } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "lstm" bottom: "label" top: "loss"'
    " softmax_param { axis: 2 } }\n"
)


def _cont(iteration: int, high: float) -> Statistics:
    return Statistics(iteration, "data", BLOB, "cont", DATA, 0, high, high / 2, high / 2, 1 - high / 2)


class ContAlwaysZero(SmokeRule):
    """The second bottom of a recurrent layer, usually `cont`, is 0 at every step.

    ## Why is this bad?
    It is 0 where a sequence begins, and 1 where one goes on. At each 0, the layer forgets all earlier steps. If it is 0
    everywhere, every step is a sequence of its own: the weights between steps get no gradient, and the net cannot
    learn anything that depends on order.

    ## Known problems
    Layers with a single step, and synthetic data, are not judged.

    ## References
    - recurrent_layer.hpp; lstm_layer.cpp, FillUnrolledNet: the hidden state of the step before is multiplied by cont
    """

    code = "X124"
    name = "cont-always-zero"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _cont(-1, 1), _cont(5, 1), net=_NET),
        project(*losses(*CALM), _cont(-1, 0), _cont(5, 1), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _cont(-1, 0), _cont(5, 0), net=_NET),
            span='bottom: "cont"',
            message='LSTM "lstm": "cont" is 0 at each of its 5 steps, so the layer forgets all earlier steps at each;'
            " write 0 only at the first step of a sequence, and 1 at the others",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic:
            return
        for layer in run.built[0].layers:
            if not layer.is_recurrent or len(layer.bottoms) < 2 or not layer.bottoms[1].shape:
                continue
            steps, name = layer.bottoms[1].shape[0], layer.bottoms[1].original.name
            seen = run.values_of(name)
            if steps < 2 or not seen or any(one.min or one.max for one in seen):
                continue
            what = f'{title(layer)}: "{name}" is 0 at each of its {steps} steps'
            why = "the layer forgets all earlier steps at each; write 0 only at the first step of a sequence, and 1 at"
            why += " the others"
            place = run.place(layer.name, 0, "bottom", 1)
            yield self.finding(place, f"{what}, so {why}", cause=Cause("data", what, why))
