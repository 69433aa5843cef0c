from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Iteration, Run, SmokeRule, to_line

FILES = {
    "s.prototxt": 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed"\n',
    "n.prototxt": 'layer { name: "data" type: "DummyData" top: "data" dummy_data_param { shape { dim: 8 dim: 4 } } }\n',
}


def run_of(*losses: float) -> dict[str, str]:
    events = [Iteration(number, 0.1, loss, {"loss": loss}) for number, loss in enumerate(losses)]
    return {**FILES, "events": "\n".join(map(to_line, events))}


class LossAboveHundred(SmokeRule):
    """Our losses are never above 100.

    ## Why is this bad?
    It was always the wrong data set.
    """

    code = "H501"
    name = "loss-above-hundred"
    severity = WARNING
    certainty = LIKELY
    VALID = [run_of(2.3, 2.2)]
    INVALID = [Invalid(run_of(2.3, 120), span='net: "n.prototxt"', message="iteration 1: loss 120 is above 100")]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.iterations:
            if event.loss > 100:
                what = f"loss {event.loss:g} is above 100"
                cause = Cause("data", what, "the data set may be another one", LIKELY)
                yield self.finding(run.solver.at("net"), f"iteration {event.iteration}: {what}", cause=cause)
                return
