"""Globs as settings have them, held against a path all at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

_SLASH = os.path.normcase("/")


class Globs:
    """A bit for each place in each glob: those that a text has reached so far are one number.

    So the time is that of a text's length, and but little more with many globs. What a glob means is for `fnmatch` to
    say, and it means the folders and what they hold, too: `a` is also `*/a`, `a/*`, and `*/a/*`.
    """

    def __init__(self, globs: Sequence[str]):
        self._begin = self._stars = self._any = 0
        self._ends: list[int] = []
        self._characters: dict[str, int] = {}
        self._sets: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._globs = globs
        at = 0
        for glob in globs:
            form = glob.removeprefix("./").rstrip("/").replace("**/", "")
            self._stars |= 1 << at
            self._step(_SLASH, at)
            self._begin |= 3 << at
            at += 1
            for token in _tokens(os.path.normcase(form)):
                if token == "*":
                    self._stars |= 1 << at
                else:
                    self._step(token, at)
                    at += 1
            self._step(_SLASH, at)
            self._ends.append(3 << at)
            self._stars |= 2 << at
            at += 2

    def matching(self, path: str) -> set[str]:
        text = os.path.normcase(path)
        reached = self._begin
        for character in text:
            steps = self._seen.get(character)
            if steps is None:
                steps = self._seen[character] = self._steps(character)
            reached = (reached & steps) << 1 | reached & self._stars
        return {glob for glob, end in zip(self._globs, self._ends, strict=True) if reached & end}

    def _step(self, token: str, at: int) -> None:
        if token == "?":
            self._any |= 1 << at
        else:
            table = self._characters if len(token) == 1 else self._sets
            table[token] = table.get(token, 0) | 1 << at

    def _steps(self, character: str) -> int:
        """The places that a character leads on from."""
        steps = self._any | self._characters.get(character, 0)
        for written, places in self._sets.items():
            if _set(written).match(character):
                steps |= places
        return steps


@lru_cache(maxsize=64)
def globs_of(written: tuple[str, ...]) -> Globs:
    """The same for the same, for it is asked for every file."""
    return Globs(written)


def _tokens(glob: str) -> Iterator[str]:
    """Characters and sets; a `[` that nothing closes is one of the former."""
    at, closed = 0, True
    while at < len(glob):
        end = at + 1
        if glob[at] == "[" and closed:
            inside = end + (glob[end : end + 1] == "!")
            end = glob.find("]", inside + (glob[inside : inside + 1] == "]")) + 1
            closed = end > 0
            end = end or at + 1
        yield glob[at:end]
        at = end


@cache
def _set(written: str) -> re.Pattern[str]:
    from fnmatch import translate

    return re.compile(translate(written))
