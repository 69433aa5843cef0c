from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    UNSAFE,
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
    """A parameter of the learning rate is set that the policy does not read.

    ## Why is this bad?
    `fixed` reads none of gamma, power, stepsize and stepvalue; `step` reads gamma and stepsize; `multistep` gamma and
    stepvalue; `exp` gamma; `inv` gamma and power; `poly` power; `sigmoid` gamma and stepsize. A decay that the policy
    does not read never happens. Who tries a fixed rate changes the policy and leaves its parameters for later, so this
    is an info.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "fixed" gamma: 0.1 stepsize: 1000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000
    ```

    ## Fix safety
    Unsafe, although Caffe ignores what is removed: it may hint at the policy that was meant. Where it does so plainly,
    both choices are shown and neither is applied.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S109"
    name = "ignored-lr-parameter"
    severity = INFO
    has_no_effect = True
    VALID = [
        'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "steps" gamma: 0.1 stepsize: 1000',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed" gamma: 0.1 stepsize: 1000',
            span="gamma: 0.1",
            message='lr_policy "fixed" ignores gamma and stepsize, so the rate stays 0.01; to use them, set lr_policy:'
            ' "step"',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed" power: 0.75',
            span="power: 0.75",
            message='lr_policy "fixed" ignores power; remove it',
            fixed='base_lr: 0.01 lr_policy: "fixed"',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "poly" power: 0.75 max_iter: 10 gamma: 0.1',
            span="gamma: 0.1",
            message='lr_policy "poly" ignores gamma; remove it',
            fixed='base_lr: 0.01 lr_policy: "poly" power: 0.75 max_iter: 10',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, message = solver.schedule, solver.message
        written = [field for field in DECAY_FIELDS if solver.has(field)]
        ignored = [field for field in written if field not in schedule.reads]
        # Other rules report an unknown policy, and a parameter that replaces a missing one.
        if not ignored or schedule.problem or schedule.policy == "multistep" and not message.stepvalue:
            return
        names = " and ".join(filter(None, [", ".join(ignored[:-1]), ignored[-1]]))
        text = f'lr_policy "{schedule.policy}" ignores {names}'
        meant = _meant(written) if schedule.policy == "fixed" and message.gamma != 1 else ""
        if meant:
            text += f', so the rate stays {schedule.base:g}; to use them, set lr_policy: "{meant}"'
        else:
            text += f"; remove {'it' if len(ignored) == 1 else 'them'}"
        gone = [remove(solver, field) for field in ignored]
        if meant:
            fixes = (
                *fix(f'set lr_policy: "{meant}"', DISPLAY, write(solver, "lr_policy", value=quoted(meant))),
                *fix(f"remove {names}", DISPLAY, *gone),
            )
        else:
            fixes = fix(f"remove {names}", UNSAFE, *gone)
        yield self.finding(solver.at(ignored[0]), text, fixes=fixes)


def _meant(written: list[str]) -> str:
    """The policy whose parameters are all set; empty if there is none."""
    if "gamma" not in written:
        return ""
    whole = {"stepvalue": "multistep", "stepsize": "step", "power": "inv"}
    return next((policy for field, policy in whole.items() if field in written), "")
