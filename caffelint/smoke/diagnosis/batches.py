"""Which records a net read when something went wrong: read anew, and compared with the others of their source."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.evidence.data.values import times_beyond
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.trouble import CRASHES, GROWS, Trouble
from caffelint.smoke.events import (
    EXTREME,
    LABEL,
    NOT_FINITE,
    BadRecord,
    Batch,
    NonFinite,
    Running,
)
from caffelint.smoke.job import REAL
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.records import Facts, read_records
from caffelint.smoke.run import Run

_BEFORE = 1000
"""Records before the batch, to compare with."""
_MOST, _MOST_OF_ALL = 1 << 14, 1 << 20
_TIMES = 1000.0
"""The size of most records: what is larger by that is far from the others."""
_MANY, _NEARLY_ALL = 100, 0.98
"""Or of so many records, the size of nearly all: a few are far from them."""
_SURE, _WEAK, _MEASURED = 30.0, -2.0, 3.0

Limits = Mapping[str, tuple[float, float, float]]
"""By top: least and greatest label, and the one that is ignored, nan for none."""


class Suspect(NamedTuple):
    """A batch of a net, -1 if it is not known which."""

    net: int
    number: int


def suspects(run: Run, was: Trouble | None) -> list[Suspect]:
    """The last batch that was read before a value was not finite, the loss grew or the engine crashed; any, where a
    label is outside."""
    broke = next(run.all(NonFinite), None)
    if broke is not None:
        return [Suspect(broke.net, broke.batch)]
    if was is not None and was.kind in (GROWS, CRASHES):
        running = run.first(Running)
        if running is not None and running.net:
            return [Suspect(running.net, -1)]
        passes = max(1, run.solver.message.iter_size)
        return [Suspect(0, (was.iteration + 1) * passes)]
    return [Suspect(0, -1)] if labels_outside(run) else []


def labels_outside(run: Run) -> bool:
    """Were labels, or rows of a table, measured in the TRAIN net that are not among those that there are?"""
    limits = _limits(run.built[0].layers) if run.built else {}
    each = ((limit, one) for name, limit in limits.items() for one in run.values_of(name))
    return any(_outside(limit, one.min) or _outside(limit, one.max) for limit, one in each)


def read_batches(run: Run, prepared: Prepared, wanted: Sequence[Suspect], seconds: float) -> list[Batch]:
    """The records of the batches, in so many seconds."""
    found = []
    for net, number in wanted:
        real = {item.layer for item in prepared.job.inputs if item.net == net and item.source == REAL}
        for layer in prepared.built[net].layers:
            if layer.name in real and layer.batch_size:
                batch = _read(run, prepared, layer, Suspect(net, number), seconds)
                found += [batch] if batch else []
    return found


def _read(run: Run, prepared: Prepared, layer: BuiltLayer, batch: Suspect, seconds: float) -> Batch | None:
    passes = max(1, prepared.job.passes) if not batch.net else 1
    size = layer.batch_size
    ordered = batch.number >= 0 and _in_order(layer)
    start = max(0, batch.number - passes + 1) * size if ordered else 0
    first = max(0, start - _BEFORE)
    # Those that an experiment would read, too.
    ahead = (batch.number + run.asked * passes + 2) * size if ordered else _MOST
    reading = read_records(layer, Path(prepared.path).parent, first, min(ahead - first, _MOST), seconds)
    if reading is None or not reading.facts:
        return None
    every = _bad(reading.facts, _limits(prepared.built[batch.net].layers))
    if not ordered:
        return Batch(batch.net, layer.name, -1, -1, [], len(reading.facts), [one for _, one in every], 0, ())
    own = [(start - first + at) % reading.total for at in range(passes * size)]
    # What is far too large may do its harm in later iterations.
    bad = [pair for pair in every if pair[0] in own] or [pair for pair in every if pair[0] < start - first]
    numbers = {
        place // size for at, _ in every for place in range(first + at, ahead, reading.total) if place // size <= _MOST
    }
    return Batch(
        batch.net,
        layer.name,
        batch.number,
        (first + bad[0][0]) % reading.total // size // passes if bad else batch.number // passes,
        [reading.facts[at].name for at in own if at < len(reading.facts)],
        len(reading.facts),
        [one for _, one in bad],
        len(every) - len(bad),
        sorted(numbers),
    )


def bad_of_all(prepared: Prepared, seconds: float) -> list[Batch]:
    """The records of the TRAIN net that are not as the others are, of as many as can be read in the time."""
    real = {item.layer for item in prepared.job.inputs if item.net == 0 and item.source == REAL}
    found = []
    for layer in prepared.built[0].layers:
        if layer.name in real and layer.batch_size:
            reading = read_records(layer, Path(prepared.path).parent, 0, _MOST_OF_ALL, seconds)
            if reading is not None and reading.facts:
                bad = [one for _, one in _bad(reading.facts, _limits(prepared.built[0].layers))]
                found.append(Batch(0, layer.name, -1, -1, [], len(reading.facts), bad, 0))
    return found


def _in_order(layer: BuiltLayer) -> bool:
    """Are its records read in the order of the source?"""
    p = layer.parameters
    return not (getattr(p, "shuffle", False) or getattr(p, "rand_skip", 0))


def _limits(layers: Sequence[BuiltLayer]) -> Limits:
    """Of what is read as the numbers of classes, or of rows of a table."""
    found: dict[str, tuple[float, float, float]] = {}
    for layer in layers:
        for number, blob in enumerate(layer.bottoms):
            most, ignored = math.nan, math.nan
            if layer.type == "Embed":
                most = layer.message.embed_param.input_dim - 1
            elif layer.is_loss and number and layer.reads_classes(number):
                scores, axis = layer.bottoms[0].shape, layer.class_axis
                if scores and -len(scores) <= axis < len(scores):
                    most = scores[axis] - 1
                loss = layer.message.loss_param
                ignored = loss.ignore_label if loss.HasField("ignore_label") else math.nan
            if not math.isnan(most):
                found[blob.original.name] = 0, most, ignored
    return found


def _outside(limits: tuple[float, float, float], label: float) -> bool:
    low, high, ignored = limits
    return not low <= label <= high and label != ignored


def _bad(facts: Sequence[Facts], limits: Limits) -> list[tuple[int, BadRecord]]:
    """Those that hold what is not finite, or far more than the others do, or no label; the worst of each."""
    usual, limit = {}, {}
    for top in facts[0].tops:
        ends = [one.tops[top][:2] for one in facts if not math.isnan(one.tops[top][0])]
        largest_of = [high if abs(high) > abs(low) else low for low, high in ends]
        sizes = [abs(value) for value in largest_of]
        usual[top] = median(sizes) if sizes else 0.0
        limit[top] = _TIMES * usual[top]
        if len(sizes) >= _MANY:
            nearly_all = sorted(sizes)[int(_NEARLY_ALL * (len(sizes) - 1))]
            beyond = times_beyond([value for value in largest_of if abs(value) > 2 * nearly_all])
            limit[top] = min(limit[top], beyond * nearly_all) if nearly_all else limit[top]
    found = []
    for at, one in enumerate(facts):
        for top, (low, high, nan, inf, below) in one.tops.items():
            largest = max(abs(low), abs(high))
            kind = ""
            if nan or inf:
                kind = NOT_FINITE
            elif top in limits:
                kind = LABEL if _outside(limits[top], low) or _outside(limits[top], high) else ""
            elif largest > limit[top] > 0:
                kind = EXTREME
            if kind:
                found.append((at, BadRecord(one.name, kind, top, low, high, nan, inf, usual[top], below)))
                break
    return found


def records(run: Run) -> Iterator[Hypothesis]:
    """The batch that was read when a run broke, or the loss grew: it goes on without it."""
    passes = max(1, run.solver.message.iter_size)
    for event in run.all(Batch):
        broke = next((one for one in run.all(NonFinite)), None)
        if event.net or event.number < 1:
            continue
        bad = [one for one in event.bad if one.kind != LABEL]
        score = _WEAK
        if any(one.kind == NOT_FINITE for one in bad):
            score = _SURE
        elif bad:
            score = _MEASURED + max(math.log10(max(abs(one.min), abs(one.max)) / one.usual) for one in bad)
        elif broke is None:
            continue
        text = "without the batches of these records" if len(event.bad) + event.later > 1 else "without its batch"
        skips = tuple(event.holding) if bad else tuple(range(event.number - passes + 1, event.number + 1))
        change = Change(text if bad else "without this batch", (), event.layer, skips=skips)
        layers = tuple(one for one in run.built[0].layers if one.name == event.layer)
        place, proved = run.place(event.layer), score >= _SURE
        yield Hypothesis("data", place, score, (change,), "batch-of", layers, len(bad), proved=proved)
