"""Looks for the cause of a run that went wrong: tests hypotheses, the likeliest first, for as long as the run took."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from caffelint.smoke.alike import Targets, Told
from caffelint.smoke.checks import of_python_labels, of_python_layers, of_python_losses
from caffelint.smoke.diagnosis.across import across
from caffelint.smoke.diagnosis.batches import labels_outside, read_batches, records, suspects
from caffelint.smoke.diagnosis.belonging import shifted
from caffelint.smoke.diagnosis.beside import weights_beside
from caffelint.smoke.diagnosis.change import NONE as NO_CHANGE
from caffelint.smoke.diagnosis.change import both
from caffelint.smoke.diagnosis.entries import entries
from caffelint.smoke.diagnosis.experiment import Experiment, Trial, experiment
from caffelint.smoke.diagnosis.forms import expanding, mixing, products, safe_forms, shrinking
from caffelint.smoke.diagnosis.hypotheses import hypotheses, strong
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.losses import holding
from caffelint.smoke.diagnosis.misnamed import misnamed
from caffelint.smoke.diagnosis.outputs import (
    bounded_outputs,
    by_chance,
    dropped,
    dropped_answers,
    rare_targets,
    rectified_scores,
)
from caffelint.smoke.diagnosis.phases import unlike_train
from caffelint.smoke.diagnosis.told import told
from caffelint.smoke.diagnosis.tried import CURED, OTHER, UNTESTED, WELL, Tried
from caffelint.smoke.diagnosis.trouble import (
    BADLY,
    BREAKS,
    CRASHES,
    FLAT,
    GROWS,
    TESTS,
    Trouble,
    badly,
    flat,
    learns,
    objected,
    stuck,
    trouble,
)
from caffelint.smoke.diagnosis.turned import turned_back
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import LABEL, Batch, Done, Event, Gradient, Trying
from caffelint.smoke.followed import SECONDS
from caffelint.smoke.job import CHECKS, FOLLOWS, MORE, Check, Way
from caffelint.smoke.lost import wanted
from caffelint.smoke.outcome import outcome
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.pulled import Doing
from caffelint.smoke.run import Run
from caffelint.smoke.session import FULL, QUICK, Stage

_TIMES = {QUICK: 1.0, FULL: 10.0}
"""As long as the run, for all experiments."""
_LEAST = 6.0
"""Seconds: a run that broke at once leaves no time to find out why."""
_MOST = {QUICK: 8, FULL: 24}
_LEAST_SECONDS = 2.0
"""To read records anew."""
_LAST = False, -math.inf
_PAIRED = 2
"""So many of the likeliest, and the rate, are tried in pairs where none cures alone."""
_LONG_ENOUGH = 25
"""Iterations after those in which a run broke: enough to tell whether a loss falls."""
_WARNED = 1.0
"""A power of ten, by which what a check warns of is tried earlier: it names a fault, and a figure may only show one."""
_SHARE = 0.25
"""Of the time for all experiments, which one may take that goes well."""


class Diagnosis:
    """The other jobs of a child that has done a run: experiments, where it went wrong.

    result: of each. found: what else is known by then of the run, as the gradients of the user's own layers.
    """

    def __init__(self, stage: Stage, engine: Engine, prepared: Prepared) -> None:
        self.result: list[Tried] = []
        self.found: list[Event] = []
        self._asked: list[Prepared] = []
        self._stage = stage
        self._engine = engine
        self._prepared = prepared
        self._found: list[Hypothesis] = []
        self._was: Trouble | None = None
        self._ready: list[Experiment] = []
        self._next = 0
        self._events: list[Event] = []
        self._targets: list[Targets] = []

    def wanted(self, events: Sequence[Event]) -> float:
        """Write down what to run; how many seconds there are for it, 0 for a run that went well."""
        began = time.monotonic()
        how = self._stage.diagnose
        seconds = max(_LEAST, _TIMES[how] * (began - self._stage.started))
        run = self._stage.run(self._prepared, events)
        self._targets = list(run.all(Targets))
        self._was = trouble(run)
        if self._was is not None:
            self._stage.look(seconds / 4)
            self._stage.check_again(run)
            run = self._stage.run(self._prepared, events)
        if batches := suspects(run, self._was):
            self.found += read_batches(run, self._prepared, batches, max(_LEAST_SECONDS, seconds / 4))
            run = self._stage.run(self._prepared, [*events, *self.found])
        if self._was is not None:
            self.found += shifted(run, self._prepared, seconds / 4)
        built = self._prepared.built[0]
        wrong = self._was is not None or not learns(run) or not outcome(run).learns
        if checks := (*of_python_labels(built), *of_python_layers(built)) if wrong else of_python_losses(built):
            self._asked.append(self._check(checks))
        if targets := wanted(run, self._prepared.job.targets):
            self._asked.append(self._follow(targets))
            seconds += SECONDS
        if self._was is None and any(entries(run)):
            self._was = badly(run)
        if self._was is None and any(one.is_warned for one in told(run, ())):
            self._was = objected(run)
        if self._was is not None:
            found = [*safe_forms(run), *unlike_train(run)]
            if self._was.kind != TESTS:
                found += [*records(run), *hypotheses(run), *by_chance(run, self._was)]
                found += [*expanding(run), *shrinking(run), *products(run), *mixing(run), *bounded_outputs(run)]
                found += [*rare_targets(run)]
                found += [*weights_beside(run), *misnamed(run), *across(run), *turned_back(run)]
                found += [*rectified_scores(run), *dropped(run), *dropped_answers(run)]
            if self._was.kind == FLAT:
                held = [*holding(run)]
                found += held
                seconds *= 1 + bool(held)  # several weights are tried for the one that lets both learn
            if self._was.kind == FLAT or stuck(run):
                # A sound run may take longer to learn, and no rate moves what gets no gradient.
                found = [one for one in found if strong(run, one)]
            self._found = sorted([*found, *told(run, found)], key=lambda one: -one.score - _WARNED * one.is_warned)
            if self._was.kind == FLAT and not flat(run):
                names = ("inverted", "swapped", "across", "turned")
                self._found = [one for one in self._found if one.field in names]
            if self._was.kind == BADLY:
                entered = [one for one in self._found if one.entry]
                self._found = entered or [one for one in told(run, ()) if one.is_warned]
            unchanged = [one for one in self._found if one.score >= STRONG and not one.changes]
            self.result += [Tried(one, NO_CHANGE, UNTESTED) for one in unchanged]
            crashed = self._was.kind == CRASHES and any(one[1] == LABEL for each in run.all(Batch) for one in each.bad)
            if crashed or labels_outside(run):
                self._found = []  # a label outside of the classes makes Caffe read and write outside of its memory
            asked = run.asked
            if self._was.kind in (BREAKS, CRASHES, GROWS):
                asked = min(run.asked, max(2 * max(self._was.iteration, 0) + _LONG_ENOUGH, _affordable(run, seconds)))
            for number, trial in enumerate([*[*_in_order(self._found)][: _MOST[how]], *_in_pairs(self._found)]):
                if time.monotonic() - began < seconds / 2:
                    ready = experiment(self._stage, self._engine, trial, number, asked)
                    self._ready += [ready] if ready else []
                    self.result += [] if ready else [Tried(*trial, OTHER)]
                else:
                    self.result.append(Tried(*trial, UNTESTED))
        jobs = [*self._asked, *(one.prepared for one in self._ready)]
        left = max(seconds / 2, seconds - (time.monotonic() - began)) if jobs else 0.0
        path = Path(self._prepared.path).with_name(MORE)
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps({"jobs": [job.path for job in jobs], "seconds": left}), "utf-8")
        os.replace(beside, path)
        return left if jobs else left + 1.0

    def _follow(self, ways: tuple[Way, ...]) -> Prepared:
        """Which layer loses what tells the targets?"""
        return self._stage.prepare(self._engine, "followed", mode=FOLLOWS, statistics_every=0).changed(ways=ways)

    def _check(self, checks: tuple[Check, ...]) -> Prepared:
        """A check of the gradients of the user's own layers, and of what losses lead scores to."""
        ready = self._stage.prepare(self._engine, "gradients", still=True, mode=CHECKS, statistics_every=0)
        return ready.changed(checks=checks)

    def take(self, event: Event) -> bool:
        """An event of an experiment. Would what is left to try change nothing?"""
        if not isinstance(event, Trying):
            self._events.append(event)
            return False
        self._judge(late=False)
        return self._enough()

    def end(self) -> None:
        """No more events come."""
        self._judge(late=True)
        self.result += [Tried(*one.trial, UNTESTED) for one in self._ready[self._next :]]

    def _judge(self, late: bool) -> None:
        if self._events and self._asked:
            self.found += [event for event in self._events if isinstance(event, Gradient | Doing | Told)]
            self._events = []
            del self._asked[0]
        elif self._events and self._was is not None:
            self.result.append(self._ready[self._next].result(self._events, self._was, late, self._targets))
            self._next += 1
            self._events = []

    def _enough(self) -> bool:
        """Has one made the net learn that is likelier than all that is left, and is the rate tested?"""
        pairs = self._next < len(self._ready) and self._ready[self._next].trial[0].also is not None
        if pairs and any(one.outcome == CURED and not one.idles and not one.left > WELL for one in self.result):
            return True
        if self._stage.diagnose == FULL:
            return False
        tested = {id(one.hypothesis) for one in self.result if one.outcome != UNTESTED}
        cured = (
            one.hypothesis.rank for one in self.result if one.outcome == CURED and one.learned and not one.left > WELL
        )
        best = max(cured, default=_LAST)
        left = [one for one in self._found if id(one) not in tested and one.changes]
        return best > max((one.rank for one in left), default=_LAST) and all(one.kind != "rate" for one in left)


