from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Solver,
    SolverRule,
    fix,
    quoted,
    write,
)

_DEFAULT = "SGD"
_TYPES = (_DEFAULT, "Nesterov", "AdaGrad", "RMSProp", "AdaDelta", "Adam")
_ALL = ", ".join(_TYPES)
_OTHERS = {"adamw", "adamax", "nadam", "amsgrad", "radam", "adamp", "lamb", "lars", "adafactor", "adabelief"}
"""Optimizers of these names exist elsewhere: such a name is not a typo."""


class UnknownSolverType(SolverRule):
    """`type` is not a solver that Caffe registers.

    ## Why is this bad?
    The names are case-sensitive: SGD, Nesterov, AdaGrad, RMSProp, AdaDelta, Adam. With any other name Caffe aborts at
    the start. The older field `solver_type` is an enum in capitals, without quotes; such a name fails in `type`.

    ## Example
    ```
    type: "ADAM"
    ```
    Use instead:
    ```
    type: "Adam"
    ```

    ## Known problems
    `caffe.SGDSolver` never reads the type: it is an info where a script of the project builds one, unless a script runs
    this solver by `caffe train`. It is one, too, where a log of the project shows that its Caffe took the type.

    ## Fix safety
    Safe if only the case is wrong, since Caffe refuses the type as it is. Otherwise unsafe, since the name is a guess.

    ## References
    - solver_factory.hpp, CreateSolver; _caffe.cpp, where SGDSolver is built without it
    """

    code = "S005"
    name = "unknown-solver-type"
    severity = ERROR
    VALID = ['type: "Adam" base_lr: 0.001', "solver_type: ADAM base_lr: 0.001", "base_lr: 0.1"]
    INVALID = [
        Invalid(
            'type: "ADAM" base_lr: 0.001',
            span='type: "ADAM"',
            message='type "ADAM" is unknown, so Caffe stops at the start; did you mean "Adam"?',
            fixed='type: "Adam" base_lr: 0.001',
        ),
        Invalid(
            'type: "Nestrov" base_lr: 0.001',
            span='type: "Nestrov"',
            message='type "Nestrov" is unknown, so Caffe stops at the start; did you mean "Nesterov"?',
            fixed='type: "Nesterov" base_lr: 0.001',
        ),
        Invalid(
            'type: "AdamW" base_lr: 0.001',
            span='type: "AdamW"',
            message=f'type "AdamW" is not in any known Caffe, so Caffe stops at the start; set one of {_ALL}',
        ),
        Invalid(
            'type: "AdamW" base_lr: 0.001',
            span='type: "AdamW"',
            message=f'type "AdamW" is unknown in dialect bvlc, so Caffe stops at the start; set one of {_ALL}',
            options={"dialect": "bvlc"},
        ),
        Invalid(
            'type: "SAG" base_lr: 0.001',
            span='type: "SAG"',
            message='type "SAG" is known only to NVIDIA Caffe (NVIDIA/caffe), so BVLC\'s Caffe stops at the start',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        type_ = solver.type
        own = solver.caffe.registered.solvers if solver.caffe else frozenset()
        if _DEFAULT not in own:
            own = frozenset()  # not all of its sources are there
        if type_ in own if own else type_ in _TYPES or solver.dialect in solver.type_forks:
            return
        runs = solver.runs
        # By the tool, the type is read.
        if runs and runs.customs.builds_sgd and not runs.by_tool:
            yield self.finding(
                solver.at("type"),
                f'type "{type_}" is unknown, and ignored where a script builds an SGDSolver; for another type, write a'
                " known one and use caffe.get_solver",
                evidence=str(runs.customs.builds_sgd),
                severity=INFO,
                certainty=LIKELY,
            )
            return
        near = _near(type_)
        near = "" if own and near not in own else near
        fork_only = bool(solver.type_forks) and not (solver.dialect or own)
        certain = bool(solver.dialect or own or near) and not fork_only
        if fork_only:
            names = solver.fork_names(solver.type_forks)
            message = f'type "{type_}" is known only to {names}, so BVLC\'s Caffe stops at the start'
            message += f'; did you mean "{near}"?' if near else ""
        elif near:
            message = f'type "{type_}" is unknown, so Caffe stops at the start; did you mean "{near}"?'
        else:
            where = f"unknown in dialect {solver.dialect}" if certain else "not in any known Caffe"
            where = "unknown in this project's Caffe" if own else where
            known = ", ".join(sorted(own)) if own else _ALL
            message = f'type "{type_}" is {where}, so Caffe stops at the start; set one of {known}'
        yield self.finding(
            solver.at("type"),
            message,
            evidence=f"Caffe stops at the start: Unknown solver type: {type_}",
            severity=None if certain else WARNING,
            certainty=None if certain else LIKELY,
            fixes=fix(
                f'set type: "{near}"',
                SAFE if type_.lower() == near.lower() else UNSAFE,
                write(solver, "type", value=quoted(near)),
            )
            if near and not fork_only
            else (),
        )


def _near(name: str) -> str:
    """The type that was probably meant; empty if no name is close."""
    from difflib import get_close_matches

    known = {type_.lower(): type_ for type_ in _TYPES}
    plain = name.lower().replace("_", "").replace(" ", "").removesuffix("solver")
    found = get_close_matches(plain, known, 1, 0.75) if plain not in _OTHERS else []
    return known[found[0]] if found else ""
