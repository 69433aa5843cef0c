"""A finished run, as rules see it: events joined with the solver, its nets and the findings of a check."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.learning_rate import schedule
from caffelint.caffe.net import Net
from caffelint.caffe.place import Place
from caffelint.caffe.solver import NetUse, Solver
from caffelint.lint.cause import Known, Suggested
from caffelint.lint.file import load
from caffelint.lint.report import ReportedFinding
from caffelint.project.script_customs import Customs
from caffelint.smoke.events import (
    BLOB,
    DATA,
    Event,
    Iteration,
    NonFinite,
    Statistics,
    from_line,
)
from caffelint.smoke.fed import Fed
from caffelint.smoke.project import PlannedNet, Project

if TYPE_CHECKING:
    from caffelint.evidence.weights.evidence import Fit
    from caffelint.smoke.diagnosis.tried import Tried

_Kind = TypeVar("_Kind")
_EVENTS = "events"


class Run:
    """solver, nets: as the user wrote them. built: each net as Caffe builds it, in the order of the job.

    events: all of the run. static: the findings of a check of the same files. synthetic: was any data synthetic?
    asked: the requested iterations. watched: blobs and layers that were measured in every iteration. loaded: did it
    start from weights that were given? tried: the experiments that were made to find out what it broke of. fed: its
    data. fits: what its nets take of the weights that were given. customs: what scripts of the project do with its
    solver.
    """

    def __init__(
        self,
        solver: Solver,
        planned: Sequence[PlannedNet],
        built: Sequence[BuiltNet],
        events: Sequence[Event],
        static: Sequence[ReportedFinding] = (),
        synthetic: bool = True,
        asked: int = 50,
        watched: Sequence[str] = (),
        loaded: bool = False,
    ):
        self.solver = solver
        self.nets: list[Net] = [one.net for one in planned]
        self.planned = planned
        self.built = built
        self.events = events
        self.static = static
        self.synthetic = synthetic
        self.asked = asked
        self.watched = frozenset(watched)
        self.loaded = loaded
        self.tried: Sequence[Tried] = ()
        self.fed = Fed()
        self.fits: Sequence[Fit] = ()
        self.customs = Customs()
        self._statistics: dict[tuple[int, str, str, str, str], Statistics] = {}
        for event in self.all(Statistics):
            self._statistics[event.iteration, event.layer, event.kind, event.name, event.part] = event

    def all(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """The events of one kind."""
        for event in self.events:
            if isinstance(event, kind):
                yield event

    @property
    def has_weights_by_script(self) -> bool:
        """Does a script give its nets weights that no run of this solver makes?"""
        one = self.customs
        return one.hands_over is not None or (one.trains_on is not None and one.from_scratch is None)

    def first(self, kind: type[_Kind]) -> _Kind | None:
        return next(self.all(kind), None)

    @property
    def iterations(self) -> list[Iteration]:
        """Those with an update; without the pass at rate 0."""
        return [event for event in self.all(Iteration) if event.iteration >= 0]

    @property
    def started(self) -> list[Iteration]:
        """The pass at rate 0 and the first iteration: their losses are from before the first update."""
        return [event for event in self.all(Iteration) if event.iteration <= 0]

    @property
    def highest_rate(self) -> float:
        """The highest rate of the solver's schedule; 0 if that cannot be computed."""
        found = schedule(self.solver.message)
        if found.problem:
            return 0.0
        last = max(self.solver.message.max_iter, self.asked)
        rates = [abs(rate) for _, rate in found.extremes(last)]
        return max((rate for rate in rates if math.isfinite(rate)), default=0.0)

    @property
    def finite(self) -> bool:
        """Did it run to the end without a value that is nan or infinite?"""
        return self.first(NonFinite) is None

    def statistics(self, iteration: int, layer: str, kind: str, name: str | int, part: str) -> Statistics | None:
        return self._statistics.get((iteration, layer, kind, str(name), part))

    def values_of(self, blob: str) -> list[Statistics]:
        """The values of a blob each time that they were measured."""
        return [one for one in self.all(Statistics) if (one.kind, one.part, one.name) == (BLOB, DATA, blob)]

    @property
    def measured(self) -> list[int]:
        """The iterations, from -1 on, at which all blobs and parameters were measured."""
        every = list(self.all(Statistics))
        rest = [event for event in every if not self.watched & {event.layer, event.name}]
        return sorted({event.iteration for event in rest or every})

    def layer(self, name: str, net: int = 0) -> BuiltLayer | None:
        """The layer of that name as it is built; None for an unknown name."""
        if not 0 <= net < len(self.built):
            return None
        found = [layer for layer in self.built[net].layers if layer.name == name]
        return found[0] if found else None

    def place(self, layer: str, net: int = 0, *path: str | int) -> Place:
        """The place of a layer or its field in the user's text; for a split, of the layer that makes its blob."""
        if 0 <= net < len(self.nets):
            built = self.layer(layer, net)
            if built is not None and built.index is None and built.bottoms and built.bottoms[0].producer:
                built = built.bottoms[0].producer
            written = self.nets[net].layers
            if built is not None and built.index is not None and built.index < len(written):
                return written[built.index].at(*path)
            for one in written:
                if one.name == layer:
                    return one.at(*path)
            return self.nets[net].at()
        return self.solver.at()

    def line(self, number: int, net: int = 0) -> Place:
        """A line of a net's text, of the solver's if net is -1; copies keep the lines of the user's file."""
        document = self.nets[net].document if net >= 0 else self.solver.document
        starts = document.source.line_starts
        if not 1 <= number <= len(starts):
            return self.nets[net].at() if net >= 0 else self.solver.at()
        text = document.source.line(number)
        start = starts[number - 1] + len(text) - len(text.lstrip())
        return Place(document, start, starts[number - 1] + len(text.rstrip().encode()))

    def _static(self, layers: Sequence[str] = (), rules: Sequence[str] = ()) -> list[ReportedFinding]:
        """The static findings on these layers, and all findings of these rules; the most severe first."""
        found = [
            finding
            for finding in self.static
            if finding.severity in ("error", "warning")
            and (finding.layer in layers and layers or finding.name in rules)
        ]
        return sorted(found, key=lambda finding: finding.severity != "error")

    def known(self, layers: Sequence[str] = (), rules: Sequence[str] = ()) -> tuple[Known, ...]:
        """The most severe of these, for a cause; without their suggestions, which a cause takes up or replaces."""
        found = self._static([layer for layer in layers if layer], rules)[:2]
        return tuple(Known(one.name, one.file, one.line, one.cause.what if one.cause else one.message) for one in found)

    def suggested(self, rule: str) -> list[Suggested]:
        """The values that a static rule suggests, an info as well: a trial tells what it is worth."""
        found = (one.cause for one in self.static if one.name == rule)
        return [cause.suggested for cause in found if cause and cause.suggested]

    @property
    def rate_text(self) -> str:
        """The solver's rate in words: `base_lr 10` and what multiplies it."""
        message = self.solver.message
        text = f"base_lr {message.base_lr:g}"
        if self.solver.type in ("SGD", "Nesterov") and 0 < message.momentum < 1:
            text += f" with momentum {message.momentum:g}"
        return text

    @property
    def loss_layers(self) -> list[BuiltLayer]:
        """Layers of the TRAIN net whose tops have a loss weight."""
        return [layer for layer in self.built[0].layers if any(layer.loss_weights)] if self.built else []