def _affordable(run: Run, seconds: float) -> int:
    """How many iterations an experiment may have; 0 where it is not known how long one takes."""
    done = run.first(Done)
    return int(_SHARE * seconds * done.iterations / done.seconds) if done is not None and done.seconds > 0 else 0


def _in_order(found: Sequence[Hypothesis]) -> Iterator[Trial]:
    """The first change of each, the rate second at the latest, then what else may help."""
    able = [one for one in found if one.changes]
    rates = [one for one in able[1:] if one.kind == "rate"]
    for one in (*able[:1], *rates, *(one for one in able[1:] if one.kind != "rate")):
        yield one, one.changes[0]
    for one in able:
        for change in one.changes[1:]:
            yield one, change


def _in_pairs(found: Sequence[Hypothesis]) -> Iterator[Trial]:
    """Two of the likeliest at once, or one and the rate, where neither may cure without the other."""
    able = [one for one in found if one.changes]
    rates = [one for one in able if one.kind == "rate"]
    likely = [one for one in able if one.kind != "rate" and one.score > 0][:_PAIRED]
    for first, second in combinations(sorted([*likely, *rates], key=lambda one: -one.score), 2):
        for change in both(first.changes[0], second.changes[0]):
            yield first._replace(changes=(change,), also=second), change
