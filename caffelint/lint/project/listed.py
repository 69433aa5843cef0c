"""Lists of images with labels, of which `check` reads the labels only: their order, and which there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from caffelint.lint.project.memory import remembered
from caffelint.lint.read import ReadError, read
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

BY_CLASS, MIXED = "by class", "mixed"
_LARGEST = 1 << 22
_NUMBER = compiled_later(rb"(\d{1,9})[A-Za-z]?")
"""A label, as atoi reads it that Caffe does: with a letter behind, which is a slip."""
_LEAST = 10
"""Records of a class, on average: with fewer, the last value of a line may be no class."""
_SHUFFLED = 0.5
"""How often the label changes from one line to the next, as a part of how often it would in a random order."""

_MOST_CLASSES = 10_000
_ALL_BUT = 0.02
"""The share of lines without a label, such as those that break off; with more of them it is another list."""


class Labelled(NamedTuple):
    """A label of a list: how many lines have it, the first of them, 1-based, and how it is written."""

    label: int
    times: int
    line: int
    text: str


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


@remembered(8)
def lines_in(path: str) -> Collection[str]:
    """What a list names, each line once and in order, with its label if it has one; empty for what is no text.

    Whether a line is in there is found as in a set.
    """
    try:
        text = read(path, _LARGEST).decode()
    except (ReadError, UnicodeDecodeError):
        return ()
    return dict.fromkeys(words for line in text.splitlines() if (words := " ".join(line.split()))).keys()


@remembered(100)
def labels_in(path: str) -> tuple[Labelled, ...]:
    """The labels of a list, from the smallest on; empty where it is no list of images with a label each."""
    try:
        lines = read(path, _LARGEST).split(b"\n")
    except ReadError:
        return ()
    found: dict[bytes, list[int]] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words:
            found.setdefault(words[-1] if len(words) == 2 else b"", []).append(number)
        if len(found) > _MOST_CLASSES:
            return ()
    whole = {word: int(found_in[1]) for word in found if (found_in := _NUMBER.fullmatch(word))}
    labels = [Labelled(label, len(found[word]), found[word][0], word.decode()) for word, label in whole.items()]
    told, records = sum(one.times for one in labels), sum(map(len, found.values()))
    return tuple(sorted(labels)) if told and records - told <= _ALL_BUT * records else ()
