"""Schedules that take the rate away from what base_lr says: up, down in a few iterations, or from the start."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint.lasting import slower
from caffelint.smoke.diagnosis.change import Change, of_one, of_solver
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.run import Run

_PROVED = 10.0
_RISES, _FALLS, _HELD = 3.0, 0.01, 1e-3
_PART = 0.1


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
    elif used[-1] < _FALLS * used[0]:
        score = math.log10(used[0] / used[-1]) if used[-1] > 0 else _PROVED
        changes = (*_slower(run), *_as_at_first(run, used[0]))
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
