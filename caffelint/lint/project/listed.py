"""The order of a list of images with labels, of which `check` reads the labels only."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from caffelint.lint.project.memory import remembered
from caffelint.lint.read import ReadError, read

BY_CLASS, MIXED = "by class", "mixed"
_LARGEST = 1 << 22
_LEAST = 10
"""Records of a class, on average: with fewer, the last value of a line may be no class."""
_SHUFFLED = 0.5
"""How often the label changes from one line to the next, as a part of how often it would in a random order."""


@remembered(100)
def order_in(path: str) -> str:
    """BY_CLASS if each class is one block of lines, MIXED if labels change often; empty for all else."""
    try:
        lines = read(path, _LARGEST).split(b"\n")
    except ReadError:
        return ""
    labels = [words[-1] for line in lines if len(words := line.split()) > 1]
    counts = Counter(labels)
    if len(counts) < 2 or len(labels) < _LEAST * len(counts) or not all(label.isdigit() for label in counts):
        return ""
    changes = sum(one != other for one, other in pairwise(labels))
    if changes == len(counts) - 1:
        return BY_CLASS
    share = 1 - sum((count / len(labels)) ** 2 for count in counts.values())
    return MIXED if changes >= _SHUFFLED * share * len(labels) else ""
