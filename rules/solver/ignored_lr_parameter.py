from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Solver,
    SolverRule,
    fix,
    quoted,
    remove,
    write,
)

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

    ## Fix safety
    Unsafe, though Caffe does not read what is removed: it may tell of a policy that was meant. Where it does so
    plainly, the choice is shown and none applied.

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
            fixed='base_lr: 0.01 lr_policy: "fixed"',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "poly" power: 0.75 max_iter: 10 gamma: 0.1',
            span="gamma: 0.1",
            message='lr_policy "poly" reads no gamma',
            fixed='base_lr: 0.01 lr_policy: "poly" power: 0.75 max_iter: 10',
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
        gone = [remove(solver, field) for field in ignored]
        if meant:
            fixes = (
                *fix(f'use "{meant}"', DISPLAY, write(solver, "lr_policy", value=quoted(meant))),
                *fix("remove what is not read", DISPLAY, *gone),
            )
        else:
            fixes = fix("remove what is not read", UNSAFE, *gone)
        yield self.finding(solver.at(ignored[0]), text, severity=None if meant else INFO, fixes=fixes)


def _meant(written: list[str]) -> str:
    """The policy whose parameters are all there; empty if none."""
    if "gamma" not in written:
        return ""
    whole = {"stepvalue": "multistep", "stepsize": "step", "power": "inv"}
    return next((policy for field, policy in whole.items() if field in written), "")
