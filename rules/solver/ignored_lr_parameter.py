from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, WARNING, Finding, Invalid, Solver, SolverRule

from ._text import DECAY_FIELDS


class IgnoredLrParameter(SolverRule):
    """A parameter of the learning rate that this policy does not read.

    ## Why is this bad?
    `fixed` reads none of gamma, power, stepsize and stepvalue; `step` reads gamma and stepsize; `multistep` gamma and
    stepvalue; `exp` gamma; `inv` gamma and power; `poly` power; `sigmoid` gamma and stepsize. A decay that is written
    and not read does not happen. It is a warning where the rate never changes though a whole decay is written, and
    info where something is merely left over.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "fixed" gamma: 0.1 stepsize: 1000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000
    ```

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S109"
    name = "ignored-lr-parameter"
    severity = WARNING
    VALID = [
        'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "steps" gamma: 0.1 stepsize: 1000',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed" gamma: 0.1 stepsize: 1000',
            span="gamma: 0.1",
            message='lr_policy "fixed" reads no gamma or stepsize: the rate stays 0.01;'
            ' lr_policy "step" would use them',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed" power: 0.75',
            span="power: 0.75",
            message='lr_policy "fixed" reads no power',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "poly" power: 0.75 max_iter: 10 gamma: 0.1',
            span="gamma: 0.1",
            message='lr_policy "poly" reads no gamma',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, message = solver.schedule, solver.message
        written = [field for field in DECAY_FIELDS if solver.has(field)]
        ignored = [field for field in written if field not in schedule.reads]
        # An unknown policy, or a parameter of another that stands in for a missing one, is another rule's business.
        if not ignored or schedule.problem or schedule.policy == "multistep" and not message.stepvalue:
            return
        text = f'lr_policy "{schedule.policy}" reads no {" or ".join(ignored)}'
        meant = _meant(written) if schedule.policy == "fixed" and message.gamma != 1 else ""
        if meant:
            text += f': the rate stays {schedule.base:g}; lr_policy "{meant}" would use them'
        yield self.finding(solver.at(ignored[0]), text, severity=None if meant else INFO)


def _meant(written: list[str]) -> str:
    """The policy whose parameters are all there; empty if none."""
    if "gamma" not in written:
        return ""
    whole = {"stepvalue": "multistep", "stepsize": "step", "power": "inv"}
    return next((policy for field, policy in whole.items() if field in written), "")
