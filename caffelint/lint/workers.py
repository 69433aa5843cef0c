"""How processes that share the work are started."""

from __future__ import annotations

import os
from multiprocessing import get_context
from multiprocessing.context import BaseContext


def context(method: str = "fork" if os.name == "posix" else "spawn") -> BaseContext:
    """For a pool. One that is spawned starts anew, and would look in the working directory for its first import."""
    if method != "fork":
        os.environ["PYTHONSAFEPATH"] = "1"
    return get_context(method)
