"""The values of files of weights as a table, one line for each blob."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.weights.stored import StoredBlob, Weights
from caffelint.evidence.weights.statistics import Statistics, statistics

HEAD = ("layer", "type", "blob", "shape", "low", "high", "mean", "std", "zeros", "notes")


def rows(weights: Weights) -> list[tuple[str, ...]]:
    """Below `HEAD`, a row for each blob. Needs numpy."""
    return [
        _row(layer.name, layer.type, number, blob) for layer in weights.trained for number, blob in layer.blobs.items()
    ]


def _row(layer: str, type_: str, number: int, blob: StoredBlob) -> tuple[str, ...]:
    head = layer, type_, str(number), "x".join(map(str, blob.shape))
    found = None if blob.problem else statistics(blob)
    if found is None:
        return (*head, "", "", "", "", "", "no values")
    numbers = (f"{value:.4g}" for value in (found.low, found.high, found.mean, found.std))
    return (*head, *numbers, f"{100 * found.zeros / found.values:.3g}%", ", ".join(_notes(blob, found)))


def _notes(blob: StoredBlob, found: Statistics) -> Iterator[str]:
    if found.nan:
        yield f"{found.nan} nan"
    if found.inf:
        yield f"{found.inf} inf"
    if blob.raw or blob.kind != "float":
        yield blob.kind
    if found.filters and found.filters.dead:
        yield f"{len(found.filters.dead)} of {found.filters.number} filters dead"
    if found.filters and found.filters.copies:
        yield f"{len(found.filters.copies)} copies"
