"""What is found out about a project on disk is kept for one look at it; who looks again later forgets it before."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")
Owner = TypeVar("Owner")
_clear: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Keeps the last answers of a function that reads the disk, until `forget`."""

    def keep(find: Callable[Given, Found]) -> Callable[Given, Found]:
        kept = lru_cache(maxsize=most)(find)
        _clear.append(kept.cache_clear)
        return kept  # type: ignore[return-value]  # lru_cache says of no argument what it is

    return keep


def forget() -> None:
    """Each run begins with it, and editors call it when files have changed."""
    for clear in _clear:
        clear()


def once(find: Callable[Concatenate[Owner, Given], Found]) -> Callable[Concatenate[Owner, Given], Found]:
    """Keeps what an object answers: of a file it is asked for each finding in that."""

    @wraps(find)
    def answer(owner: Owner, /, *given: Given.args, **named: Given.kwargs) -> Found:
        kept: dict[Any, Found] = vars(owner).setdefault(f"{find.__name__}, once", {})
        asked = given, *named.items()
        if asked not in kept:
            kept[asked] = find(owner, *given, **named)
        return kept[asked]

    return answer
