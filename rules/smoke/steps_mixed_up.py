from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Run, SmokeRule, Stepped, outcome

from ._evidence import worded
from ._example import losses, project
from ._stepped import mixed_up

_NET = """layer { name: "in" type: "DummyData" top: "x" top: "cont" dummy_data_param { shape { dim: 5 dim: 4 dim: 3 }
  shape { dim: 5 dim: 4 } } }
layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "lstm" recurrent_param { num_output: 4 } }
"""
_BACK = _NET[_NET.index('layer { name: "lstm') :].replace("lstm", "back")
_FLAT = (1.1, 1.09, 1.1, 1.1, 1.09, 1.1)
_RIGHT = Stepped("x", 5, 4, 0.6, 0.01, 0.1, 0.3)
_MIXED = Stepped("x", 5, 4, 0.01, 0.56, 0.61, 0.0)


class StepsMixedUp(SmokeRule):
    """What a recurrent layer reads goes on from item to item, and not from step to step.

    ## Why is this bad?
    A recurrent layer takes steps x items x values. Sequences are mostly kept as items x steps, and have to be
    transposed: a reshape to the same shape leaves the values where they are, so each step holds pieces of one sequence,
    and the layer looks for an order across sequences.

    ## Example
    ```
    top[0].data[...] = sequences.reshape(steps, items, values)
    ```
    Use instead:
    ```
    top[0].data[...] = sequences.transpose(1, 0, 2)
    ```

    ## Known problems
    Told by how alike neighbours are along both axes, and by what goes with labels a few places on, so not of words with
    one label for all. Not reported where the net learns.

    ## References
    - recurrent_layer.hpp: inputs are T x N x ...
    """

    code = "X132"
    name = "steps-mixed-up"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*_FLAT), _RIGHT, net=_NET),
        project(*losses(*(9 / (1 + number) for number in range(40))), _MIXED, net=_NET),
        # Windows that overlap go on along the items as well.
        project(*losses(*_FLAT), _MIXED._replace(reshaped=0.5), net=_NET),
    ]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), _RIGHT._replace(told_steps=0.001, told_items=0.31), net=_NET),
            span="layer",
            message='DummyData "in": "x", 5 steps of 4 items for LSTM "lstm", goes with labels a few items on (0.31 of'
            " its spread) and not a few steps on (0.001)",
        ),
        Invalid(
            project(*losses(*_FLAT), _MIXED, net=_NET),
            span="layer",
            message='DummyData "in": "x", 5 steps of 4 items for LSTM "lstm", goes on from item to item (neighbours'
            " correlate by 0.56) and not from step to step (0.01)",
        ),
        Invalid(
            project(
                *losses(*_FLAT), _MIXED, net=_NET + _NET[_NET.index('layer { name: "lstm') :].replace("lstm", "back")
            ),
            span="layer",
            message='DummyData "in": "x", 5 steps of 4 items for LSTM "lstm", goes on from item to item (neighbours'
            " correlate by 0.56) and not from step to step (0.01)",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if run.synthetic or outcome(run).learns:
            return
        for one in run.all(Stepped):
            layer = next((it for it in run.built[0].layers if one.name in [blob.name for blob in it.tops]), None)
            if layer is not None and (how := mixed_up(one)):
                recurrent = (it for it in run.built[0].layers if it.is_recurrent and it.bottoms)
                reader = next(title(it) for it in recurrent if layer in it.bottoms[0].depends_on)
                what = f'{title(layer)}: "{one.name}", {one.steps} steps of {one.items} items for {reader}, {how}'
                remedy = "transpose it from items x steps, where it was only reshaped"
                yield worded(self, run.place(layer.name), Cause("data", what, ""), remedy)
