from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import PARAM, Run, SmokeRule, Weights, begins, best_constant, weights

from ._evidence import worded
from ._example import CALM, SOLVER, losses, project, spread
from ._numbers import number

_TIMES = 5.0
"""What the weights cost, against the loss of the best answer that needs none: less than a fifth of them is left."""
_MEAN = math.sqrt(2 / math.pi)
"""Of the absolute values of a normal distribution, of its deviation."""
_SOLVER = SOLVER + 'weight_decay: {} regularization_type: "L1"\n'


class DecayOutweighsLoss(SmokeRule):
    """With L1, weight_decay costs so much that the loss is least with next to no weights.

    ## Why is this bad?
    L1 adds `weight_decay` times the absolute values of all weights to the loss. With none of them, that is 0, and the
    loss is that of the best answer that is always the same. No better answer may cost more than that: where the weights
    of the fillers cost many times as much, training pulls nearly all of them to 0. L2, for which the usual values are,
    takes from small weights next to nothing.

    ## Example
    ```
    weight_decay: 0.02
    regularization_type: "L1"
    ```
    Use instead:
    ```
    weight_decay: 0.0005
    ```

    ## Known problems
    Who wants a net with few weights left may mean it.

    ## References
    - sgd_solver.cpp, Regularize
    """

    code = "X135"
    name = "decay-outweighs-loss"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), spread(-1, "fc", PARAM, "0", 0.5), solver=_SOLVER.format(0.01)),
        project(*losses(*CALM), spread(-1, "fc", PARAM, "0", 0.5), solver=SOLVER + "weight_decay: 9\n"),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), spread(-1, "fc", PARAM, "0", 0.5), solver=_SOLVER.format(2)),
            span="weight_decay: 2",
            message="weight_decay 2 with L1 costs 2 times the absolute values of all weights, 31.92 at the start, but"
            " the best answer that needs none has a loss of 2.31, so nearly all weights go to 0: set weight_decay: 0.1,"
            ' or regularization_type: "L2"',
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        message = run.solver.message
        if message.regularization_type != "L1" or not message.weight_decay > 0:
            return
        costs, constant = message.weight_decay * sum(map(_absolute, weights(run))), best_constant(run)
        least = begins(run) if math.isnan(constant) else constant
        if not costs > _TIMES * least > 0:
            return
        value = number(message.weight_decay)
        what = (
            f"weight_decay {value} with L1 costs {value} times the absolute values of all weights, {number(costs)} at"
        )
        what += f" the start, but the best answer that needs none has a loss of {number(least)}, so nearly all weights"
        what += " go to 0"
        better = float(f"{message.weight_decay * least / costs:.1g}")
        why = f'set weight_decay: {better:g}, or regularization_type: "L2"'
        yield worded(self, run.solver.at("weight_decay"), Cause("weight-decay", what, why, LIKELY))


def _absolute(one: Weights) -> float:
    """The absolute values of a layer's weights before any update, added up, by how much they decay."""
    if one.data is None or not one.layer.params:
        return 0.0
    param = one.layer.params[0]
    return param.decay_mult * math.prod(param.shape or ()) * max(abs(one.data.mean), _MEAN * one.data.std)
