from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, UNSAFE, WARNING, Finding, Invalid, Solver, SolverRule, fix, write

_USUAL = 0.001
"""Up to here the rate is to blame for what decay takes, which high-base-lr reports."""
_STRONG = 0.1
"""The share of each weight that decay takes away in one update, from which it is reported."""
_WEAK = 0.99e-3
"""A share that even a far decay does no harm below: the common one takes 0.00005. Fields of a solver are rounded."""
_FAR = 0.5
"""A thousand times the common one; no published solver at hand has more than 0.1."""


class WeightDecayOutOfRange(SolverRule):
    """`weight_decay` is negative, or so large that decay outweighs the loss.

    ## Why is this bad?
    Decay adds weight_decay * weight to each gradient. A negative decay makes every weight grow without bound. With SGD
    each weight loses a share of base_lr * weight_decay / (1 - momentum) per update: at 0.1 the weights fade to nothing
    within a few dozen updates, whatever the loss says. Common values are 0.0005 and 0.0001.

    ## Example
    ```
    base_lr: 0.01 weight_decay: -0.0005
    ```
    Use instead:
    ```
    base_lr: 0.01 weight_decay: 0.0005
    ```

    ## Fix safety
    Unsafe: the weights decay where they used to grow. There is a fix only for a negative decay.

    ## References
    - sgd_solver.cpp, Regularize
    """

    code = "S205"
    name = "weight-decay-out-of-range"
    severity = ERROR
    VALID = [
        "base_lr: 100 momentum: 0.9 weight_decay: 0.0005",
        "base_lr: 0.01 momentum: 0.9 weight_decay: 0.0005",
        "base_lr: 0.001 momentum: 0.9 weight_decay: 0.05",
        "base_lr: 0.01 weight_decay: 0",
        "base_lr: 33 momentum: 0.9 weight_decay: 0.0005 local_lr_auto: true",
        'base_lr: 1 momentum: 0.95 weight_decay: 0.05 type: "AdaDelta"',
        # As much an update as the common one, since the rate is small.
        "base_lr: 1e-6 momentum: 0.9 weight_decay: 1",
    ]
    INVALID = [
        Invalid(
            "base_lr: 0.01 weight_decay: -0.0005",
            span="weight_decay: -0.0005",
            message="weight_decay -0.0005 is negative, so every weight grows without bound; set weight_decay: 0.0005",
            fixed="base_lr: 0.01 weight_decay: 0.0005",
        ),
        Invalid(
            "base_lr: 0.01 momentum: 0.9 weight_decay: 5",
            span="weight_decay: 5",
            message="weight_decay 5 takes 5% off each weight in one update, up to 10 times that with momentum 0.9,"
            " whatever the loss says; try weight_decay: 0.0005",
        ),
        Invalid(
            'base_lr: 0.001 type: "Adam" weight_decay: 2',
            span="weight_decay: 2",
            message="weight_decay 2 is 4000 times the common 0.0005, so decay may outweigh the loss; try weight_decay:"
            " 0.0005",
        ),
        # The smallest share that is told, of numbers that are no fractions of 2.
        Invalid(
            "base_lr: 0.0001 momentum: 0.9 weight_decay: 1",
            span="weight_decay: 1",
            message="weight_decay 1 is 2000 times the common 0.0005, so decay may outweigh the loss; try weight_decay:"
            " 0.0005",
        ),
        Invalid(
            "base_lr: 0.01 momentum: 0.9 weight_decay: 0.9",
            span="weight_decay: 0.9",
            message="weight_decay 0.9 is 1800 times the common 0.0005, so decay may outweigh the loss; try"
            " weight_decay: 0.0005",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        decay, place = message.weight_decay, solver.at("weight_decay")
        if decay < 0:
            text = (
                f"weight_decay {decay:g} is negative, so every weight grows without bound; set weight_decay: {-decay:g}"
            )
            fixes = fix(f"set weight_decay: {-decay:g}", UNSAFE, write(solver, "weight_decay", value=f"{-decay:g}"))
            yield self.finding(place, text, fixes=fixes)
            return
        share = 0.0
        if (
            solver.type in ("SGD", "Nesterov")
            and not solver.scales_rates
            and message.base_lr > 0
            and 0 <= message.momentum < 1
        ):
            share = message.base_lr * decay / (1 - message.momentum)
        if share > _STRONG and decay > _USUAL:
            text = f"weight_decay {decay:g} takes {message.base_lr * decay:.0%} off each weight in one update"
            if message.momentum:
                text += f", up to {1 / (1 - message.momentum):.3g} times that with momentum {message.momentum:g}"
            text += ", whatever the loss says; try weight_decay: 0.0005"
            yield self.finding(place, text, severity=WARNING)
        elif decay >= _FAR and (not share or share >= _WEAK):
            times = f"{decay / 0.0005:.0f} times the common 0.0005"
            text = f"weight_decay {decay:g} is {times}, so decay may outweigh the loss; try weight_decay: 0.0005"
            yield self.finding(place, text, severity=WARNING, certainty=LIKELY)
