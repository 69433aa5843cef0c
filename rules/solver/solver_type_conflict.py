from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, UNSAFE, Finding, Invalid, Kind, Related, Solver, SolverRule, fix, remove


class SolverTypeConflict(SolverRule):
    """`type` and the older `solver_type` are both set.

    ## Why is this bad?
    Caffe upgrades `solver_type` to `type`, and aborts if both are set, even if they agree.

    ## Example
    ```
    type: "Adam" solver_type: ADAM
    ```
    Use instead:
    ```
    type: "Adam"
    ```

    ## Fix safety
    Safe if both say the same, since Caffe refuses the solver for having both; otherwise unsafe.

    ## References
    - util/upgrade_proto.cpp, UpgradeSolverType
    """

    code = "S006"
    name = "solver-type-conflict"
    severity = ERROR
    claims = (Kind.SOLVER_TYPE_TWICE,)
    VALID = ['type: "Adam" base_lr: 0.001', "solver_type: ADAM base_lr: 0.001"]
    INVALID = [
        Invalid(
            'type: "Adam"\nsolver_type: ADAM\nbase_lr: 0.1',
            span="solver_type: ADAM",
            message='solver_type is set although type is "Adam"; remove solver_type',
            fixed='type: "Adam"\nbase_lr: 0.1',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if not solver.refusal(Kind.SOLVER_TYPE_TWICE):
            return
        written = solver.written
        yield self.finding(
            solver.at("solver_type"),
            f'solver_type is set although type is "{written.type}"; remove solver_type',
            evidence="Caffe stops while reading the file: solver_type and type cannot both be specified",
            related=(Related("the type", solver.at("type")),),
            fixes=fix(
                "remove solver_type",
                SAFE if solver.at("solver_type").text.upper().endswith(written.type.upper()) else UNSAFE,
                remove(solver, "solver_type"),
            ),
        )
