"""Options of `caffe train` that a shell script loses, because the command ends on the line before."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_TRAINS = compiled_later(r"\bcaffe(?:\.bin)?[\"']?[ \t]{1,9}train(?![\w-])")
_SOLVER = compiled_later(r"--?solver(?:=|[ \t]{1,9})[\"']?([^\s\"']{1,300})")
_OPTION = compiled_later(r"[ \t]{0,40}--?(solver|weights|snapshot)(?:=|[ \t])")
_COMMENT = compiled_later(r"[ \t]#")
COMMENT, BLANK, NO_BACKSLASH = "comment", "blank", "no backslash"
"""What ends a command: a comment, a blank behind its backslash, or that there is none."""
_LONGEST = 20
"""Lines of a command."""


class Cut(NamedTuple):
    """An option that is lost: its name, the solver of the command that it was for, where it stands, what ended that."""

    option: str
    solver: str
    start: int
    why: str


def cuts(text: str) -> Iterator[Cut]:
    """Each option that a shell takes for a command of its own. A text with a here-document is not read."""
    if "caffe" not in text or "<<" in text:
        return
    lines = text.split("\n")
    start = 0
    command, why, length = "", "", 0
    for line in lines:
        found = _OPTION.match(line)
        if command and found and not length:
            solver = _SOLVER.search(command + " " + line)
            yield Cut(found[1], solver[1] if solver else "", start, why)
        code, goes_on, said = _read(line)
        if length or not (command and found):
            # A line of its own, unless it is what was lost.
            command = f"{command} {code}" if length else code
        if code.strip() or length:
            why = said
        length = length + 1 if goes_on and length < _LONGEST else 0
        if not length and not _TRAINS.search(command):
            command = ""
        start += len(line) + 1


def _read(line: str) -> tuple[str, bool, str]:
    """The code of a line, whether the command goes on in the next, and why not."""
    line = line.removesuffix("\r")
    comment = 0 if line.lstrip().startswith("#") else found.start() if (found := _COMMENT.search(line)) else len(line)
    code = line[:comment]
    if comment < len(line):
        return code, False, COMMENT
    if code.endswith("\\"):
        return code[:-1], True, ""
    if code.rstrip().endswith("\\"):
        return code, False, BLANK
    return code, False, NO_BACKSLASH
