from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Fix, Invalid, Solver, SolverRule, fix, remove, remove_from, write


class UnsortedStepvalue(SolverRule):
    """The stepvalues of `multistep` do not rise.

    ## Why is this bad?
    Caffe waits for the stepvalues in the order of the text, and drops the rate at most once per iteration. A value that
    is not larger than the previous one takes effect one iteration after it, so two drops come in consecutive
    iterations. A value of 0 drops the rate before the first iteration.

    ## Example
    ```
    lr_policy: "multistep" gamma: 0.1 stepvalue: 20000 stepvalue: 10000
    ```
    Use instead:
    ```
    lr_policy: "multistep" gamma: 0.1 stepvalue: 10000 stepvalue: 20000
    ```

    ## Fix safety
    Unsafe: the rate drops in another iteration than before.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S107"
    name = "unsorted-stepvalue"
    severity = WARNING
    VALID = [
        'lr_policy: "multistep" gamma: 0.1 stepvalue: 10 stepvalue: 20 base_lr: 1',
        'lr_policy: "step" stepsize: 5 gamma: 0.1 stepvalue: 20 stepvalue: 10 base_lr: 1',
    ]
    INVALID = [
        Invalid(
            'lr_policy: "multistep" gamma: 0.1\nstepvalue: 20\nstepvalue: 10',
            span="stepvalue: 10",
            message="stepvalue 10 comes after 20, so the rate drops at iteration 21, not at 10; sort them",
            fixed='lr_policy: "multistep" gamma: 0.1\nstepvalue: 10\nstepvalue: 20',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1\nstepvalue: 20\nstepvalue: 20',
            span="stepvalue: 20",
            message="stepvalue 20 is set twice, so the rate drops at iterations 20 and 21; remove one",
            fixed='lr_policy: "multistep" gamma: 0.1\nstepvalue: 20',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 stepvalue: 0 stepvalue: 20',
            span="stepvalue: 0",
            message="stepvalue 0 drops the rate before the first iteration, so base_lr is never used; remove it",
            fixed='lr_policy: "multistep" gamma: 0.1 stepvalue: 20',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 stepvalue: 0',
            span="stepvalue: 0",
            message="stepvalue 0 drops the rate before the first iteration, so base_lr is never used; remove it",
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1\nstepvalue: 30\nstepvalue: 20\nstepvalue: 10',
            span="stepvalue: 20",
            message="stepvalue 20 comes after 30, so the rate drops at iteration 31, not at 20; sort them",
            fixed='lr_policy: "multistep" gamma: 0.1\nstepvalue: 10\nstepvalue: 20\nstepvalue: 30',
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1\nstepvalue: 30\nstepvalue: 10\nstepvalue: 10',
            span="stepvalue: 10",
            message="stepvalue 10 comes after 30, so the rate drops at iteration 31, not at 10; sort them",
            fixed='lr_policy: "multistep" gamma: 0.1\nstepvalue: 10\nstepvalue: 30',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        if message.lr_policy != "multistep":
            return
        last = taken = -1
        # Without any stepvalue the rate would never drop.
        is_left = max(message.stepvalue, default=0) > 0
        is_told = False
        for index, value in enumerate(message.stepvalue):
            taken = max(value, taken + 1)
            if value <= 0 and not index:
                text = (
                    f"stepvalue {value} drops the rate before the first iteration, so base_lr is never used; remove it"
                )
            elif value == last:
                text = (
                    f"stepvalue {value} is set twice, so the rate drops at iterations {taken - 1} and {taken}; remove"
                    " one"
                )
            elif value < last:
                if is_told:
                    continue  # sorting is one change
                is_told = True
                text = (
                    f"stepvalue {value} comes after {last}, so the rate drops at iteration {taken}, not at {value};"
                    " sort them"
                )
            else:
                last = value
                continue
            if value == last or value <= 0:
                fixes = fix(f"remove stepvalue: {value}", UNSAFE, remove(solver, "stepvalue", index)) if is_left else ()
            else:
                fixes = _sort(solver)
            yield self.finding(solver.at("stepvalue", index), text, fixes=fixes)
            last = max(value, last)


def _sort(solver: Solver) -> tuple[Fix, ...]:
    """What would be set twice or at no iteration is left out, as it would be told of next."""
    values = sorted({step for step in solver.message.stepvalue if step > 0})
    edits = [write(solver, "stepvalue", place, value=str(step)) for place, step in enumerate(values)]
    surplus = [remove_from(solver, "stepvalue", len(values))] if len(values) < len(solver.message.stepvalue) else []
    return fix("sort the stepvalues, each once", UNSAFE, *edits, *surplus)
