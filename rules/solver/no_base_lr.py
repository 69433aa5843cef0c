from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Given,
    Invalid,
    Solver,
    SolverRule,
    fix,
    is_for_unknown_caffe,
    write,
)

from ._text import is_completed


class NoBaseLr(SolverRule):
    """`base_lr` is missing, 0 or negative, so nothing is learned.

    ## Why is this bad?
    The default of `base_lr` is 0, and every policy multiplies by it: the weights stay as the fillers made them, and the
    loss changes only from batch to batch. With a negative rate training climbs the loss instead of descending it.

    ## Example
    ```
    lr_policy: "fixed" max_iter: 1000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "fixed" max_iter: 1000
    ```

    ## Known problems
    A missing `base_lr` is not reported where the file's name or a placeholder in it says that a script fills it in,
    where a script of the project writes one into a solver, or where the solver has a field that no known Caffe has,
    which may give the rates. Neither is a rate of 0 with `max_iter: 0`, by which a solver
    only tests. One of 0 is an info where a script loads weights, as a net that is kept has.

    ## Fix safety
    Unsafe: the net descends the loss that it used to climb. There is a fix only for a negative rate.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S110"
    name = "no-base-lr"
    severity = ERROR
    VALID = [
        'base_lr: 1e-10 lr_policy: "fixed"',
        'base_lr: 0 lr_policy: "fixed" max_iter: 0 test_initialization: true',
        'lr_policy: "multifixed" stagelr: 0.1 stageiter: 100',
        'base_lr: LR lr_policy: "fixed"',
        {"template_solver.prototxt": 'lr_policy: "fixed" max_iter: 10'},
        'lr_policy: "fixed" max_iter: $ITERATIONS',
        'lr_policy: "stages" stages_lr: 0.1 stages_size: 100',
        'lr_policy: "multistep" multistep_lr: 0.1 stepvalue: 100 multistep_lr: 0.01',
    ]
    INVALID = [
        Invalid(
            'lr_policy: "fixed" max_iter: 10',
            span='lr_policy: "fixed"',
            message="base_lr is missing and defaults to 0, so no weight ever changes; set it, for example base_lr:"
            " 0.01",
        ),
        Invalid(
            'base_lr: 0 lr_policy: "fixed" max_iter: 10',
            span="base_lr: 0",
            message="base_lr is 0, so no weight ever changes; set a rate, for example base_lr: 0.01",
        ),
        Invalid(
            {
                "solver.prototxt": 'base_lr: 0 lr_policy: "fixed" max_iter: 10',
                "gan.py": "s = caffe.SGDSolver('solver.prototxt')\ns.net.copy_from('judge.caffemodel')\ns.step(1)\n",
            },
            span="base_lr: 0",
            message="base_lr is 0, so the net stays as gan.py:2 loads it; set a rate if it is to learn",
        ),
        Invalid(
            'base_lr: -0.1 lr_policy: "fixed" max_iter: 10',
            span="base_lr: -0.1",
            message="base_lr -0.1 is negative, so training climbs the loss instead of descending it; set base_lr: 0.1",
            fixed='base_lr: 0.1 lr_policy: "fixed" max_iter: 10',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        base = solver.message.base_lr
        if base == 0 and solver.has("max_iter") and solver.message.max_iter == 0:
            return  # nothing is to be trained: it only tests
        if not base <= 0 or solver.given("base_lr") is Given.UNREADABLE:
            return
        # Policies of forks may bring rates of their own, such as stagelr.
        if solver.policy_forks and "bvlc" not in solver.policy_forks:
            return
        if not solver.has("base_lr"):
            if solver.given("lr_policy") is Given.NOTHING:
                return  # unknown-lr-policy tells of a solver that lacks both
            writer = solver.runs and solver.runs.customs.sets_rate
            # A policy or a field that no known Caffe has may bring rates of its own: multistep_lr.
            if writer or is_completed(solver) or is_for_unknown_caffe(solver):
                return
            text = "base_lr is missing and defaults to 0, so no weight ever changes; set it, for example base_lr: 0.01"
        elif base == 0:
            text = "base_lr is 0, so no weight ever changes; set a rate, for example base_lr: 0.01"
            if keeps := solver.runs and solver.runs.loads:
                text = f"base_lr is 0, so the net stays as {keeps} loads it; set a rate if it is to learn"
        else:
            text = (
                f"base_lr {base:g} is negative, so training climbs the loss instead of descending it; set base_lr:"
                f" {-base:g}"
            )
        place = solver.at_first("base_lr", "lr_policy", "momentum", "weight_decay", "max_iter")
        rate = f"{-base:g}"
        fixes = fix(f"set base_lr: {rate}", UNSAFE, write(solver, "base_lr", value=rate)) if base < 0 else ()
        # Who writes 0 wants to see a net run, or keeps one of several that train each other.
        written = INFO if solver.runs and solver.runs.loads else WARNING
        yield self.finding(place, text, fixes=fixes, severity=written if base == 0 and solver.has("base_lr") else None)
