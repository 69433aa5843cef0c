"""What several solver rules ask of a solver's text."""

from __future__ import annotations

from caffelint.lint import Solver, compiled_later, file_name

AT_FIRST_UPDATE = "Caffe stops only at the first update, after loading the data and a whole test pass"
DECAY_FIELDS = ("gamma", "power", "stepsize", "stepvalue")
NET_FIELDS = ("net", "net_param", "train_net", "train_net_param")


_TEMPLATE = compiled_later(r"(?i)template|tmpl|skeleton")


def is_completed(solver: Solver) -> bool:
    """Whether a script fills the file in before Caffe reads it, by the file's name or by placeholders in it."""
    return bool(_TEMPLATE.search(file_name(solver.path)) or solver.bound.placeholders)


def refuses_momentum(solver: Solver) -> bool:
    """Whether Caffe stops at the start since a solver of this type takes no momentum (adagrad and rmsprop_solver)."""
    return solver.type in ("AdaGrad", "RMSProp") and bool(solver.message.momentum)
