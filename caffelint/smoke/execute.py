"""Runs a job with an engine, and again layer by layer if it died or hung without saying where."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from caffelint.smoke import engines
from caffelint.smoke.advice import no_gpu, other_engine, unseen
from caffelint.smoke.child import More, run_child
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import (
    BLOBS,
    BUFFERS,
    GRADIENTS,
    WEIGHTS,
    Crashed,
    Event,
    Iteration,
    NonFinite,
    Note,
    OutOfMemory,
    PythonLayer,
    Refused,
    Running,
    Statistics,
    TimedOut,
)
from caffelint.smoke.job import MORE, SERVES
from caffelint.smoke.memory import Needs, needs, solver_type, there
from caffelint.smoke.prepare import Prepared

_TRACED_SECONDS = 120.0
_SAID = 300
_LEAST_TOLD = 1 << 20


def execute(
    engine: Engine, prepared: Prepared, on_event: Callable[[Event], None], more: More | None = None
) -> list[Event]:
    """The events of a job, the reason for its end last. Raises NoEngine where the engine cannot run at all.

    more: gives the same child other jobs when this one is done.
    """
    if too_much := _needs_too_much(prepared, engine.name):
        return [too_much]
    folder = os.path.dirname(prepared.path)
    started = prepared
    if more is not None:
        started = prepared.changed("serve.json", mode=SERVES, main=prepared.path, more=os.path.join(folder, MORE))
    try:
        found = run_child(engine.start(folder), started.job, started.path, on_event, more)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise engines.NoEngine(f'"{engine.command[0]}" cannot be started: {reason} ({engine.why})') from error
    events = [_as_named(event, prepared.named) for event in found]
    events = [_counted(prepared, engine.name, one) if isinstance(one, OutOfMemory) else one for one in events]
    last = events[-1]
    if problem := unseen(engine, last, folder) or no_gpu(engine, last):
        raise engines.NoEngine(problem)
    if engine.name == engines.CAFFE and len(events) == 1 and isinstance(last, Crashed | PythonLayer):
        # The first event of the runner is Caffe's version.
        said = (last.said if isinstance(last, Crashed) else last.message)[:_SAID] or "it ended without an error message"
        raise engines.NoEngine(f'"{engine.command[0]}" cannot import caffe: {said} ({engine.why})')
    if advice := other_engine(engine, last, prepared.built):
        on_event(Note(advice))
    if _is_nameless(events):
        events = _traced(engine, prepared, events, on_event)
    if more is not None and isinstance(last, Crashed):
        # Its other jobs died with it.
        again = started.changed("again.json", main="")
        run_child(engine.start(folder), again.job, again.path, more=more, before=events)
    return events


def _is_nameless(events: list[Event]) -> bool:
    """Did it end at a layer that is not known?"""
    last = events[-1]
    started = any(isinstance(event, Iteration | Running) for event in events)
    if isinstance(last, Refused):
        return not last.layer and (last.during == "run" or started)
    slow = isinstance(last, TimedOut) and (bool(last.file) or sum(isinstance(event, Iteration) for event in events) > 1)
    return isinstance(last, Crashed | TimedOut) and not slow


def _traced(engine: Engine, prepared: Prepared, events: list[Event], on_event: Callable[[Event], None]) -> list[Event]:
    """The same events, with the layer at which it ended before the last, and the input statistics before that."""
    last = events[-1]
    seconds = min(prepared.job.timeout or _TRACED_SECONDS, _TRACED_SECONDS)
    traced = prepared.changed("traced.json", trace=True, timeout=seconds)
    on_event(Note("running again layer by layer to find where it ends"))
    again = run_child(engine.start(os.path.dirname(traced.path)), traced.job, traced.path)
    known = {event[:5] for event in events if isinstance(event, Statistics)}
    came = [event for event in again if isinstance(event, Statistics) and event.iteration < 0]
    where = [event for event in again if isinstance(event, Running)]
    found: list[Event] = [*where[-1:]] if type(again[-1]) is type(last) else []
    # After a value that is not finite a sort or an index may write anywhere.
    found += [event for event in again if isinstance(event, NonFinite)]
    # What writes outside of its memory ends the process at varying places; the input may show why.
    return [*events[:-1], *(event for event in came if event[:5] not in known), *found, last]


def _needs_too_much(prepared: Prepared, engine: str) -> OutOfMemory | None:
    """Why not to start at all: on a CPU the system may kill any process if one takes all memory."""
    limit = there()
    if prepared.job.device != "cpu" or not limit:
        return None
    found = needs(prepared.built, solver_type(prepared.job.solver), engine == engines.CAFFE)
    if found.total <= limit:
        return None
    named = ", ".join(f"{name} take {size >> 30} GiB" for name, size in _parts(found).values() if size >> 30)
    return OutOfMemory(f"{named}; the machine has {limit >> 30} GiB", "cpu", _most(found))


def _counted(prepared: Prepared, engine: str, event: OutOfMemory) -> OutOfMemory:
    """With what the run needs at least."""
    found = needs(prepared.built, solver_type(prepared.job.solver), engine == engines.CAFFE)
    most = _most(found)
    name, size = _parts(found)[most]
    message = f"{event.message}; it needs at least {_amount(found.total)}, of which {name} take {_amount(size)}"
    return event._replace(message=message, most=most) if found.total >= _LEAST_TOLD else event


def _parts(found: Needs) -> dict[str, tuple[str, int]]:
    return {
        BLOBS: ("the blobs", found.blobs),
        GRADIENTS: ("their gradients", found.gradients),
        WEIGHTS: ("the weights with gradients and history", found.weights),
        BUFFERS: ("the buffers of convolutions", found.buffers),
    }


def _most(found: Needs) -> str:
    parts = _parts(found)
    return max(parts, key=lambda part: parts[part][1])


def _amount(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB" if size >= 1 << 30 else f"{size >> 20} MiB"


def _as_named(event: Event, named: Mapping[str, str]) -> Event:
    """With the user's own names in place of the paths of copies."""
    if isinstance(event, Refused):
        for path in sorted(named, key=len, reverse=True):  # one path may begin with another
            event = event._replace(message=event.message.replace(path, named[path]))
    return event
