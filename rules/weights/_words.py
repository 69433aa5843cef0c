"""What the messages of these rules share."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import basename
from typing import Any

from caffelint.evidence.weights.rule import Measured, State, StoredBlob, Weights


def file_of(weights: Weights) -> str:
    """A file of weights by its name, in quotes."""
    return f'"{basename(weights.path)}"'


def state_of(state: State) -> str:
    return f'"{basename(state.path)}"'


def by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "a single number"


def by_known(shape: Sequence[int], certain: bool) -> str:
    """The shape of a parameter; unless it is certain, its second axis, which follows from the data, is unknown."""
    return by(shape) if certain else "x".join("?" if axis == 1 else str(dim) for axis, dim in enumerate(shape))


def stored(blob: StoredBlob) -> str:
    """The shape of a blob of a file."""
    return by(blob.shape)


def blob_of(one: Measured) -> str:
    """What the values of a blob are, in the plural."""
    if one.kind.keeps_statistics:
        return ("means", "variances", "factors")[one.number] if one.number < 3 else f"values of blob {one.number}"
    if one.number == 0:
        return "weights"
    return "biases" if one.number == 1 and one.kind.has_weights else f"values of blob {one.number}"


def said(value: Any) -> str:
    """A value as people write it: `3`, `3x1`, `true`, `0.1`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return said(value[0]) if len(set(value)) == 1 else "x".join(map(said, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
