"""Compares what two runs computed, and finds where they first differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from caffelint.caffe.built_net import BuiltNet
from caffelint.smoke.arrays import read
from caffelint.smoke.events import Compared
from caffelint.smoke.flow import gets_gradient, readers

LEAST_FORWARD, LEAST_BACKWARD = 1e-4, 1e-3
"""The difference that two runs of the same computation may have: float32, sums in another order."""
_HALF = 100.0
"""This many times that if a net computes in half precision."""
_ROUNDING = 20.0
"""A difference this many times that of rounding is reported: one run with other last digits is a rough measure."""
_CHAOS = 1e-2
"""If last digits alone change an update by this much, the rest is chance and not compared."""


class Parts(NamedTuple):
    """What one run computed: samples by (stage, iteration, layer, number of the top or parameter), in order."""

    names: dict[tuple[str, int, str, int], str]
    values: Callable[[tuple[str, int, str, int]], Any]


def parts_of(folder: str) -> Parts:
    rows, path = read(folder)  # type: ignore[no-untyped-call]
    places = {}
    names = {}
    for number, row in enumerate(rows):
        stage = "update" if row["part"] == "param" else row["part"]
        key = stage, row["iteration"], row["layer"], row["number"]
        names[key], places[key] = row["name"], number

    def values(key: tuple[str, int, str, int]) -> Any:
        return np.load(path(places[key])).astype(np.float64)

    return Parts(names, values)


class Comparison:
    """runs: the first, the first again from other last digits, the second. built: the TRAIN net."""

    def __init__(self, runs: Sequence[Parts], built: BuiltNet) -> None:
        self.first, self.nudged, self.second = runs
        self.built = built
        self.layers = {layer.name: layer for layer in built.layers}
        half = built.message.default_forward_type == 2 or built.message.default_forward_math == 2
        self.scale = _HALF if half else 1.0

    def event(self, names: tuple[str, str], nudge: float) -> Compared:
        rows: list[tuple[str, int, int, float, str, float]] = []
        parted: tuple[tuple[str, int, str, int], float, float, float] | None = None
        before, chaos = 0.0, -1
        for stage, iteration, keys in self._stages():
            measured = [(key, *self._distances(key)) for key in keys]
            if not measured:
                continue
            # In training everything is connected: what moves one parameter far moves all.
            shared = max(noise for _, _, noise in measured) if stage == "update" else 0.0
            least = self.scale * (LEAST_FORWARD if stage == "forward" else LEAST_BACKWARD)
            worst = max(measured, key=lambda one: one[1])
            rows.append((stage, iteration, len(measured), worst[1], self._where(worst[0]), max(shared, worst[2])))
            for key, distance, noise in measured:
                if parted is None and chaos < 0 and distance > max(least, _ROUNDING * max(noise, shared)):
                    parted = key, distance, max(noise, shared), before
                if parted is None:
                    before = max(before, distance)
            if chaos < 0 and shared > _CHAOS:
                chaos = iteration
        if parted is None:
            return Compared(*names, "", -1, "", "", before, 0.0, before, (0.0, 0.0), chaos, nudge, rows)
        key, distance, noise, before = parted
        stage, iteration, layer, number = key
        if stage == "backward":
            layer = self._writer(layer, number)
        shown = self._shown(key)
        name = self.first.names[key]
        return Compared(*names, stage, iteration, layer, name, distance, noise, before, shown, chaos, nudge, rows)

    def _stages(self) -> Iterator[tuple[str, int, list[tuple[str, int, str, int]]]]:
        """What both runs computed, stage by stage, in the order of computing."""
        common = [key for key in self.first.names if key in self.second.names and key in self.nudged.names]
        common = [key for key in common if key[0] != "backward" or self._gets_gradient(key[2], key[3])]
        order = {layer.name: number for number, layer in enumerate(self.built.layers)}
        yield "forward", -1, [key for key in common if key[0] == "forward"]
        for stage in ("backward", "gradient"):
            keys = [key for key in common if key[0] == stage]
            yield stage, -1, sorted(keys, key=lambda key: -order.get(key[2], 0))
        last = max((key[1] for key in common), default=-1)
        for iteration in range(last + 1):
            yield "update", iteration, [key for key in common if key[0] == "update" and key[1] == iteration]

    def _gets_gradient(self, layer: str, top: int) -> bool:
        found = self.layers.get(layer)
        return found is not None and top < len(found.tops) and gets_gradient(found, top)

    def _distances(self, key: tuple[str, int, str, int]) -> tuple[float, float]:
        """Of the second run from the first, and of the first from itself."""
        first, second, nudged = (self._values(run, key) for run in (self.first, self.second, self.nudged))
        size = 0.0
        if key[0] == "update":
            # Float32 cannot hold a change below the last digit of a value.
            size = 1e-4 * float(np.max(np.abs(self.first.values(("update", -1, *key[2:]))), initial=0.0))
        return distance(first, second, size), distance(first, nudged, size)

    def _values(self, run: Parts, key: tuple[str, int, str, int]) -> Any:
        """Of a parameter the distance from its start, which says more than its value."""
        return run.values(key) - run.values(("update", -1, *key[2:])) if key[0] == "update" else run.values(key)

    def _shown(self, key: tuple[str, int, str, int]) -> tuple[float, float]:
        first, second = (self._values(run, key) for run in (self.first, self.second))
        if first.shape != second.shape:
            return float(first.size), float(second.size)
        worst = int(np.argmax(np.nan_to_num(np.abs(first - second), nan=np.inf)))
        return float(first[worst]), float(second[worst])

    def _where(self, key: tuple[str, int, str, int]) -> str:
        name = self.first.names[key]
        return f"{key[2]}.{name}" if key[0] in ("gradient", "update") else name

    def _writer(self, layer: str, top: int) -> str:
        """The layer that made the diff of a top: the first that reads it and runs backward."""
        names = [reader.name for reader, _ in readers(self.layers[layer].tops[top])]
        return names[0] if names else layer


def distance(first: Any, second: Any, size: float = 0.0) -> float:
    """Largest difference by the largest value, at least `size`; inf if only one is not finite, or shapes differ."""
    if first.shape != second.shape:
        return math.inf
    same = np.isfinite(first) & np.isfinite(second)
    if not np.array_equal(np.isfinite(first), np.isfinite(second)):
        return math.inf
    first, second = first[same], second[same]
    if not first.size:
        return 0.0
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()), size)
    return float(np.abs(first - second).max()) / largest if largest else 0.0
