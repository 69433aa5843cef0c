"""Options of `caffe train` that a shell script loses, because the command ends on the line before."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.project.script_words import TRAINS, stray_word
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_SOLVER = compiled_later(r"--?solver(?:=|[ \t]{1,9})[\"']?([^\s\"']{1,300})")
_OPTION = compiled_later(r"[ \t]{0,40}--?(solver|weights|snapshot)(?:=|[ \t])")
COMMENT, BLANK, NO_BACKSLASH, WORD = "comment", "blank", "no backslash", "word"
"""What ends a command: a comment, a blank behind its backslash, or that there is none. Or it has a word too many."""
_LONGEST = 20
"""Lines of a command."""


class Cut(NamedTuple):
    """An option that is lost, or a word too many, the solver that the command is for, where it stands, and why."""

    option: str
    solver: str
    start: int
    why: str


def cuts(text: str) -> Iterator[Cut]:
    """Each option that a shell takes for a command of its own. A text with a here-document is not read.

    What lies within quotes or parentheses that are open before the line is none.
    """
    if "caffe" not in text or "<<" in text:
        return
    start = 0
    command, why, length = "", "", 0
    inside = ""
    for line in text.split("\n"):
        found = _OPTION.match(line) if not (length or inside) else None
        if command and found:
            solver = _SOLVER.search(command + " " + line)
            yield Cut(found[1], solver[1] if solver else "", start, why)
        was_inside = inside
        code, goes_on, said, inside = _read(line.removesuffix("\r"), inside)
        if length or not (command and found):
            # A line of its own, unless it is what was lost.
            command = f"{command} {code}" if length else code
        if code.strip() or length:
            why = said
        if not (goes_on or inside or was_inside) and (word := stray_word(command)):
            solver = _SOLVER.search(command)
            yield Cut(word, solver[1] if solver else word, start, WORD)
        length = length + 1 if goes_on and length < _LONGEST else 0
        if inside or (not length and not TRAINS.search(command)):
            command = ""
        start += len(line) + 1


def _read(line: str, inside: str) -> tuple[str, bool, str, str]:
    """The code of a line, whether the command goes on in the next, why not, and what is open at its end.

    inside: the quote and the parentheses that are open before it.
    """
    size = end = len(line)
    at = 0
    while at < size:
        char = line[at]
        if char == "\\" and inside[-1:] != "'":
            at += 1
        elif inside[-1:] in ("'", '"'):
            inside = inside[:-1] if char == inside[-1] else inside
        elif char in "'\"(":
            inside += char
        elif char == ")" and inside:
            inside = inside[:-1]
        elif char == "#" and (at == 0 or line[at - 1] in " \t"):
            end = at
            break
        at += 1
    code = line[:end]
    if end < size:
        return code, False, COMMENT, inside
    if code.endswith("\\"):
        return code[:-1], True, "", inside
    return code, False, BLANK if code.rstrip().endswith("\\") else NO_BACKSLASH, inside
