"""Which Python programs the commands of a shell script start for a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from caffelint.text.patterns import compiled_later

_PROGRAM = ".py"
_ENDS = compiled_later(r"&&|[;|]")
_QUOTES = "'\""
_LONGEST = 4000
"""Characters of a command that are read."""


def started(text: str, is_meant: Callable[[str], bool]) -> Iterator[str]:
    """The paths of the programs that commands start with a path among their arguments for which `is_meant` says so."""
    lines = text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    said = (line for line in lines if _PROGRAM in line and not line.lstrip().startswith("#"))
    for command in (command for line in said for command in _ENDS.split(line) if len(command) <= _LONGEST):
        words = [word.strip(_QUOTES) for word in command.split()]
        program = next((number for number, word in enumerate(words) if word.endswith(_PROGRAM)), None)
        if program is None:
            continue
        arguments = [word.rpartition("=")[2].strip(_QUOTES) for word in words[program + 1 :]]
        if any(map(is_meant, arguments)):
            yield words[program]
