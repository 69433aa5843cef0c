from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, SAFE, Finding, Fix, Invalid, Solver, SolverRule, fix, quoted, write


class UnknownRegularizationType(SolverRule):
    """`regularization_type` is neither "L2" nor "L1".

    ## Why is this bad?
    The name is case-sensitive. Caffe checks it only at the first update, after loading the data and a whole test pass,
    and aborts there. Without weight_decay it never checks.

    ## Example
    ```
    weight_decay: 0.0005 regularization_type: "l2"
    ```
    Use instead:
    ```
    weight_decay: 0.0005 regularization_type: "L2"
    ```

    ## Fix safety
    Safe: only the case is wrong, and Caffe refuses the type as it is.

    ## References
    - sgd_solver.cpp, Regularize
    """

    code = "S209"
    name = "unknown-regularization-type"
    severity = ERROR
    VALID = ['weight_decay: 0.0005 regularization_type: "L1" base_lr: 1', "weight_decay: 0.0005 base_lr: 1"]
    INVALID = [
        Invalid(
            'base_lr: 1 weight_decay: 0.0005 regularization_type: "l2"',
            span='regularization_type: "l2"',
            message='regularization_type "l2" is unknown, so Caffe stops at the first update; write "L2" or "L1"',
            fixed='base_lr: 1 weight_decay: 0.0005 regularization_type: "L2"',
        ),
        Invalid(
            'base_lr: 1 regularization_type: "none"',
            span='regularization_type: "none"',
            message='regularization_type "none" is unknown, but not used without weight_decay; write "L2" or "L1"',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        type_ = solver.message.regularization_type
        if type_ in ("L1", "L2") or solver.caffe and type_ in solver.caffe.registered.regularizations:
            return
        text = f'regularization_type "{type_}" is unknown, so Caffe stops at the first update; write "L2" or "L1"'
        if solver.message.weight_decay == 0:
            text = f'regularization_type "{type_}" is unknown, but not used without weight_decay; write "L2" or "L1"'
            yield self.finding(solver.at("regularization_type"), text, severity=INFO, fixes=_fixes(solver, type_))
        else:
            evidence = f"Caffe stops at the first update: Unknown regularization type: {type_}"
            yield self.finding(solver.at("regularization_type"), text, evidence=evidence, fixes=_fixes(solver, type_))


def _fixes(solver: Solver, type_: str) -> tuple[Fix, ...]:
    known = type_.upper()
    if known not in ("L1", "L2"):
        return ()
    return fix(f'set regularization_type: "{known}"', SAFE, write(solver, "regularization_type", value=quoted(known)))
