"""Where code may be imported from, and programs run from."""

from __future__ import annotations

import os
import sys


def search_path() -> list[str]:
    """The folders of `sys.path` to import from: not the working directory, which may hold what a stranger wrote.

    It is there for `python -m`, in notebooks, and for an empty part of PYTHONPATH. If caffelint itself is in it,
    what is there runs already.
    """
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # the working directory is gone
        here = ""
    return [
        folder
        for folder in dict.fromkeys(sys.path)
        if os.path.isabs(folder) and (os.path.realpath(folder) != here or os.path.realpath(folder) == own)
    ]


def command_path() -> str:
    """PATH without its empty and relative parts, which mean the working directory: libraries run `uname` by name."""
    return os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)))
