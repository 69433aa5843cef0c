from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, SAFE, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, remove

from ._text import refuses_momentum


class MomentumNotSupported(SolverRule):
    """AdaGrad and RMSProp refuse a `momentum`.

    ## Why is this bad?
    Caffe aborts at the start. The decay of RMSProp is `rms_decay`.

    ## Example
    ```
    type: "RMSProp" momentum: 0.9
    ```
    Use instead:
    ```
    type: "RMSProp" rms_decay: 0.98
    ```

    ## Fix safety
    Safe: Caffe refuses the solver as it is, and accepts no momentum but 0. Unsafe for RMSProp without `rms_decay`,
    which may have been meant.

    ## References
    - sgd_solvers.hpp, AdaGradSolver and RMSPropSolver, constructor_sanity_check
    """

    code = "S203"
    name = "momentum-not-supported"
    severity = ERROR
    VALID = [
        'type: "RMSProp" momentum: 0 base_lr: 0.1',
        'type: "AdaGrad" base_lr: 0.1',
        'type: "AdaDelta" momentum: 0.95 base_lr: 1',
    ]
    INVALID = [
        Invalid(
            'type: "AdaGrad" momentum: 0.9 base_lr: 0.1',
            span="momentum: 0.9",
            message="momentum 0.9: AdaGrad takes no momentum, so Caffe stops at the start; remove it",
            fixed='type: "AdaGrad" base_lr: 0.1',
        ),
        Invalid(
            "solver_type: RMSPROP momentum: 0.9 base_lr: 0.1",
            span="momentum: 0.9",
            message="momentum 0.9: RMSProp takes no momentum, so Caffe stops at the start; remove it, or set rms_decay"
            " if you meant that",
            fixed="solver_type: RMSPROP base_lr: 0.1",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        type_, momentum = solver.type, solver.message.momentum
        if not refuses_momentum(solver):
            return
        sgd = solver.runs and solver.runs.customs.builds_sgd
        if sgd and solver.runs and (solver.runs.by_tool or not solver.runs.only_sgd):
            place = solver.at_first("type", "solver_type")
            yield self.finding(
                place,
                f"{place.field} {type_} is ignored where a script builds an SGDSolver; to keep SGD, remove it, else"
                " remove momentum and use caffe.get_solver",
                evidence=str(sgd),
                severity=INFO,
            )
        if sgd:
            return
        also = ", or set rms_decay if you meant that" if type_ == "RMSProp" else ""
        yield self.finding(
            solver.at("momentum"),
            f"momentum {momentum:g}: {type_} takes no momentum, so Caffe stops at the start; remove it{also}",
            evidence=f"Caffe stops at the start: Momentum cannot be used with {type_}",
            fixes=fix(
                "remove momentum",
                UNSAFE if type_ == "RMSProp" and not solver.has("rms_decay") else SAFE,
                remove(solver, "momentum"),
            ),
        )
