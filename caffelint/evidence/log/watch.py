"""When to stop following a log: at the first bad number, once the loss is stuck, or when the run has ended."""

from __future__ import annotations

from collections.abc import Collection

from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.trend import STUCK, trend, whole_chance
from caffelint.evidence.log.values import Logged, TrainingLog

NAN, STUCK_LOSS = "nan", "stuck"
ENDINGS = (NAN, STUCK_LOSS)
_CLAMPED = 3
_EVERY, _PART = 5, 20
"""After so many more losses, or such a part of those that were looked at, all of them are looked at again."""


class Watch:
    """ends: at what to stop. over: has the run ended?"""

    def __init__(self, ends: Collection[str]):
        self.ends = ends
        self.over = False
        self._chance: float | None = None
        self._of: Logged | None = None
        self._seen = 0

    def looks_at(self, log: TrainingLog) -> bool:
        """Is it time to stop? Called after each piece that was read."""
        run = log.run
        if run is None:
            return False
        self.over = run.done or bool(run.ended)
        if NAN in self.ends:
            for one in run.conspicuous.values():
                if one.bad or one.clamped and one.count >= _CLAMPED:
                    return True
        return STUCK_LOSS in self.ends and self._stuck(run)

    def _stuck(self, run: Logged) -> bool:
        loss = run.loss
        if loss is None or loss.count < self._seen + max(_EVERY, self._seen // _PART):
            return False
        self._seen = loss.count
        if self._of is not run:
            self._of, self._chance, self._seen = run, whole_chance(run, Recovered(run)), 0
        found = trend(loss, self._chance)
        return found is not None and found.kind == STUCK
