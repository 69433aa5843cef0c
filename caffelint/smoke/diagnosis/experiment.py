"""Repeats a run with one thing changed, from the same weights and data."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

from caffelint.smoke.alike import Targets
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.tried import CURED, LATER, OTHER, SAME, UNTESTED, Tried
from caffelint.smoke.diagnosis.trouble import (
    BADLY,
    BREAKS,
    CRASHES,
    DIES,
    FLAT,
    GROWS,
    LARGE,
    STOPS,
    TESTS,
    Trouble,
    losses,
    trouble,
)
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import Event, Refused, Tested
from caffelint.smoke.inputs import Unplanned
from caffelint.smoke.loss import FELL, each_of, falls, fell, is_penalty, least_left, left, progress
from caffelint.smoke.outcome import tests_well
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.project import NoProject
from caffelint.smoke.run import Run
from caffelint.smoke.session import Stage
from caffelint.text.edits import Edit

_MORE = 0.8
"""Of what was left of a loss that fell by little: what a cure leaves."""
_HALF = 0.5
"""Of a loss that stayed above what the best constant answer gives."""
_ENOUGH = 0.3
"""Of the iterations: a loss that has fallen by then does fall."""
_BAD = 3.0
"""Times what chance gives: a loss that is still so high has not been cured, however far it fell."""
_FAR = 2.0
"""The score of what is a hundred times out of the ordinary."""
_FREED = 0.9
"""Of a loss that another one kept from falling: what is left of it where it falls."""
_NEAR = 1.05
"""Times what chance gives: a loss there is flat, and not higher, by the noise of batches."""

Trial = tuple[Hypothesis, Change]


class Experiment:
    """A trial that is ready to run, and its result once it did."""

    def __init__(self, trial: Trial, stage: Stage, prepared: Prepared) -> None:
        self.trial = trial
        self.stage = stage
        self.prepared = prepared

    def result(self, events: Sequence[Event], was: Trouble, late: bool, targets: Sequence[Targets] = ()) -> Tried:
        """was: the trouble of the run itself. late: was it perhaps ended by the deadline? targets: of that run, as one
        that is ended does not tell its own."""
        if not any(isinstance(event, Targets) and not event.net for event in events):
            events = [*events, *targets]
        run = self.stage.run(self.prepared, events)
        number = len(run.iterations)
        first, last = losses(run) if number else (0.0, 0.0)
        now = trouble(run)
        if now is not None and now.kind == LARGE != was.kind:
            now = None  # small weights take a large update where nothing is wrong
        # What surely gave nan is cured where it gives none; so few iterations need not learn.
        ended_by_proof = was.kind == BREAKS and self.trial[0].proved
        if (was.kind == TESTS or ended_by_proof) and now is not None and now.kind == FLAT:
            now = None
        if now is not None and now.kind == DIES and fell(run):
            now = None  # the net learns without those units
        if now is not None and now.kind == CRASHES and not number:
            return Tried(*self.trial, OTHER)  # Caffe does not take it
        # Of several losses one may take longer than until then.
        broke = was.kind in (BREAKS, CRASHES, GROWS)
        share = least_left(run) if self.trial[0].least else left(run) if broke else progress(run)
        if self.trial[0].field in ("holds", "drowns") and (one := self._freed(run, was, late)) is not None:
            return one
        if now is not None and now.kind == FLAT and was.kind == BREAKS and self.trial[0].score >= _FAR:
            # From chance on, it learns as slowly as a sound net may.
            now = None if share < _NEAR and first < _NEAR * last else now
        if now is not None and (now.kind != FLAT or share > _BAD or (share > 1 and not falls(first, last))):
            outcome = LATER if now.iteration > was.iteration else SAME
            if late and number < run.asked and now.kind == LARGE:
                outcome = UNTESTED  # its loss may have fallen yet
            return Tried(*self.trial, outcome, now.kind, now.iteration, first, last, number, share)
        ended = number >= run.asked or (late and number > 2 + max(was.iteration, 0))
        most = self.trial[0].cured
        better = share < _wanted(was.progress) if most is None else last < most * was.last
        better = better and (not self.trial[0].entry or _tests_better(run, was))
        if was.kind in (FLAT, BADLY) and not better:
            return Tried(*self.trial, SAME if ended else UNTESTED, was.kind, was.iteration, first, last, number, share)
        if was.kind == TESTS:
            ended = run.first(Tested) is not None
        ended = ended or (late and was.kind in (BADLY, FLAT, STOPS) and number >= run.asked * _ENOUGH and share < FELL)
        refused = run.first(Refused) is not None
        outcome = CURED if ended and not refused else UNTESTED if late and not refused else OTHER
        return Tried(*self.trial, outcome, "", -1, first, last, number, share)

    def _freed(self, run: Run, was: Trouble, late: bool) -> Tried | None:
        """Does the loss that another one may keep from falling fall without it, which ends no higher than `beside`?

        The sum of both tells only of the larger one. None where a run tells of neither.
        """
        other, held = self.trial[0].layers[:2]
        each = each_of(run)
        if held.name not in each or not (other.name in each or is_penalty(other)):
            return None
        own, beside = each[held.name], run.iterations[-1].losses.get(other.tops[0].name, math.nan)
        beside = each[other.name].last if other.name in each else beside
        number = len(run.iterations)
        ended = number >= run.asked or (late and number >= run.asked * _ENOUGH and own.left < _FREED)
        kind = "" if own.left < _FREED and not beside > self.trial[0].beside else FLAT
        outcome = (SAME if kind else CURED) if ended else UNTESTED
        found = Tried(*self.trial, outcome, kind, was.iteration if kind else -1, own.first, own.last, number, own.left)
        return found._replace(held=held.name, beside=(other.name, beside))


def _tests_better(run: Run, was: Trouble) -> bool:
    """Is TEST good, too, where it tells? Records in another order, or others, may be easier to train on."""
    return math.isnan(was.tested) or tests_well(run)


def _wanted(progress: float) -> float:
    """What a cure leaves, at most, of a loss of which so much was left: see `progress`."""
    return max(FELL, progress * _HALF) if progress > FELL else progress * _MORE


def experiment(stage: Stage, engine: Engine, trial: Trial, number: int, iterations: int) -> Experiment | None:
    """Ready to run for so many iterations; None if there is no such project."""
    changed = copy.copy(stage)
    edits: dict[str, list[Edit]] = {}
    for file, edit in trial[1].edits:
        edits.setdefault(file, []).append(edit)
    try:
        changed.project = stage.project.changed(edits)
        wishes: dict[str, Any] = {"skips": trial[1].skips} if trial[1].loads else {"weights": ""}
        if trial[1].weights:
            wishes["weights"] = trial[1].weights
        if trial[1].seed:
            wishes["seed"] = trial[1].seed
        return Experiment(trial, changed, changed.prepare(engine, f"try{number}", iterations=iterations, **wishes))
    except (NoProject, Unplanned, ValueError):
        return None
