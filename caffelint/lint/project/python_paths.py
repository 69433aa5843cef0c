"""Which folders of a project its scripts let Python import from, for the modules of Python layers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from caffelint.lint.project.border import top_of
from caffelint.lint.project.python_layers import python_home, python_modules
from caffelint.lint.project.scripts import scripts_below
from caffelint.project.script_comments import without_comment_lines
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
    found: dict[str, Mention] = {}
    for layer in layers:
        module = layer.message.python_param.module
        put = dict(_put({python_home(one.path, module) for one in python_modules(layer)}))
        found |= put if len(put) == 1 else {}
    return found


def _put(homes: Iterable[str]) -> Iterator[tuple[str, Mention]]:
    for home in homes:
        top = top_of(home)
        said = (_puts(script, home) for script in scripts_below(top, top)) if top else ()
        if place := next(filter(None, said), None):
            yield home, place


def _puts(script: Script, home: str) -> Mention | None:
    """Where a script lets Python import from a folder: by its name, or since it is a program in there that trains."""
    code = without_comment_lines(script.text, script.path)
    put = _PYTHON_PATH.search(code)
    if put and os.path.basename(home) in _LAST_NAMES.findall(code):
        return script.mention(put.start())
    return script.steps or script.solves if script.folder == home and script.path.endswith(".py") else None
