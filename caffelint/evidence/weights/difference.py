"""What a training moved: two files of weights, blob by blob."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from caffelint.caffe.weights.stored import StoredBlob, Weights
from caffelint.evidence.weights.match import bare

_PIECE = 1 << 17
SAME, MOVED, RESHAPED, ONLY_FIRST, ONLY_SECOND = (
    "same",
    "moved",
    "other shape",
    "only in the first",
    "only in the second",
)
UNREADABLE = "cannot be read"


class Difference(NamedTuple):
    """A blob in both files. kind: one of the above.

    relative: root mean square of the difference over that of the first; largest: of the differences; share: of the
    values that differ. nan where they cannot be compared.
    """

    layer: str
    number: int
    kind: str
    relative: float = math.nan
    largest: float = math.nan
    share: float = math.nan


def differences(first: Weights, second: Weights) -> Iterator[Difference]:
    """In the order of the first file, then what only the second has. Needs numpy."""
    others = {layer.name: layer for layer in second.trained}
    for layer in first.trained:
        other = others.pop(layer.name, None)
        for number, blob in layer.blobs.items():
            theirs = other.blobs.get(number) if other else None
            if theirs is None:
                yield Difference(layer.name, number, ONLY_FIRST)
            elif bare(blob.shape) != bare(theirs.shape) or blob.count != theirs.count:
                yield Difference(layer.name, number, RESHAPED)
            elif blob.problem or theirs.problem:
                yield Difference(layer.name, number, UNREADABLE)
            else:
                yield _compared(layer.name, number, blob, theirs)
        for number in other.blobs if other else ():
            if number not in layer.blobs:
                yield Difference(layer.name, number, ONLY_SECOND)
    for layer in others.values():
        for number in layer.blobs:
            yield Difference(layer.name, number, ONLY_SECOND)


def _compared(layer: str, number: int, one: StoredBlob, other: StoredBlob) -> Difference:
    import numpy as np

    before, after = one.values(), other.values()
    moved = size = largest = 0.0
    changed = 0
    with np.errstate(all="ignore"):
        for at in range(0, len(before), _PIECE):
            left: Any = np.array(before[at : at + _PIECE], np.float32)
            right: Any = np.array(after[at : at + _PIECE], np.float32)
            changed += int(np.count_nonzero((left != right) & ~(np.isnan(left) & np.isnan(right))))
            difference = (right - left).astype(np.float64)
            finite = np.isfinite(difference)
            moved += float(np.dot(difference[finite], difference[finite]))
            left = left[np.isfinite(left)].astype(np.float64)
            size += float(np.dot(left, left))
            largest = max(largest, float(np.abs(difference[finite]).max(initial=0)))
    relative = math.sqrt(moved / size) if size else math.inf if moved else 0.0
    return Difference(layer, number, MOVED if changed else SAME, relative, largest, changed / max(1, len(before)))


def equal_values(one: StoredBlob, other: StoredBlob) -> bool:
    """Have two blobs the same values? True where nobody knows: without numpy, or where Caffe cannot read them."""
    if one is other or one.problem or other.problem or find_spec("numpy") is None:
        return True
    return one.count == other.count and _compared("", 0, one, other).kind == SAME


def lines_of(first: Weights, second: Weights) -> Iterator[str]:
    """A table, and what was never touched."""
    found = list(differences(first, second))
    rows = [("layer", "blob", "what", "relative", "largest", "changed")]
    for one in found:
        numbers = ("", "", "")
        if one.kind in (SAME, MOVED):
            numbers = (f"{one.relative:.3g}", f"{one.largest:.3g}", f"{100 * one.share:.3g}%")
        rows.append((one.layer, str(one.number), one.kind, *numbers))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (
            text.ljust(width) if column in (0, 2) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
    touched = {one.layer for one in found if one.kind != SAME}
    same = dict.fromkeys(one.layer for one in found if one.layer not in touched)
    if same:
        yield f"never touched: {', '.join(same)}"
    else:
        compared = any(one.kind != UNREADABLE for one in found)
        yield "every layer was moved" if compared else "no layer to compare"
