"""A max_iter that does not say how long the training is."""

from __future__ import annotations

from caffelint.lint import Solver, compiled_later

_MANY = 1000
"""Snapshots in a run: who saves so often means to stop it by hand, and take the best."""

_ENDLESS = compiled_later(r"10{6,}|9{6,}")
"""Iterations that stand for no end: a million, ten million."""


def is_endless(solver: Solver) -> bool:
    """Does max_iter stand for no end, or for so many snapshots that the run is to be stopped by hand?"""
    runs, snapshot = solver.message.max_iter, solver.message.snapshot
    return bool(_ENDLESS.fullmatch(str(runs))) or 0 < _MANY * snapshot <= runs


def stepped_by(solver: Solver) -> str:
    """What steps the solver itself, in words; "" for nothing."""
    steps = solver.runs and solver.runs.customs.steps
    return f"{steps} steps a solver itself, so max_iter may mean nothing" if steps else ""
