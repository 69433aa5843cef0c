"""The values of files of weights as a table, one line for each blob."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.caffe.weights.stored import StoredBlob, Weights
from caffelint.evidence.weights.statistics import Statistics, statistics

_HEAD = ("layer", "type", "blob", "shape", "low", "high", "mean", "std", "zeros", "notes")
_LEFT = frozenset([0, 1, 3, 9])
_LONGEST = 40


def table(weights: Weights) -> Iterator[str]:
    """The lines of the table. Needs numpy."""
    rows = [
        _HEAD,
        *(
            _row(layer.name, layer.type, number, blob)
            for layer in weights.trained
            for number, blob in layer.blobs.items()
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for row in rows:
        yield "  ".join(_padded(text, column, widths) for column, text in enumerate(row)).rstrip()


def _padded(text: str, column: int, widths: Sequence[int]) -> str:
    return text.ljust(widths[column]) if column in _LEFT else text.rjust(widths[column])


def _row(layer: str, type_: str, number: int, blob: StoredBlob) -> tuple[str, ...]:
    name = layer if len(layer) <= _LONGEST else f"...{layer[3 - _LONGEST :]}"
    head = name, type_, str(number), "x".join(map(str, blob.shape))
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
