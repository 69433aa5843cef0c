from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import Marked, Run, SmokeRule, cure, lags

from ._evidence import worded
from ._example import CALM, losses, project
from ._marked import across

_NET = """layer { name: "in" type: "DummyData" top: "x" top: "cont" dummy_data_param { shape { dim: 20 dim: 3 }
  shape { dim: 20 } } }
layer { name: "xs" type: "Reshape" bottom: "x" top: "xs" reshape_param { shape { dim: 5 dim: 4 dim: 3 } } }
layer { name: "cs" type: "Reshape" bottom: "cont" top: "cs" reshape_param { shape { dim: 5 dim: 4 } } }
layer { name: "lstm" type: "LSTM" bottom: "xs" bottom: "cs" top: "lstm" recurrent_param { num_output: 4 } }
"""


class SequencesAcrossItems(SmokeRule):
    """The zeros of `cont` lie in memory as those of sequences that were written one after the other, items x steps.

    ## Why is this bad?
    A recurrent layer takes steps x items: the first steps of all items, then their second steps. Where the records of a
    batch are the steps of one sequence, then those of the next, a Reshape to steps x items leaves them in that order,
    so a step holds pieces of one sequence, and each stream pieces of several. The net learns from each step alone.

    ## Example
    ```
    file["x"], file["cont"] = x.reshape(-1, values), cont.reshape(-1)   # of items x steps
    ```
    Use instead:
    ```
    file["x"], file["cont"] = x.transpose(1, 0, 2).reshape(-1, values), cont.T.reshape(-1)
    ```

    ## Known problems
    Seen only where all sequences have one length, which is the number of steps, a part or a multiple of it.

    ## References
    - recurrent_layer.hpp: inputs are T x N x ..., cont is T x N
    """

    code = "X136"
    name = "sequences-across-items"
    severity = WARNING
    certainty = LIKELY
    VALID = [project(*losses(*CALM), net=_NET)]
    INVALID = [
        Invalid(
            project(*losses(*CALM), Marked("cs", 5, 4, 5, 16), net=_NET),
            span='bottom: "cs"',
            message='the zeros of "cs", 5 steps x 4 items for LSTM "lstm", are 5 values apart in memory, as where'
            " sequences lie one after the other, so each of its 4 streams is made of pieces of several",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        best = cure(run)
        if run.synthetic or (best is not None and best.hypothesis.field == "across" and lags(run)):
            return
        for layer in run.built[0].layers:
            if layer.is_recurrent and len(layer.bottoms) > 1:
                what, remedy = across(run, layer)
                if what:
                    yield worded(self, run.place(layer.name, 0, "bottom", 1), Cause("data", what, ""), remedy)
