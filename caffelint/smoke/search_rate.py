"""Trains at several rates for the largest base_lr that stays finite (find_lr.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from caffelint.lint.numerics import largest_rate
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import Event, Iteration, RateFound, Statistics
from caffelint.smoke.find_lr import Trial, find_lr, trial
from caffelint.smoke.learning import dead_layers
from caffelint.smoke.loss import FELL, TAIL, begins, ends, falls, losses, progress, same_label
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.run import Run
from caffelint.smoke.session import Request, Session, Stage, Watcher, session


def search_rate(request: Request, watcher: Watcher, tell: Callable[[Trial], None]) -> Session:
    """The session's run holds RateFound and the events before any update; if every rate breaks, all of the first run.

    tell: called for each rate when it is done. Raises as `session`.
    """
    return session(request, watcher, partial(_search, tell=tell))


_SWINGS, _MORE = 2.0, 0.5


def _search(stage: Stage, tell: Callable[[Trial], None]) -> tuple[Run, Engine]:
    engine = stage.pick()
    runs: list[tuple[Prepared, list[Event]]] = []

    def at(rate: float) -> Trial:
        every = stage.wishes.iterations
        prepared = stage.prepare(engine, f"rate{len(runs)}", base_lr=rate, statistics_every=every)
        if runs:
            events = stage.execute(engine, prepared, lambda event: None)
        else:
            stage.start(engine, prepared)
            events = stage.execute(engine, prepared)
        runs.append((prepared, events))
        done = trial(rate, events)
        run = stage.run(prepared, events)
        if done.finite and (label := same_label(run)) is not None:
            # No rate will tell more.
            done = done._replace(finite=False, elsewhere=True, idle=f"every label is {label:g}")
        elif done.finite:
            done = done._replace(idle=idle(run))
        tell(done)
        return done

    solver = stage.project.solver
    start = solver.message.base_lr
    found = find_lr(start, at, largest_rate(solver))
    prepared, events = runs[0]
    told = [(one.rate, one.finite, one.loss) for one in found.trials]
    if found.largest:
        events = [event for event in events if isinstance(event, Iteration | Statistics) and event.iteration < 0]
    elif any(one.elsewhere for one in found.trials):
        return stage.run(prepared, events), engine
    reasons = Counter(one.idle for one in found.trials if one.idle)
    own = next((one.idle for one in found.trials if one.rate == start), "")
    nothing = own if found.suggested or not reasons else reasons.most_common(1)[0][0]
    rates = RateFound(found.largest, found.suggested, len(told), told, nothing)
    return stage.run(prepared, [rates, *events]), engine


def idle(run: Run) -> str:
    """Why a run that stayed finite learned nothing, in words; "" if it learned, or is too short to tell."""
    if same_label(run) is not None:
        return f"every label is {same_label(run):g}, so any rate learns to give it"
    dead = next((layer for layer in dead_layers(run)), None)
    if dead is not None:
        return f'every output of "{dead.name}" is 0'
    if len(run.iterations) < 2 * TAIL:
        return ""
    first, highest = begins(run), max(losses(run)[len(run.iterations) // 2 :])
    if highest > max(_SWINGS * abs(first), first + _MORE):
        return f"the loss goes up and down, and is {highest:.4g} in between"
    if not progress(run) > FELL:
        return ""
    if falls(begins(run), ends(run)):
        return f"the loss ends at {ends(run):.4g}, no lower than with an answer that is always the same"
    return f"the loss does not fall, {begins(run):.4g} to {ends(run):.4g}"
