from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, write

from ._text import first_written, is_template, is_written


class NoBaseLr(SolverRule):
    """`base_lr` is not set, 0 or negative: nothing is learned.

    ## Why is this bad?
    The default of `base_lr` is 0, and every policy multiplies by it: the weights stay what the fillers made them, and
    the loss moves only with the batches. A negative rate climbs the loss instead of descending it.

    ## Example
    ```
    lr_policy: "fixed" max_iter: 1000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "fixed" max_iter: 1000
    ```

    ## Known problems
    Silent about a missing `base_lr` where the file's name or a placeholder in it says that a script fills it in.

    ## Fix safety
    Unsafe: the net descends the loss, which it climbed. Only for a negative rate.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S110"
    name = "no-base-lr"
    severity = ERROR
    VALID = [
        'base_lr: 1e-10 lr_policy: "fixed"',
        'lr_policy: "multifixed" stagelr: 0.1 stageiter: 100',
        'base_lr: LR lr_policy: "fixed"',
        {"template_solver.prototxt": 'lr_policy: "fixed" max_iter: 10'},
        'lr_policy: "fixed" max_iter: $ITERATIONS',
    ]
    INVALID = [
        Invalid(
            'lr_policy: "fixed" max_iter: 10',
            span='lr_policy: "fixed"',
            message="base_lr is not set, and 0 then: no weight ever changes",
        ),
        Invalid(
            'base_lr: 0 lr_policy: "fixed" max_iter: 10',
            span="base_lr: 0",
            message="base_lr is 0: no weight ever changes",
        ),
        Invalid(
            'base_lr: -0.1 lr_policy: "fixed" max_iter: 10',
            span="base_lr: -0.1",
            message="base_lr is -0.1: training climbs the loss instead of descending it",
            fixed='base_lr: 0.1 lr_policy: "fixed" max_iter: 10',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        base = solver.message.base_lr
        if not base <= 0 or is_written(solver, "base_lr") and not solver.has("base_lr"):
            return
        # Policies of forks may bring rates of their own, such as stagelr.
        if solver.policy_forks and "bvlc" not in solver.policy_forks:
            return
        if not solver.has("base_lr"):
            if is_template(solver):
                return
            text = "base_lr is not set, and 0 then: no weight ever changes"
        elif base == 0:
            text = "base_lr is 0: no weight ever changes"
        else:
            text = f"base_lr is {base:g}: training climbs the loss instead of descending it"
        near = first_written(solver, "base_lr", "lr_policy", "momentum", "weight_decay", "max_iter")
        fixes = fix("drop the sign", UNSAFE, write(solver, "base_lr", value=f"{-base:g}")) if base < 0 else ()
        yield self.finding(solver.at(near), text, fixes=fixes)
