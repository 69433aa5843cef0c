"""Fits lines and tables to the window that they are shown in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.report.words import columns, fitting
from caffelint.text.records import NamedTuple
from caffelint.text.visible import visible

_GAP = "  "
_JOINTS = "/-_,.="
"""After which a word is broken if it is too long for a line."""
_LEAST = 12
"""Columns of a window that a column of text keeps; below that, columns are left out of the table."""


class Column(NamedTuple):
    """Of a table. Numbers are aligned to the right and never broken.

    goes: whether the column may be left out of a window that is too narrow; the one with the highest number goes first,
    0 stays. least: columns of the window that it keeps, if it is that wide.
    """

    heading: str
    is_number: bool = False
    goes: int = 0
    least: int = _LEAST


def wrapped(text: str, width: int | None, first: int = 0, rest: int = 0) -> list[str]:
    """Lines of at most `width` columns, of which `first` are taken in the first line and `rest` in the others.

    None as width is no limit. Words that are wider than a line are broken, after a slash or a dash if possible. The
    first line is empty if it has no room for the first word.
    """
    if width is None or first + columns(text) <= width:
        return [text]
    lines: list[str] = []
    line, room = "", width - first
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if columns(longer) <= room:
            line = longer
            continue
        if line or (not lines and first > rest):
            lines.append(line)
            room = width - rest
        *pieces, line = _pieces(word, max(room, 1), max(width - rest, 1))
        lines += pieces
        if pieces:
            room = width - rest
    return [*lines, line]


def clauses(text: str, most: int, marks: Sequence[str] = ("; ", ". ", ", ", ": ")) -> list[str]:
    """Lines of at most `most` characters, each of whole clauses; a longer one that no mark parts stays as it is."""
    if len(text) <= most or not marks:
        return [text]
    lines: list[str] = []
    for part in _parted(text, marks[0]):
        for piece in clauses(part, most, marks[1:]):
            if lines and len(lines[-1]) + 1 + len(piece) <= most:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return lines


def _parted(text: str, mark: str) -> Iterator[str]:
    """Parts that each end in a mark, but for the last. What is in double quotes stays whole, and no part begins as a
    command to a build server does."""
    held: list[str] = []
    quotes = 0
    first, *parts = text.split(mark)
    for part in parts:
        quotes += first.count('"')
        held.append(first)
        if quotes % 2 == 0 and (part[:1].isalnum() or part[:1] in ('"', "(")):
            yield mark.join(held) + mark.rstrip(" ")
            held = []
        first = part
    yield mark.join([*held, first])


def hanging(line: str, width: int | None, indent: int = 2) -> list[str]:
    """A line of prose, wrapped; those after the first are indented by `indent` more than it."""
    begin = len(line) - len(line.lstrip(" "))
    if width is not None:
        begin, indent = min(begin, width // 2), min(indent, width // 4)
    head, *more = wrapped(line.lstrip(" "), width, begin, begin + indent)
    return [" " * begin + head, *(" " * (begin + indent) + other for other in more)]


def _pieces(word: str, room: int, later: int) -> Iterator[str]:
    """A word in pieces: the first of at most `room` columns, each after it of at most `later`.

    What is harmless within a word may command a build server where it begins a line.
    """
    begin, at = "", 0
    while (end := fitting(word, at, room - len(begin))) < len(word):
        joint = max(word.rfind(mark, (at + end) // 2, end) for mark in _JOINTS) + 1
        end = joint or end
        yield begin + word[at:end]
        begin, at, room = "", end, later
        if word.startswith("::", at):
            begin, at = visible("::"), at + 2
    yield begin + word[at:]


def table(heads: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The lines of a table, the first with the headings, each at most `width` columns wide; None is no limit.

    Where the window is too narrow, columns that may go are left out, and texts are wrapped in their columns. No line
    ends with blanks. The headings are left out if all are empty.
    """
    every = [[head.heading for head in heads], *rows]
    widths = [max(columns(row[index]) for row in every) for index in range(len(heads))]
    widths = [size if width is None else min(size, width) for size in widths]
    taken = list(range(len(heads)))
    if width is not None:
        least = [size if head.is_number else min(size, head.least) for head, size in zip(heads, widths, strict=True)]
        while _total(least, taken) > width and any(heads[index].goes for index in taken):
            taken.remove(max(taken, key=lambda index: heads[index].goes))
        while _total(widths, taken) > width:
            loose = [index for index in taken if widths[index] > (1 if heads[index].is_number else least[index])]
            texts = [index for index in loose if not heads[index].is_number] or loose
            if not texts:
                texts = [index for index in taken if widths[index] > 1]
            if not texts:
                break
            widths[max(texts, key=lambda index: widths[index])] -= 1
    shown = every if any(every[0]) else every[1:]
    return [line for row in shown for line in _row(heads, row, widths, taken)]


def _total(widths: Sequence[int], taken: Sequence[int]) -> int:
    return sum(widths[index] for index in taken) + len(_GAP) * (len(taken) - 1)


def _row(heads: Sequence[Column], row: Sequence[str], widths: Sequence[int], taken: Sequence[int]) -> Iterator[str]:
    cells = {index: wrapped(row[index], widths[index]) for index in taken}
    for number in range(max(map(len, cells.values()))):
        line = []
        for index in taken:
            text = cells[index][number] if number < len(cells[index]) else ""
            blanks = " " * (widths[index] - columns(text))
            line.append(blanks + text if heads[index].is_number else text + blanks)
        yield _GAP.join(line).rstrip()
