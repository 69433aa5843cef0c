"""Which Python programs the commands of a shell script start for a file."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache

from caffelint.text.patterns import compiled_later

_PROGRAM = ".py"
_ENDS = compiled_later(r"&&|[;|]")
_QUOTES = "'\""
_LONGEST = 4000
"""Characters of a command that are read."""


@lru_cache(maxsize=2000)
def starts(text: str) -> Mapping[str, Set[str]]:
    """The paths of the programs that commands start with each path among their arguments, of which the last two names
    count.
    """
    found: dict[str, set[str]] = {}
    lines = text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    said = (line for line in lines if _PROGRAM in line and not line.lstrip().startswith("#"))
    for command in (command for line in said for command in _ENDS.split(line) if len(command) <= _LONGEST):
        words = [word.strip(_QUOTES) for word in command.split()]
        program = next((number for number, word in enumerate(words) if word.endswith(_PROGRAM)), None)
        if program is not None:
            for word in words[program + 1 :]:
                found.setdefault(path_end(word.rpartition("=")[2].strip(_QUOTES)), set()).add(words[program])
    return found


def path_end(path: str) -> str:
    """A path from its last folder on, as far as it has any."""
    return "/".join([part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")][-2:])