def loss_grew(iterations: Sequence[Iteration]) -> tuple[float, float] | None:
    """The first loss and the largest finite one, if it rose to at least twice the first; else None."""
    losses = [event.loss for event in iterations if math.isfinite(event.loss)]
    if not losses:
        return None
    peak = max(losses, key=abs)
    return (losses[0], peak) if abs(peak) > 2 * abs(losses[0]) and abs(peak) > 1 else None


def run_of(files: Mapping[str, str]) -> Run:
    """The run of an example: files by name, a solver and its nets among them, and under `events` those of the run."""
    texts = {name: text.encode("utf-8", "surrogateescape") for name, text in files.items() if name != _EVENTS}
    loaded = {name: load(data, name) for name, data in texts.items()}
    solver: Any = next(file.solver for file in loaded.values() if file.solver)
    uses = []
    for field in ("net", "train_net", "test_net"):
        value = getattr(solver.message, field)
        for position, name in enumerate([value] if isinstance(value, str) else value):
            file = loaded.get(name) or loaded.get(os.path.basename(name))
            if file and file.net:
                uses.append(NetUse(field, file.net, position))
    solver.join([*uses, *solver.inline_nets])
    planned = Project(solver, loaded).nets()
    built = [
        build(one.net.message, one.job.phase, one.job.stages, one.job.level, assume_inputs=True) for one in planned
    ]
    events = [event for line in files[_EVENTS].splitlines() if (event := from_line(line)) is not None]
    return Run(solver, planned, built, events, synthetic=False)
