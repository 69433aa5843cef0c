"""Of several solvers of one net: which one is meant, and which may go on from the weights of another."""

from __future__ import annotations

from caffelint.lint import Solver, file_name

_FIRST = 10
"""By what factor a rate is higher with which a net is trained first."""


def of(solver: Solver) -> str:
    """The solver that is meant, where the place does not tell: of several of one net."""
    trained = solver.train_net
    return f' of "{file_name(solver.path)}"' if trained is not None and len(trained.solvers) > 1 else ""


def goes_on(solver: Solver) -> str:
    """Why a solver may go on from weights that another one has trained; empty where nothing says so."""
    trained, customs = solver.train_net, solver.runs.customs if solver.runs else None
    for other in trained.solvers if trained is not None else ():
        if other.type == solver.type and other.message.base_lr >= _FIRST * solver.message.base_lr:
            rate = f"{other.message.base_lr:g}"
            return f'"{file_name(other.path)}" trains the net at base_lr {rate}, and this one may go on from there'
    if customs and customs.trains_on and not customs.from_scratch:
        return f"{customs.trains_on} gives a training the weights of another one, and no script trains without"
    return ""
