"""How little a loss falls, in words."""

from __future__ import annotations

import math

from caffelint.lint import title
from caffelint.smoke.rule import Run, begins, best_constant, ends, falls, lags, outcome, slowest

from ._numbers import number

_HALF = 2


def hardly_falls(run: Run) -> str:
    of, first, last, count = "the loss", begins(run), ends(run), len(run.iterations)
    if falls(first, last) and (least := slowest(run)) is not None:
        of, first, last = f"the loss of {title(least[0])}", *least[1:]
    how, to = "hardly falls:" if last < first else "does not fall:", ""
    if last < first / _HALF:
        how, to = "falls only from", ""
        if not lags(run):
            tested = outcome(run).tested
            to = "" if math.isnan(tested) else f", and is {number(tested)} in TEST"
        elif not math.isnan(best_constant(run)):
            to = ", but not below that of an answer that is always the same"
    return f"{of} {how} {number(first)} to {number(last)} in {count} iterations{to}"
