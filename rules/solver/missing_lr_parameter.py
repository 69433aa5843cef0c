from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    ERROR,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Given,
    Invalid,
    Solver,
    SolverRule,
    fix,
    write,
)

from ._rates import usual_gamma
from ._text import AT_FIRST_UPDATE


class MissingLrParameter(SolverRule):
    """A parameter that the policy needs is missing, or has a value that Caffe refuses.

    ## Why is this bad?
    The defaults of stepsize, gamma and power are 0. Caffe aborts at the first update where `step` or `sigmoid` has no
    stepsize, or gamma is negative. With gamma 0, `step`, `multistep` and `exp` set the rate to 0 at the first drop, and
    nothing is learned afterwards. `inv` and `poly` without a power, `inv` and `sigmoid` without a gamma and
    `multistep` without a stepvalue never change the rate.

    ## Example
    ```
    lr_policy: "step" stepsize: 1000
    ```
    Use instead:
    ```
    lr_policy: "step" stepsize: 1000 gamma: 0.1
    ```

    ## Known problems
    Caffe 1.0 of April 2017 and older do not check gamma and stepsize: there a negative gamma changes the sign of the
    rate, and a stepsize of 0 is a division by zero.

    ## Fix safety
    Unsafe: the schedule changes. For a missing parameter a common value is shown and never applied:
    `gamma: 0.1`, a `power` of 0.75 for `inv` and of 1 for `poly`.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S103"
    name = "missing-lr-parameter"
    severity = ERROR
    VALID = [
        'lr_policy: "poly" power: 0.9 base_lr: 1',
        'lr_policy: "step" stepsize: 1000 gamma: 0.1 base_lr: 1',
        'lr_policy: "step" stepsize: 1000 base_lr: 1 max_iter: 500',
        'lr_policy: "multistep" stepvalue: 1000 base_lr: 1 max_iter: 1000',
        'lr_policy: "poly" power: 0 max_iter: 10 base_lr: 1',
        'lr_policy: "fixed" base_lr: 1',
        'lr_policy: "inv" gamma: 0.0001 power: 0.75 base_lr: 1',
    ]
    INVALID = [
        Invalid(
            'lr_policy: "step" gamma: 0.1 base_lr: 1',
            span='lr_policy: "step"',
            message='lr_policy "step" needs a stepsize above 0, but stepsize is missing; set it to the number of'
            " iterations between two drops",
        ),
        Invalid(
            'lr_policy: "step" gamma: 0.1 stepvalue: 100 base_lr: 1',
            span='lr_policy: "step"',
            message='lr_policy "step" needs a stepsize above 0, but stepsize is missing; to use stepvalue, set'
            ' lr_policy: "multistep"',
            fixed='lr_policy: "multistep" gamma: 0.1 stepvalue: 100 base_lr: 1',
        ),
        Invalid(
            'lr_policy: "sigmoid" gamma: 0.1 stepsize: 0 base_lr: 1',
            span="stepsize: 0",
            message='lr_policy "sigmoid" needs a stepsize above 0, but stepsize is 0; set it to the iteration where'
            " the rate is base_lr / 2",
        ),
        Invalid(
            'lr_policy: "exp" gamma: -0.1 base_lr: 1',
            span="gamma: -0.1",
            message="gamma -0.1 is negative, so Caffe stops at the first update; set gamma: 0.1",
            fixed='lr_policy: "exp" gamma: 0.1 base_lr: 1',
        ),
        Invalid(
            'lr_policy: "step" stepsize: 1000 base_lr: 1',
            span='lr_policy: "step"',
            message='gamma is missing and defaults to 0, so lr_policy "step" sets the rate to 0 at iteration 1000 and'
            " nothing is learned afterwards; try gamma: 0.1",
        ),
        Invalid(
            'lr_policy: "step" stepsize: 50 base_lr: 1 max_iter: 500',
            span='lr_policy: "step"',
            message='gamma is missing and defaults to 0, so lr_policy "step" sets the rate to 0 at iteration 50 and'
            " nothing is learned afterwards; try gamma: 0.7",
        ),
        Invalid(
            'lr_policy: "multistep" stepvalue: 0 stepvalue: 1000 base_lr: 1',
            span='lr_policy: "multistep"',
            message='gamma is missing and defaults to 0, so lr_policy "multistep" sets the rate to 0 at iteration 0 and'
            " nothing is learned afterwards; try gamma: 0.1",
        ),
        Invalid(
            'lr_policy: "exp" gamma: 0 base_lr: 1 max_iter: 10',
            span="gamma: 0",
            message='gamma is 0, so lr_policy "exp" sets the rate to 0 at iteration 1 and nothing is learned'
            " afterwards; try gamma: 0.9999",
        ),
        Invalid(
            'lr_policy: "inv" gamma: 0.1 base_lr: 1',
            span='lr_policy: "inv"',
            message='power is missing and defaults to 0, so lr_policy "inv" never changes the rate from 1; try'
            " power: 0.75",
        ),
        Invalid(
            'lr_policy: "poly" base_lr: 0.01 max_iter: 100',
            span='lr_policy: "poly"',
            message='power is missing and defaults to 0, so lr_policy "poly" never changes the rate from 0.01; try'
            " power: 1",
        ),
        Invalid(
            'lr_policy: "sigmoid" stepsize: 10 base_lr: 1',
            span='lr_policy: "sigmoid"',
            message='gamma is missing and defaults to 0, so lr_policy "sigmoid" never changes the rate from 0.5; set'
            ' gamma, or lr_policy: "fixed"',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 stepsize: 100 base_lr: 1',
            span="stepsize: 100",
            message='lr_policy "multistep" ignores stepsize and stepvalue is missing, so the rate stays 1; set'
            ' lr_policy: "step"',
            fixed='lr_policy: "step" gamma: 0.1 stepsize: 100 base_lr: 1',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 base_lr: 1',
            span='lr_policy: "multistep"',
            message='stepvalue is missing, so lr_policy "multistep" never changes the rate from 1; set stepvalue, or'
            ' lr_policy: "fixed"',
        ),
        Invalid(
            'lr_policy: "multistep" stepvalue: 11 stepvalue: 5 base_lr: 1 max_iter: 10',
            span='lr_policy: "multistep"',
            message='gamma is missing and defaults to 0, so lr_policy "multistep" sets the rate to 0 at iteration 5 and'
            " nothing is learned afterwards; try gamma: 0.1",
        ),
        # An info: they were turned off.
        Invalid(
            'lr_policy: "inv"\n# gamma: 0.5\n# power: 0.75\nbase_lr: 1',
            span='lr_policy: "inv"',
            message='gamma and power are missing and default to 0, so lr_policy "inv" never changes the rate from 1;'
            ' set gamma and power, or lr_policy: "fixed"',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message, schedule = solver.message, solver.schedule
        policy, reads = message.lr_policy, schedule.reads
        if any(solver.given(field) is Given.UNREADABLE for field in reads):
            return
        if schedule.problem:
            yield from self._refused(solver)
        elif "gamma" in reads and message.gamma == 0 and policy in ("step", "multistep", "exp"):
            found = schedule.first(lambda rate: rate == 0, message.max_iter if message.max_iter > 0 else 1 << 31)
            steps = [step for step in message.stepvalue if 0 < step < message.max_iter] if policy == "multistep" else []
            if not found and steps:  # not reached only since they are in another order
                found = min(steps), 0.0
            if found and schedule.base:
                how = "gamma is 0" if solver.has("gamma") else "gamma is missing and defaults to 0"
                gamma = usual_gamma(message, len(steps))
                yield self.finding(
                    solver.at_first("gamma", "lr_policy"),
                    f'{how}, so lr_policy "{policy}" sets the rate to 0 at iteration {found[0]}'
                    f" and nothing is learned afterwards; try gamma: {gamma}",
                    evidence="the rate is base_lr * gamma ^ (number of drops)",
                    fixes=_set(solver, "gamma", gamma, DISPLAY) if policy != "exp" else (),
                )
            elif policy == "multistep" and not message.stepvalue:
                yield from self._constant(solver, "stepvalue")
        elif schedule.base:
            unset = [field for field in reads if not solver.has(field) and field != "max_iter"]
            yield from self._constant(solver, " and ".join(unset))

    def _refused(self, solver: Solver) -> Iterator[Finding]:
        message, reads = solver.message, solver.schedule.reads
        if "gamma" in reads and not message.gamma >= 0:
            text = f"gamma {message.gamma:g} is negative, so Caffe stops at the first update"
            text += f"; set gamma: {-message.gamma:g}" if message.gamma < 0 else ""
            yield self.finding(
                solver.at("gamma"),
                text,
                evidence=f"{AT_FIRST_UPDATE}: Check failed: gamma() >= 0",
                fixes=_set(solver, "gamma", f"{-message.gamma:g}") if message.gamma < 0 else (),
            )
        if "stepsize" in reads and message.stepsize <= 0:
            how = message.stepsize if solver.has("stepsize") else "missing"
            text = f'lr_policy "{message.lr_policy}" needs a stepsize above 0, but stepsize is {how}'
            if message.stepvalue:
                text += '; to use stepvalue, set lr_policy: "multistep"'
            else:
                step, half = "number of iterations between two drops", "iteration where the rate is base_lr / 2"
                text += f"; set it to the {step if message.lr_policy == 'step' else half}"
            place = solver.at_first("stepsize", "lr_policy")
            yield self.finding(
                place,
                text,
                evidence=f"{AT_FIRST_UPDATE}: Check failed: stepsize() > 0",
                fixes=_set(solver, "lr_policy", '"multistep"')
                if message.stepvalue and message.lr_policy == "step" and not solver.has("stepsize")
                else (),
            )

    def _constant(self, solver: Solver, unset: str) -> Iterator[Finding]:
        if not unset:
            return
        message, stays = solver.message, f"{solver.schedule.rate(0):g}"
        fixes: tuple[Fix, ...] = ()
        if message.lr_policy == "multistep" and message.stepsize > 0:
            place = solver.at("stepsize")
            fixes = _set(solver, "lr_policy", '"step"')
            text = (
                f'lr_policy "multistep" ignores stepsize and stepvalue is missing, so the rate stays {stays};'
                ' set lr_policy: "step"'
            )
        else:
            several = " and " in unset
            missing = f"{unset} {'are' if several else 'is'} missing"
            if unset != "stepvalue":
                missing += f" and {'default' if several else 'defaults'} to 0"
            place = solver.at("lr_policy")
            power = {"inv": "0.75", "poly": "1"}.get(message.lr_policy)
            if unset == "power" and power:
                fixes = _set(solver, "power", power, DISPLAY)
            text = f'{missing}, so lr_policy "{message.lr_policy}" never changes the rate from {stays};'
            text += f" try power: {power}" if unset == "power" and power else f' set {unset}, or lr_policy: "fixed"'
        off = any(solver.is_commented_out(field) for field in unset.split(" and "))
        yield self.finding(place, text, severity=INFO if off else WARNING, fixes=() if off else fixes)


def _set(solver: Solver, field: str, value: str, safety: str = UNSAFE) -> tuple[Fix, ...]:
    return fix(f"set {field}: {value}", safety, write(solver, field, value=value, after="lr_policy"))
