"""Which of several folders a path of another machine means: that with which it has the longest end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

_DEEPEST = 30
"""Folders of a path that are compared."""


@lru_cache(maxsize=64)
def _by_end(folders: frozenset[str]) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The folders that each end of a path is of, the last part of it first."""
    ending: dict[tuple[str, ...], list[str]] = {}
    for folder in folders:
        parts = folder.replace("\\", "/").split("/")[::-1]
        for length in range(min(len(parts), _DEEPEST) + 1):
            ending.setdefault(tuple(parts[:length]), []).append(folder)
    return ending


def nearest(paths: Collection[str], folders: frozenset[str]) -> Iterator[str]:
    """The folders each of which has, alone of all, the longest end of one of the paths."""
    ending = _by_end(folders)
    for path in paths:
        wanted = [part for part in path.split("/") if part][::-1]
        longest = next(
            length for length in range(len(wanted), -1, -1) if tuple(wanted[:length]) in ending or not length
        )
        found = ending.get(tuple(wanted[:longest]), [])
        if len(found) == 1:
            yield found[0]


def ends_one(path: str, folders: frozenset[str]) -> bool:
    """Is a path the end of one of the folders, and not all of it?"""
    parts = tuple(path.split("/")[::-1])
    if len(parts) < _DEEPEST:
        return any(folder.replace("\\", "/") != path for folder in _by_end(folders).get(parts, ()))
    return any(folder.replace("\\", "/").endswith(f"/{path}") for folder in folders)
