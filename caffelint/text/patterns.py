"""Patterns that are compiled when they are first used: a check of one file uses a few of many."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Later:
    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)  # from now on it is found without coming here
        return value


def compiled_later(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, to call methods of; `re.sub` and its like do not take it."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))
