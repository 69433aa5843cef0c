from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Solver, SolverRule


class MomentumNotSupported(SolverRule):
    """AdaGrad and RMSProp refuse a `momentum`.

    ## Why is this bad?
    Caffe ends the process at the start. The decay of RMSProp is `rms_decay`.

    ## Example
    ```
    type: "RMSProp" momentum: 0.9
    ```
    Use instead:
    ```
    type: "RMSProp" rms_decay: 0.98
    ```

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
            message="AdaGrad takes no momentum, and it is 0.9: remove it",
        ),
        Invalid(
            "solver_type: RMSPROP momentum: 0.9 base_lr: 0.1",
            span="momentum: 0.9",
            message="RMSProp takes no momentum, and it is 0.9: remove it, or set rms_decay if that was meant",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        type_, momentum = solver.type, solver.message.momentum
        if type_ not in ("AdaGrad", "RMSProp") or momentum == 0:
            return
        also = ", or set rms_decay if that was meant" if type_ == "RMSProp" else ""
        yield self.finding(
            solver.at("momentum"),
            f"{type_} takes no momentum, and it is {momentum:g}: remove it{also}",
            evidence=f"Caffe stops at the start: Momentum cannot be used with {type_}",
        )
