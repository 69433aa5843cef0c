"""What several solver rules ask of a solver's text."""

from __future__ import annotations

import re

from caffelint.lint import Solver

AT_FIRST_UPDATE = "Caffe stops only at the first update, after loading the data and a whole test pass"
DECAY_FIELDS = ("gamma", "power", "stepsize", "stepvalue")
NET_FIELDS = ("net", "net_param", "train_net", "train_net_param")


_TEMPLATE = re.compile(r"(?i)template|tmpl|skeleton")


def is_template(solver: Solver) -> bool:
    """Whether a script fills the file in before Caffe reads it, by the file's name or by placeholders in it."""
    name = solver.path.replace("\\", "/").rpartition("/")[2]
    problems = (*solver.document.problems, *solver.bound.problems)
    return bool(_TEMPLATE.search(name)) or any(problem.kind == "unfilled-template" for problem in problems)


def is_written(solver: Solver, field: str) -> bool:
    """Whether a field is in the text, even with a value that could not be read."""
    return solver.document.root.first(field) is not None


def first_written(solver: Solver, *fields: str) -> str:
    """The first of `fields` that is in the text; the last of them where none is."""
    return next((field for field in fields if is_written(solver, field)), fields[-1])


def scales_rates(solver: Solver) -> bool:
    """Whether a fork's LARS or warm-up scales base_lr, so that it is not the rate of the first updates."""
    message = solver.message
    return bool(message.local_lr_auto or message.larc or message.warmup_iter or message.rampup_interval)
