"""What the numbers of a run begin with, by its texts, and by what it printed first."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.evidence.log import values
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import Line, Logged
from caffelint.lint.numerics import Judgement, judge, steps
from caffelint.numerics.start import Start, start
from caffelint.numerics.updates import updates

_FAR = 100.0
_CALM = 1.0


class FirstLoss(NamedTuple):
    """A loss as it was printed. targets: the size of its targets, where nothing else makes it so large."""

    layer: str
    value: float
    line: Line
    targets: float = 0.0


class Beginning:
    """Of the training net of a run that starts from its fillers; nothing is known of another one."""

    def __init__(self, run: Logged, recovered: Recovered):
        self.run = run
        self.judgement: Judgement | None = None
        self.is_calm = False
        self._start: Start | None = None
        solver, built, rates = recovered.solver, recovered.built, recovered.schedule
        if run.restored or run.weights or solver is None or built is None or rates is None or built.refusals:
            return
        rate = rates.rate(0)
        if not 0 < rate < math.inf:
            return
        try:
            self._start = start(built)
            self.judgement = judge(built, solver.message, rate, steps=steps(rates, solver.message.max_iter))
            found = updates(start(built, grow=True), solver.message, rate)
        except ArithmeticError:  # beyond what can be told
            return
        self.is_calm = bool(found) and max(one.ratio for one in found) < _CALM

    def far_targets(self) -> FirstLoss | None:
        """A distance that begins far above what the fillers and targets of about 1 make of it."""
        for layer, lost in self._start.losses.items() if self._start else ():
            shape = layer.bottoms[0].shape
            series = self.run.of(values.TRAIN, layer.tops[0].name)
            first = series.points[0] if series and series.points else None
            if not layer.is_distance or shape is None or first is None or first.iteration:
                continue
            if math.isfinite(first.value) and first.value > _FAR * max(lost.value, 1.0):
                targets = math.sqrt(2 * first.value / max(math.prod(shape[1:]), 1))
                return FirstLoss(layer.name, first.value, first.line, targets)
        return None

    def below_zero(self) -> FirstLoss | None:
        """A loss that no valid labels make negative, and is."""
        for layer in self._start.losses if self._start else ():
            series = self.run.of(values.TRAIN, layer.tops[0].name)
            for point in series.finite if series and layer.never_negative and min(layer.loss_weights) >= 0 else ():
                if point.value < 0:
                    return FirstLoss(layer.name, point.value, point.line)
        return None
