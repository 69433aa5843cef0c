"""What of a solver may be to blame."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.beginning import Beginning
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.suspects.suspect import (
    BREAKS,
    CLIP,
    DECAY,
    DELTA,
    FLAT,
    L1,
    MOMENTUM,
    RATE,
    SCHEDULE,
    SLOW_RATE,
    SUDDEN,
    Suspect,
)
from caffelint.evidence.log.trend import summed
from caffelint.evidence.log.values import Logged

_USUAL = {"SGD": 0.1, "Nesterov": 0.1, "AdaGrad": 0.1, "RMSProp": 0.01, "Adam": 0.01, "AdaDelta": 10.0}
"""Steps of rate and momentum above which an update is out of the ordinary."""
_LOW = 1e-3
"""Of these: below it a rate is."""
_STEPS = 10
"""So many times one update is what it adds up to with the usual momentum."""
_HIGH_MOMENTUM = 0.95
_DECAY = 5e-4
_HIGH_DECAY = 0.02
_TAKEN, _OVERSHOOTS = 0.02, 2.0
"""Shares of a weight that decay takes in an update, momentum included: nothing is left of it soon; it changes sign."""
_CLIPS = 0.3
_TINY_CLIP = 0.1
_LARGE_DELTA = 1e-2
"""Beside gradients, which are rarely larger, little is left of an update."""
_RISES, _FALLS = 3.0, 0.01
_ROSE, _KILLS = 1.5, 0.9
"""A rate that is too high shows in a loss that rises at first, or it is so high that all units die at once."""
_FEW = 3


def of_solver(run: Logged, recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    solver = recovered.solver
    if solver is None:
        return
    yield from _rate(run, recovered, beginning)
    yield from _decay(recovered, beginning)
    message = solver.message
    if message.momentum > _HIGH_MOMENTUM and solver.type not in ("AdaGrad", "RMSProp"):
        score = 0.5 + math.log10(0.1 / max(1 - message.momentum, 1e-4))
        line = recovered.solver_line("momentum")
        steps = 1 / max(1 - message.momentum, 1e-9)
        yield Suspect(MOMENTUM, score, (BREAKS, FLAT), line, value=message.momentum, figure=steps)
    if solver.type in ("Adam", "RMSProp", "AdaGrad") and message.delta > _LARGE_DELTA:
        score = 2 + math.log10(message.delta / _LARGE_DELTA)
        yield Suspect(DELTA, score, (FLAT,), recovered.solver_line("delta"), value=message.delta)
    if message.clip_gradients >= 0:
        share = beginning.clipped
        known = share is not None
        times = (share if share is not None else message.clip_gradients) or 1e-12
        if times < (_CLIPS if known else _TINY_CLIP):
            line = recovered.solver_line("clip_gradients")
            figure = 1 / times if known else math.nan
            yield Suspect(CLIP, -math.log10(times), (FLAT,), line, value=message.clip_gradients, figure=figure)


def _rate(run: Logged, recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    solver = recovered.solver
    assert solver is not None
    message = solver.message
    usual = _USUAL.get(solver.type, 0.1)
    base = abs(message.base_lr)
    if not 0 < base < math.inf:
        return
    steps = (
        1 / max(1 - message.momentum, 0.01)
        if solver.type in ("SGD", "Nesterov") and -math.inf < message.momentum < 1
        else 1.0
    )
    line = recovered.solver_line("base_lr")
    hottest = beginning.hottest
    high = math.log10(base * steps / usual)
    score = high + 0.3
    if hottest is not None:
        score = min(math.log10(max(hottest, 1e-9)) + (0.5 if hottest >= 1 else 0.0), max(high, 0.0) + 1.0)
        score = max(score, high - 0.2 if high >= _KILLS else -math.inf)
    fell = math.isfinite(calmed(run))
    figure = hottest if hottest is not None else math.nan
    likely = min(base / 10, usual / 10) if math.isnan(figure) or figure < 1 else base / figure / 10
    likely = max(likely, min(base / 10, usual / 100))
    loss = run.loss.finite if run.loss else []
    rose = bool(loss) and max(one.value for one in loss) > _ROSE * abs(loss[0].value)
    kills = (FLAT,) if rose or (high >= _KILLS and (hottest is None or hottest >= 1)) else ()
    yield Suspect(RATE, score, (BREAKS, *kills), line, value=base, figure=figure, better=likely)
    yield Suspect(RATE, score - (1.0 if fell else 0.0), (SUDDEN,), line, value=base, figure=figure, better=likely)
    moves = beginning.moves
    terms = max((summed(layer) for layer in recovered.built.layers), default=0) if recovered.built else 0
    low = usual * _LOW / max(terms, 1)
    if base < low and (moves is None or moves < 0.1):
        score = math.log10(low / base) + 1.5
        figure = moves if moves is not None and moves > 0 else math.nan
        better = usual / max(terms, 1) / max(steps, _STEPS)
        yield Suspect(SLOW_RATE, score, (FLAT,), line, value=base, figure=figure, better=better)
    rates = run.rate
    first = next((abs(point.value) for point in rates.finite if point.value), 0.0) if rates else 0.0
    if rates is None or not first:
        return
    policy = recovered.solver_line("lr_policy")
    sound = [one for one in rates.points if math.isfinite(one.value)]
    most = max(sound, key=lambda one: abs(one.value), default=None)
    if most is not None and abs(most.value) > _RISES * first:
        score = 1 + math.log10(abs(most.value) / first)
        yield Suspect(SCHEDULE, score, (BREAKS,), policy, value=first, figure=abs(most.value))
    late = sound[len(sound) // 4] if sound else None
    if late is not None and abs(late.value) < _FALLS * first:
        score = min(-math.log10(max(abs(late.value) / first, 1e-9)), 6.0)
        yield Suspect(SCHEDULE, score, (FLAT,), policy, value=first, figure=abs(late.value), more=late.iteration)


def calmed(run: Logged) -> float:
    """By what factor the loss fell before it broke, nan where it did not or nobody knows."""
    loss = run.loss
    before = [
        one for one in (loss.finite if loss else ()) if loss and (not loss.bad or one.iteration < loss.bad.iteration)
    ]
    if len(before) < _FEW or not before[0].value or not before[-1].value < 0.9 * before[0].value:
        return math.nan
    return before[-1].value / before[0].value


def _decay(recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    solver = recovered.solver
    assert solver is not None
    message = solver.message
    decay = message.weight_decay
    if not decay or not math.isfinite(decay):
        return
    line = recovered.solver_line("weight_decay")
    share = abs(message.base_lr * decay) / max(1 - max(message.momentum, 0), 1e-3)
    if decay < 0:
        yield Suspect(DECAY, 3.0, (BREAKS,), line, value=decay)
    elif message.regularization_type == "L1":
        weights = beginning.weights
        if weights and share > _TAKEN * weights:
            score = 2 + math.log10(share / (_TAKEN * weights))
            yield Suspect(L1, score, (FLAT,), line, value=decay, figure=weights / share)
        elif not weights and decay >= _HIGH_DECAY:
            yield Suspect(L1, 2.0, (FLAT,), line, value=decay)
    elif share > _OVERSHOOTS:
        yield Suspect(DECAY, 2 + math.log10(share), (BREAKS, FLAT), line, value=decay, figure=share)
    elif decay > _HIGH_DECAY:
        yield Suspect(DECAY, math.log10(decay / _DECAY) - 0.6, (FLAT,), line, value=decay)
