"""The mistakes met in a text, those that are repeated on a line told once."""

from __future__ import annotations

from caffelint.text.ahead import end_of_line, end_of_word
from caffelint.text.edits import Edit
from caffelint.text.numbered import line_numbers
from caffelint.text.tree import Problem

MOST_PROBLEMS, MOST_REPEATED = 500, 10_000
"""Nobody goes through more, and no prototxt has them; nor so many that repeat the one before them on a line."""


class Mistakes:
    """Adds mistakes to `problems` in the order in which they are met."""

    def __init__(self, text: str, problems: list[Problem]):
        self._text = text
        self._problems = problems
        self._last = (-1, "")
        self._first = -1
        self._repeated: dict[int, list[Edit]] = {}
        self._times_repeated = 0
        self._numbers: set[int] = set()

    @property
    def are_too_many(self) -> bool:
        """Whether to stop reading."""
        return len(self._problems) >= MOST_PROBLEMS or self._times_repeated >= MOST_REPEATED

    def report(
        self,
        start: int,
        end: int,
        message: str,
        repairs: tuple[Edit, ...] = (),
        safe: bool = False,
        is_open_string: bool = False,
    ) -> None:
        """The same words twice on a line say nothing new, but what is safe is repaired together.

        Repairs may hold pieces of the text, a character for each byte.
        """
        repairs = tuple(one if one.text.isascii() else one._replace(text=_as_read(one.text)) for one in repairs)
        mistake = end_of_line(self._text, start), message
        if mistake != self._last:
            problem = Problem(
                "syntax-error",
                start,
                end,
                message,
                repairs=repairs,
                repair_is_safe=safe,
                is_open_string=is_open_string,
            )
            self._problems.append(problem)
            self._last, self._first = mistake, len(self._problems) - 1
            return
        self._times_repeated += 1
        if repairs and safe:
            self._repeated.setdefault(self._first, []).extend(repairs)

    def is_line_number(self, start: int, is_inside: bool) -> bool:
        """Is a number one of a text that was copied with its line numbers? They are one mistake.

        is_inside: does it come in the middle of a block, so that the text was put there by mistake?
        """
        if start not in self._numbers and (found := line_numbers(self._text, start)):
            first, last = (self._text.count("\n", 0, found[at][0]) + 1 for at in (0, -1))
            message = f"lines {first} to {last} were pasted with line numbers, so Caffe refuses them; remove "
            repairs = () if is_inside else tuple(edit for _, edit in found)
            message += "these lines, or the numbers if they belong here" if is_inside else "the numbers"
            self._numbers.update(at for at, _ in found)
            self.report(start, end_of_word(self._text, start), message, repairs, safe=bool(repairs))
        return start in self._numbers

    def repair_repeated(self) -> None:
        """Once all is read: the repair of the first of equal mistakes on a line mends the others, too."""
        for number, repairs in self._repeated.items():
            first = self._problems[number]
            if first.repairs and first.repair_is_safe:
                self._problems[number] = first._replace(repairs=(*first.repairs, *repairs))


def _as_read(piece: str) -> str:
    return piece.encode("latin-1").decode("utf-8", "surrogateescape")
