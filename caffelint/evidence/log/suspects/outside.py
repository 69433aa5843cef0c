"""What may be to blame that no text tells: data, labels, weights that were loaded, code."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.beginning import Beginning
from caffelint.evidence.log.recovered import Recovered, line_in
from caffelint.evidence.log.suspects.of_solver import calmed
from caffelint.evidence.log.suspects.suspect import (
    BREAKS,
    FIRST,
    FLAT,
    LABELS,
    LARGE,
    LOADED,
    PYTHON,
    RECORDS,
    SUDDEN,
    TARGETS,
    TESTED,
    Suspect,
)
from caffelint.evidence.log.trend import chance_of
from caffelint.evidence.log.values import TRAIN, Logged

_TIMES = 1.8
_EXACT = 2e-5
_LATE = 100


def outside(run: Logged, recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    built = recovered.built
    layers = built.layers if built else []
    source, reader = next(((one.data_source, one.name) for one in layers if one.is_data and one.data_source), ("", ""))
    if source or any(one.is_data for one in layers):
        line = recovered.line_of(reader) if reader else None
        score = 2.2 if beginning.is_calm else 1.6 if math.isfinite(calmed(run)) else 1.2
        yield Suspect(RECORDS, 1.5, (FIRST,), line, reader, name=source)
        yield Suspect(RECORDS, score, (SUDDEN,), line, reader, name=source)
        late = run.iteration is not None and run.iteration >= _LATE
        yield Suspect(RECORDS, 1.2 if beginning.is_calm and late else 0.5, (BREAKS,), line, reader, name=source)
    for text, file in recovered.tests:
        for written in file.net.layers if file.net else ():
            if written.kind.is_data and "TEST" in written.phases:
                line = line_in(text, written.at())
                yield Suspect(RECORDS, 1.4, (TESTED,), line, written.name, name=written.kind.data_source)
                break
    if run.weights:
        name, line = run.weights[0]
        exact = any(_is_exact(run, recovered, layer.tops[0].name) for layer in layers if layer.is_loss and layer.tops)
        yield Suspect(LOADED, 3.5, (FIRST, LARGE), line, name=name)
        yield Suspect(LOADED, 1.0, (BREAKS, SUDDEN), line, name=name)
        yield Suspect(LOADED, 4.0 if exact else 0.5, (FLAT,), line, value=float(exact), name=name)
    for layer in layers:
        if layer.type == "Python":
            line = recovered.line_of(layer.name)
            where = 1.3 if layer.need_backward else 0.6
            yield Suspect(PYTHON, where + 0.5, (FIRST,), line, layer.name)
            yield Suspect(PYTHON, where, (BREAKS, FLAT, SUDDEN), line, layer.name)
            break
    found = beginning.far_targets()
    if found is not None:
        score = math.log10(max(found.targets, 1.0)) + 1.0
        yield Suspect(
            TARGETS,
            score,
            (BREAKS, LARGE, FLAT, SUDDEN),
            recovered.line_of(found.layer),
            found.layer,
            figure=found.targets,
        )
    for one, first, likely in beginning.first_losses():
        chance = chance_of(recovered, one.tops[0].name)
        if chance is not None and first > _TIMES * max(likely, chance.loss):
            line = recovered.line_of(one.name)
            score = 1.5 + math.log10(first / max(likely, chance.loss))
            yield Suspect(LABELS, score, (LARGE, FLAT), line, one.name, first, likely, more=chance.classes)


def _is_exact(run: Logged, recovered: Recovered, top: str) -> bool:
    """Is the first loss that of scores which are all equal?"""
    chance = chance_of(recovered, top)
    series = run.of(TRAIN, top)
    first = series.points[0] if series and series.points else None
    return chance is not None and first is not None and abs(first.value - chance.loss) < _EXACT * chance.loss
