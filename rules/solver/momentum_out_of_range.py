from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, UNSAFE, WARNING, Finding, Invalid, Solver, SolverRule, fix, write

_OF_A_TENTH = ("0.09", "0.095", "0.099")
"""What a zero too many makes of common values; none of 2,061 published solvers has one of these."""


class MomentumOutOfRange(SolverRule):
    """`momentum` is negative, 1 or more, or a tenth of what it usually is.

    ## Why is this bad?
    Momentum is the share of the last update that goes into the next one. At 1 or more, past updates never fade, and
    training diverges. In Adam, where momentum is beta1, the bias correction divides by 1 - momentum ^ t, which is 0 for
    a momentum of 1. Caffe checks nothing. Common values are 0.9 and 0.95.

    ## Example
    ```
    base_lr: 0.01 momentum: 1
    ```
    Use instead:
    ```
    base_lr: 0.01 momentum: 0.9
    ```

    ## Fix safety
    Unsafe: every update changes. There is a fix only for a negative sign, and for 5 to 9, read as 0.5 to 0.9.

    ## References
    - sgd_solver.cpp, nesterov_solver.cpp, adam_solver.cpp, ComputeUpdateValue
    """

    code = "S202"
    name = "momentum-out-of-range"
    severity = ERROR
    VALID = ["base_lr: 0.01 momentum: 0.99", "base_lr: 0.01 momentum: 0", 'base_lr: 0.1 momentum: 2 type: "AdaGrad"']
    INVALID = [
        Invalid(
            "base_lr: 0.01 momentum: 1",
            span="momentum: 1",
            message="momentum 1 is not below 1, so past updates never fade and training diverges; try momentum: 0.9",
        ),
        Invalid(
            'base_lr: 0.01 momentum: 9 type: "Nesterov"',
            span="momentum: 9",
            message="momentum 9 is not below 1, so past updates never fade and training diverges; try momentum: 0.9",
            fixed='base_lr: 0.01 momentum: 0.9 type: "Nesterov"',
        ),
        Invalid(
            'base_lr: 0.01 momentum: 1 type: "Adam"',
            span="momentum: 1",
            message="momentum 1 is not below 1, so Adam divides by 1 - momentum ^ t = 0; try momentum: 0.9",
        ),
        Invalid(
            'base_lr: 1 momentum: 1 type: "AdaDelta"',
            span="momentum: 1",
            message="momentum 1 is not below 1, so the running averages of AdaDelta, which uses it as its decay,"
            " never change; try momentum: 0.95",
        ),
        Invalid(
            "base_lr: 0.01 momentum: -0.9",
            span="momentum: -0.9",
            message="momentum -0.9 is negative, so each update takes back part of the previous one; try momentum: 0.9",
            fixed="base_lr: 0.01 momentum: 0.9",
        ),
        Invalid(
            "base_lr: 0.01 momentum: 0.09",
            span="momentum: 0.09",
            message="momentum 0.09 is a tenth of the usual 0.9; set that, or 0 for none",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        momentum, type_ = solver.message.momentum, solver.type
        # AdaGrad and RMSProp refuse any momentum: momentum-not-supported says so.
        if type_ in ("AdaGrad", "RMSProp"):
            return
        if f"{momentum:.4g}" in _OF_A_TENTH:
            yield self.finding(
                solver.at("momentum"),
                f"momentum {momentum:g} is a tenth of the usual {10 * momentum:g}; set that, or 0 for none",
                severity=WARNING,
                certainty=LIKELY,
            )
        if 0 <= momentum < 1:
            return
        severity = None
        if momentum < 0:
            why, severity = "each update takes back part of the previous one", WARNING
        elif type_ == "AdaDelta":
            why, severity = "the running averages of AdaDelta, which uses it as its decay, never change", WARNING
        elif type_ == "Adam" and momentum == 1:
            why = "Adam divides by 1 - momentum ^ t = 0"
        else:
            why = "past updates never fade and training diverges"
        limit = "is negative" if momentum < 0 else "is not below 1"
        usual = 0.95 if type_ == "AdaDelta" else 0.9
        meant = -momentum if -1 < momentum < 0 else momentum / 10 if 5 <= momentum < 10 else 0
        yield self.finding(
            solver.at("momentum"),
            f"momentum {momentum:g} {limit}, so {why}; try momentum: {meant or usual:g}",
            severity=severity,
            fixes=fix(f"set momentum: {meant:g}", UNSAFE, write(solver, "momentum", value=f"{meant:g}"))
            if meant
            else (),
        )
