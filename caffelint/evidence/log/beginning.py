"""What the numbers of a run begin with, by its texts, and by what it printed first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.evidence.log import values
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import Line, Logged
from caffelint.lint.numerics import Judgement, judge, steps
from caffelint.numerics.start import Start, start
from caffelint.numerics.updates import Update, clipping, updates

_FAR = 100.0
_CALM = 1.0


class FirstLoss(NamedTuple):
    """A loss as it was printed. targets: the size of its targets, where nothing else makes it so large."""

    layer: str
    value: float
    line: Line
    targets: float = 0.0


class Beginning:
    """Of the training net of a run that starts from its fillers; nothing is known of another one.

    hottest: the largest first update against the weights that it changes, once small ones have grown. moves: that of
    all updates of the training together. clipped: what clip_gradients leaves of the first gradients. scores: the root
    mean square of what the losses read. fades: the smallest gradient of weights against the largest. weights: the
    typical size of weights. None for what is not known.
    """

    def __init__(self, run: Logged, recovered: Recovered):
        self.run = run
        self.judgement: Judgement | None = None
        self.is_calm = False
        self.hottest: float | None = None
        self.moves: float | None = None
        self.clipped: float | None = None
        self.scores: float | None = None
        self.fades: float | None = None
        self.weights: float | None = None
        self._start: Start | None = None
        self._built: BuiltNet | None = None
        solver, built, rates = recovered.solver, recovered.built, recovered.schedule
        if run.restored or run.weights or solver is None or built is None or rates is None or not built.is_sound:
            return
        self._built = built
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
        if found:
            self._figures(recovered, solver.message, found, rate)

    def _figures(self, recovered: Recovered, solver: Any, grown: Sequence[Update], rate: float) -> None:
        begin, rates = self._start, recovered.schedule
        assert begin is not None
        assert rates is not None
        worst = max(one.ratio for one in grown)
        at_once = max((one.ratio for one in updates(begin, solver, rate)), default=0.0)
        self.hottest = min(worst, 10 * at_once)
        self.moves = max(worst, at_once) * steps(rates, solver.max_iter)
        self.clipped = clipping(begin, solver)
        sizes = [one.size for layer in begin.losses if (one := begin.signals.get(layer.bottoms[0])) is not None]
        self.scores = max(sizes, default=None)
        gradients = [value for param, value in begin.learned.items() if param.layer.has_weights and not param.index]
        if gradients and max(gradients) > 0:
            self.fades = min(gradients) / max(gradients)
        self.weights = median(one.weights for one in grown)

    def first_losses(self) -> Iterator[tuple[BuiltLayer, float, float]]:
        """Losses that are a known number of classes or a distance: the first that was printed, and what the net gives
        of targets of about 1.
        """
        for layer, lost in self._start.losses.items() if self._start else ():
            series = self.run.of(values.TRAIN, layer.tops[0].name)
            first = series.points[0] if series and series.points else None
            if first is not None and not first.iteration and math.isfinite(first.value):
                yield layer, first.value, lost.value

    def far_targets(self) -> FirstLoss | None:
        """A distance that begins far above what the fillers and targets of about 1 make of it."""
        if self._built is None:
            return None
        for layer in self._built.layers:
            shape = layer.bottoms[0].shape if layer.is_distance and layer.tops else None
            series = self.run.of(values.TRAIN, layer.tops[0].name) if shape else None
            first = series.points[0] if series and series.points else None
            if shape is None or first is None or first.iteration or not math.isfinite(first.value):
                continue
            each = max(math.prod(shape[1:]), 1)
            lost = self._start.losses.get(layer) if self._start else None
            likely = max(lost.value, 1.0) if lost else float(each)
            if first.value > _FAR * likely:
                return FirstLoss(layer.name, first.value, first.line, math.sqrt(2 * first.value / each))
        return None

    def below_zero(self) -> FirstLoss | None:
        """A loss that no valid labels make negative, and is."""
        for layer in self._start.losses if self._start else ():
            series = self.run.of(values.TRAIN, layer.tops[0].name)
            for point in series.finite if series and layer.never_negative and min(layer.loss_weights) >= 0 else ():
                if point.value < 0:
                    return FirstLoss(layer.name, point.value, point.line)
        return None
