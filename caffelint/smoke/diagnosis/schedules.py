"""Schedules that take the rate away from what base_lr says: up, down in a few iterations, or from the start."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint.edits import join, write
from caffelint.lint.lasting import early_drops, in_iterations, slower
from caffelint.smoke.diagnosis.change import Change, of_one, of_solver
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.run import Run

_PROVED = 10.0
_RISES, _FALLS, _HELD = 3.0, 0.01, 1e-3
_PART = 0.1
_DROPPED = 0.5
"""Of the first rate, what drops leave that came within the run, and too early for the training."""


def schedules(run: Run, after: int | None) -> Iterator[Hypothesis]:
    """after: the iteration that broke. field: `falls`, `held` or "" for a rise. value, figure: the rate at first, and
    at the end; for `held` that of base_lr, and the highest that was used."""
    used = [abs(event.rate) for event in run.iterations]
    if not used:
        return
    place = run.solver.at(_field(run))
    if held_back(run):
        base, most = run.solver.message.base_lr, max(used)
        score = math.log10(base / most) if most > 0 else _PROVED
        changes = (*_slower(run), *of_solver(run, "lr_policy", '"fixed"'))
        if run.solver.schedule.policy == "sigmoid":
            changes = changes[::-1]  # chosen for a decay, which it is not
        yield Hypothesis("schedule", place, score, changes, "held", (), base, most)
    elif used[-1] < _FALLS * used[0] or (_is_early(run) and used[-1] < _DROPPED * used[0]):
        score = math.log10(used[0] / used[-1]) if used[-1] > 0 else _PROVED
        score = max(score, STRONG) if _is_early(run) else score
        changes = (*_in_iterations(run), *_slower(run), *_as_at_first(run, used[0]))
        yield Hypothesis("schedule", place, score, changes, "falls", (), used[0], used[-1])
    before = [one.rate for one in run.iterations if after is None or one.iteration < max(after, 1)]
    if before and abs(before[-1]) > _RISES * abs(before[0]) > 0:
        rises = abs(before[-1] / before[0])
        score = 1 + (math.log10(rises) if math.isfinite(rises) else _PROVED)
        place, changes = run.solver.at("lr_policy"), _as_at_first(run, before[0])
        yield Hypothesis("schedule", place, score, changes, value=before[0], figure=before[-1])


def held_back(run: Run) -> bool:
    """Does the schedule leave next to nothing of base_lr, in all of the run and for a good part of the training?"""
    message, schedule = run.solver.message, run.solver.schedule
    if not hardly_begun(run) or schedule.problem:
        return False
    end = max(message.max_iter, len(run.iterations))
    reached = schedule.first(lambda rate: abs(rate) >= _HELD * abs(message.base_lr), end)
    return reached is None or reached[0] > _PART * end


def hardly_begun(run: Run) -> bool:
    """Was nothing of base_lr used in the run but next to nothing? Then it says nothing of base_lr."""
    used = [abs(event.rate) for event in run.iterations]
    return bool(used) and max(used) < _HELD * abs(run.solver.message.base_lr)


def _field(run: Run) -> str:
    """The last field of the policy that is written in the solver."""
    written = [field for field in run.solver.schedule.reads if run.solver.has(field)]
    return written[-1] if written else "lr_policy"


def _is_early(run: Run) -> bool:
    """Do drops leave next to nothing of the rate for nearly all of the training?"""
    return early_drops(run.solver.message, _PART) is not None


def _in_iterations(run: Run) -> tuple[Change, ...]:
    """The same drops, counted in epochs, where that is within the training."""
    early = early_drops(run.solver.message, _PART)
    layers = [layer for layer in run.built[0].layers if layer.batch_size > 0 and run.fed.held(0, layer.name)]
    first = max(layers, key=lambda layer: run.fed.held(0, layer.name), default=None)
    if early is None or first is None:
        return ()
    message = run.solver.message
    epoch = run.fed.held(0, first.name) / (first.batch_size * max(message.iter_size, 1))
    found = in_iterations(early, message.max_iter, epoch)
    if early.field == "stepsize":
        return of_solver(run, early.field, found[0]) if found else ()
    edits = join([write(run.solver, early.field, at, value=str(value)) for at, value in enumerate(found)])
    return (Change(" ".join(f"{early.field}: {value}" for value in found), edits),) if edits else ()


def _slower(run: Run) -> tuple[Change, ...]:
    """The same policy, with a value that suits the length of the training."""
    better = slower(run.solver.message, max(run.solver.message.max_iter, len(run.iterations)))
    return of_solver(run, better.field, better.value) if better is not None else ()


def _as_at_first(run: Run, rate: float) -> tuple[Change, ...]:
    """The rate that the run began with, in all iterations."""
    changes = of_solver(run, "lr_policy", '"fixed"')
    if not math.isclose(rate, run.solver.message.base_lr, rel_tol=0.5):
        changes = of_one((*changes, *of_solver(run, "base_lr", float(f"{rate:.1g}"))))
    return changes
