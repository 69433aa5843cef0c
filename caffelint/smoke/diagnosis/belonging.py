"""Targets that do not go with the data: whether they are those of the records around."""

from __future__ import annotations

from pathlib import Path

from caffelint.smoke.alike import Neighbours
from caffelint.smoke.answers import CHANCE, SURE
from caffelint.smoke.job import REAL
from caffelint.smoke.loss import recalled, staying
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.records import read_neighbours
from caffelint.smoke.run import Run


def shifted(run: Run, prepared: Prepared, seconds: float) -> list[Neighbours]:
    """By blob of targets that a loss learns nothing from, how far they are shifted in their source."""
    found = []
    real = {item.layer for item in prepared.job.inputs if item.net == 0 and item.source == REAL}
    known = {one.name for one in run.all(Neighbours) if one.shift}
    asked = [one for one in run.all(Neighbours) if not one.net and one.beyond < CHANCE and one.name not in known]
    at_chance = {one.name for one in asked if staying(run, one.name) or recalled(run, one.name)}
    for target in prepared.job.targets:
        for layer in run.built[0].layers:
            tops = [top.name for top in layer.tops]
            if target.name in at_chance and layer.name in real and {target.name, target.data} <= {*tops}:
                folder = Path(prepared.path).parent
                every = read_neighbours(layer, folder, target.data, target.name, target.classes, seconds)
                own = next((one for one in every if not one.shift), None)
                best = max(every, key=lambda one: one.beyond, default=None)
                if own is not None and best is not None and own.beyond < CHANCE and best.beyond > SURE:
                    found.append(best)
    return found
