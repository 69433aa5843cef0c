"""The paths that texts give, held against those of files: by their ends, as far up as both are known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.project.texts import Named

_MOST = 300
"""Different paths with the same last parts, each of which is held against each file that has these."""
_MOST_PLACES = 100
"""That give one path, and use it alike."""
_DIGITS = compiled_later(r"\d+")
_STAR = "*"
"""What texts fill in."""

_Numbered = tuple[int, "Named"]


class Way(NamedTuple):
    """A path, its parts from the last one to the first, without digits where it fills in nothing.

    beside: the folder that it is a name in; empty if that is not known. named: the places that give it, numbered.
    """

    parts: tuple[str, ...]
    beside: str
    named: list[_Numbered]

    def leads_to(self, path: str, parts: Sequence[str]) -> bool:
        """parts: of the path below the top of the project, the last one first."""
        if self.beside and os.path.dirname(path) != self.beside:
            return False
        return all(part_fits(given, part) for given, part in zip(self.parts, parts, strict=False))


class Ways:
    """The ways to files of one name, but for its digits, looked up by the folder that these are in."""

    def __init__(self, named: Iterable[_Numbered]) -> None:
        ways: dict[tuple[object, ...], Way] = {}
        self._by_folder: dict[str, list[Way]] = {}
        for number, one in named:
            parts = tuple(part if _STAR in part else alike(part) for part in one.parts)
            key = parts, one.beside, one.folder, one.is_written, one.is_opened, one.is_of_page
            if key not in ways:
                ways[key] = Way(parts, one.beside, [])
                is_known = len(parts) > 1 and _STAR not in parts[1]
                folder = _beside(one.beside) if one.beside else parts[1] if is_known else ""
                self._by_folder.setdefault(folder, []).append(ways[key])
            if len(ways[key].named) < _MOST_PLACES:
                ways[key].named.append((number, one))

    def to(self, path: str, parts: Sequence[str]) -> list[Way]:
        """Those that may lead to a file."""
        if len(parts) > 1:
            keys = _beside(os.path.dirname(path)), alike(parts[1]), ""
            found: Iterable[Way] = chain.from_iterable(self._by_folder.get(key, ())[:_MOST] for key in keys)
        else:
            found = islice(chain.from_iterable(self._by_folder.values()), _MOST)
        return [one for one in found if one.leads_to(path, parts)]

    def nowhere(self, files: Iterable[tuple[str, Sequence[str]]]) -> Iterator[_Numbered]:
        """The places of the ways that lead to none of these files of that name. files: with their parts."""
        leading = {id(way) for file in files for way in self.to(*file)}
        ways = chain.from_iterable(ways[:_MOST] for ways in self._by_folder.values())
        return (one for way in ways if id(way) not in leading for one in way.named)


def _beside(folder: str) -> str:
    return os.path.join(folder, "")


@lru_cache(maxsize=4096)
def alike(name: str) -> str:
    """The last part of a path, with its digits left open."""
    return _DIGITS.sub("#", name.rpartition("/")[2])


@lru_cache(maxsize=64)
def parts_up(path: str, top: str) -> Sequence[str]:
    """The names that a path has below a folder, the last one first."""
    return os.path.relpath(path, top).split(os.sep)[::-1]


def part_fits(given: str, part: str) -> bool:
    """May a part of a path be what is given, perhaps with something filled in?"""
    if _STAR not in given:
        return alike(given) == alike(part)
    first, *others = given.split(_STAR)
    *between, last = others
    if not (part.startswith(first) and part.endswith(last) and len(part) >= len(first) + len(last)):
        return False
    at, end = len(first), len(part) - len(last)
    for piece in between:
        found = part.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
