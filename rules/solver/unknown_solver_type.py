from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
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

_TYPES = ("SGD", "Nesterov", "AdaGrad", "RMSProp", "AdaDelta", "Adam")
_ALL = ", ".join(_TYPES)
_OTHERS = {"adamw", "adamax", "nadam", "amsgrad", "radam", "adamp", "lamb", "lars", "adafactor", "adabelief"}
"""Optimizers of that name exist elsewhere: a name like these is no slip of the pen."""


class UnknownSolverType(SolverRule):
    """`type` names no solver that Caffe registers.

    ## Why is this bad?
    The names are case-sensitive: SGD, Nesterov, AdaGrad, RMSProp, AdaDelta, Adam. With any other Caffe ends the process
    at the start. The older field `solver_type` is an enum in capitals, without quotes; copied into `type` it fails.

    ## Example
    ```
    type: "ADAM"
    ```
    Use instead:
    ```
    type: "Adam"
    ```

    ## Fix safety
    Safe where case alone is wrong: Caffe refuses the type as it stands. Else unsafe, since the name is a guess.

    ## References
    - solver_factory.hpp, CreateSolver
    """

    code = "S005"
    name = "unknown-solver-type"
    severity = ERROR
    VALID = ['type: "Adam" base_lr: 0.001', "solver_type: ADAM base_lr: 0.001", "base_lr: 0.1"]
    INVALID = [
        Invalid(
            'type: "ADAM" base_lr: 0.001',
            span='type: "ADAM"',
            message=f'solver type "ADAM" is unknown, did you mean "Adam"? (case counts: {_ALL})',
            fixed='type: "Adam" base_lr: 0.001',
        ),
        Invalid(
            'type: "Nestrov" base_lr: 0.001',
            span='type: "Nestrov"',
            message=f'solver type "Nestrov" is unknown, did you mean "Nesterov"? (case counts: {_ALL})',
            fixed='type: "Nesterov" base_lr: 0.001',
        ),
        Invalid(
            'type: "AdamW" base_lr: 0.001',
            span='type: "AdamW"',
            message=f'no Caffe that caffelint knows has a solver type "AdamW"; BVLC\'s are {_ALL}',
        ),
        Invalid(
            'type: "AdamW" base_lr: 0.001',
            span='type: "AdamW"',
            message=f'the Caffe of dialect bvlc has no solver type "AdamW"; BVLC\'s are {_ALL}',
            options={"dialect": "bvlc"},
        ),
        Invalid(
            'type: "SAG" base_lr: 0.001',
            span='type: "SAG"',
            message='solver type "SAG" is known to NVIDIA Caffe (NVIDIA/caffe) alone; BVLC\'s Caffe stops at the start',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        type_ = solver.type
        if type_ in _TYPES or solver.dialect in solver.type_forks:
            return
        near = _near(type_)
        fork_only = bool(solver.type_forks) and not solver.dialect
        certain = bool(solver.dialect or near) and not fork_only
        if fork_only:
            names = solver.fork_names(solver.type_forks)
            message = f'solver type "{type_}" is known to {names} alone; BVLC\'s Caffe stops at the start'
        elif near:
            message = f'solver type "{type_}" is unknown, did you mean "{near}"? (case counts: {_ALL})'
        else:
            whose = (
                f"the Caffe of dialect {solver.dialect} has no" if certain else "no Caffe that caffelint knows has a"
            )
            message = f'{whose} solver type "{type_}"; BVLC\'s are {_ALL}'
        yield self.finding(
            solver.at("type"),
            message,
            evidence=f"Caffe stops at the start: Unknown solver type: {type_}",
            severity=None if certain else WARNING,
            certainty=None if certain else LIKELY,
            fixes=fix(
                f'write "{near}"',
                SAFE if type_.lower() == near.lower() else UNSAFE,
                write(solver, "type", value=quoted(near)),
            )
            if near and not fork_only
            else (),
        )


def _near(name: str) -> str:
    """The type that was meant; empty if none is near."""
    from difflib import get_close_matches

    known = {type_.lower(): type_ for type_ in _TYPES}
    plain = name.lower().replace("_", "").replace(" ", "").removesuffix("solver")
    found = get_close_matches(plain, known, 1, 0.75) if plain not in _OTHERS else []
    return known[found[0]] if found else ""
