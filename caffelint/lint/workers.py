"""How processes that share the work are started."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

METHOD = "fork" if os.name == "posix" else "spawn"
_SAFE = "PYTHONSAFEPATH"


def can_share(method: str = METHOD) -> bool:
    """Whether several processes may be used: one that is spawned by Python 3.10 imports from the working directory."""
    return method == "fork" or sys.version_info >= (3, 11)


@contextmanager
def context(method: str = METHOD) -> Iterator[BaseContext]:
    """For a pool. One that is spawned starts anew, and would look in the working directory for its first import."""
    from multiprocessing import get_context

    before = os.environ.get(_SAFE)
    if method != "fork":
        os.environ[_SAFE] = "1"
    try:
        yield get_context(method)
    finally:
        if method != "fork":
            os.environ.pop(_SAFE)
            os.environ.update({} if before is None else {_SAFE: before})
