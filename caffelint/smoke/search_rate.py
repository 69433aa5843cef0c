"""Trains at several rates for the largest base_lr that stays finite (find_lr.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from caffelint.smoke.engines import Engine
from caffelint.smoke.events import Event, Iteration, RateFound, Statistics
from caffelint.smoke.find_lr import Trial, find_lr, trial
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.run import Run
from caffelint.smoke.session import Request, Session, Stage, Watcher, session


def search_rate(request: Request, watcher: Watcher, tell: Callable[[Trial], None]) -> Session:
    """The session's run holds RateFound and the events before any update; if every rate breaks, all of the first run.

    tell: called for each rate when it is done. Raises as `session`.
    """
    return session(request, watcher, partial(_search, tell=tell))


def _search(stage: Stage, tell: Callable[[Trial], None]) -> tuple[Run, Engine]:
    engine = stage.pick()
    runs: list[tuple[Prepared, list[Event]]] = []

    def at(rate: float) -> Trial:
        every = 0 if runs else stage.wishes.iterations
        prepared = stage.prepare(engine, f"rate{len(runs)}", base_lr=rate, statistics_every=every)
        if runs:
            events = stage.execute(engine, prepared, lambda event: None)
        else:
            stage.start(engine, prepared)
            events = stage.execute(engine, prepared)
        runs.append((prepared, events))
        done = trial(rate, events)
        tell(done)
        return done

    found = find_lr(stage.project.solver.message.base_lr, at)
    prepared, events = runs[0]
    told = [(one.rate, one.finite, one.loss) for one in found.trials]
    if found.largest:
        events = [event for event in events if isinstance(event, Iteration | Statistics) and event.iteration < 0]
    elif any(one.elsewhere for one in found.trials):
        return stage.run(prepared, events), engine
    return stage.run(prepared, [RateFound(found.largest, found.suggested, len(told), told), *events]), engine
