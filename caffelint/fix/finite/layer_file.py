"""`check_finite_layer.py`, which a net with checks needs beside it."""

from __future__ import annotations

import os

from caffelint.fix.finite.remove import MODULE
from caffelint.fix.write import SaveError, save
from caffelint.lint.read import read

NAME = f"{MODULE}.py"


def content() -> bytes:
    return read(os.path.join(os.path.dirname(__file__), NAME))


def write_beside(net: str) -> str:
    """Write the file into the folder of a net; a line about it.

    One that differs is left alone: somebody may have edited it. Raises `SaveError`.
    """
    path = os.path.join(os.path.dirname(net), NAME)
    ours = content()
    if os.path.islink(path) and not os.path.exists(path):
        raise SaveError("it is a link that leads nowhere; remove it")
    old = read(path) if os.path.exists(path) else None
    if old == ours:
        return f"{path} already exists"
    if old is not None:
        return (
            f"{path} exists and differs from what caffelint writes, so it was left alone, and the checks will run it;"
            " if that is not intended, move it away and patch again"
        )
    save(path, old, ours)
    return f"{path} is written"


def remains(net: str) -> str:
    """A line about the file once the checks of the net beside it are gone; empty if it does not exist."""
    path = os.path.join(os.path.dirname(net), NAME)
    return f"{path} is still there; delete it once no net beside it has checks" if os.path.exists(path) else ""
