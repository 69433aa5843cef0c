"""The solvers of a check, and whether the data that one of them reads is on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from caffelint.lint.discover import discover, named_nets, relative, wanted
from caffelint.lint.disk import exists
from caffelint.lint.read import beginning
from caffelint.text.patterns import compiled_later

if TYPE_CHECKING:
    from caffelint.lint.config import Config

_SOLVER = compiled_later(rb"^[ \t]*(train_)?net(_param)?[ \t]*[:{]", re.MULTILINE)
_SOURCE = compiled_later(rb"""^[^#\n]{0,200}\bsource[ \t]*:[ \t]*["']([^"'\n]{1,1000})["']""", re.MULTILINE)
_SIZE = 1 << 16
_MOST = 20
"""Solvers that are asked for their data."""
_MOST_ASKED = 1000
"""Sources that are looked for."""


def solvers(paths: Sequence[str], config: Config) -> Iterator[str]:
    """The files that were given, and those below folders that look like solvers."""
    named = {os.path.normpath(path) for path in paths}
    files = discover(paths, wanted(config), config.roots).files
    return (file for file in files if file in named or _SOLVER.search(beginning(file, _SIZE)))


def advice(paths: Sequence[str], config: Config) -> str:
    """How to have the data of a solver looked at that is here; empty where there is none.

    Nothing of the data is opened.
    """
    asked: set[tuple[str, str]] = set()
    for solver in islice(solvers(paths, config), _MOST):
        for net in dict.fromkeys(net.path for net in named_nets(solver, config.roots) if net.path):
            for found in _SOURCE.finditer(beginning(net, _SIZE)):
                source = os.fsdecode(found[1])
                if len(asked) == _MOST_ASKED:
                    return ""
                home = os.path.dirname(net)
                if (home, source) not in asked and any(exists(os.path.join(start, source)) for start in ("", home)):
                    return (
                        f'the data "{source}" is here and was not read: check --read-data looks into it, and caffelint'
                        f" smoke {relative(solver)} also trains a few iterations on it"
                    )
                asked.add((home, source))
    return ""
