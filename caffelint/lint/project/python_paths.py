"""Which folders of a project its scripts let Python import from, for the modules of Python layers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from caffelint.lint.project.border import top_of
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.python_layers import python_home, python_modules
from caffelint.lint.project.scripts import scripts_below
from caffelint.text.patterns import compiled_later

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer
    from caffelint.project.mentions import Mention
    from caffelint.project.scripts import Script

_PYTHON_PATH = compiled_later(r"\bsys\.path\b|\bPYTHONPATH\b")
_LAST_NAMES = compiled_later(r"""['"/:=]([A-Za-z_][\w.-]{0,100})/?(?=['":\s])""")
"""The last names of paths."""


def folders_by_scripts(layers: Iterable[Layer]) -> dict[str, Mention]:
    """The folders of the modules of Python layers that scripts of the project put on Python's path, each with where.

    Not of a module that several such folders have.
    """
    distinct = {(layer.net, module): layer for layer in layers if (module := layer.message.python_param.module)}
    found: dict[str, Mention] = {}
    for (_, module), layer in distinct.items():
        homes = {python_home(one.path, module) for one in python_modules(layer)}
        put = {home: place for home in homes if (place := _put(home))}
        found |= put if len(put) == 1 else {}
    return found


@remembered(100)
def _put(home: str) -> Mention | None:
    """Where a script lets Python import from a folder: by its name, or since it is a program in there that trains."""
    name = os.path.basename(home)
    for script, place, names in _telling(top) if (top := top_of(home)) else ():
        if place and name in names:
            return place
        if script.folder == home and script.path.endswith(".py") and (trains := script.steps or script.solves):
            return trains
    return None


@remembered(4)
def _telling(top: str) -> Sequence[tuple[Script, Mention | None, Set[str]]]:
    """The scripts of a project, each with where it sets Python's path, and with the last names of paths that it has."""
    return [(script, *_told(script)) for script in scripts_below(top, top)]


def _told(script: Script) -> tuple[Mention | None, Set[str]]:
    put = _PYTHON_PATH.search(script.code)
    return (script.mention(put.start()), frozenset(_LAST_NAMES.findall(script.code))) if put else (None, frozenset())
