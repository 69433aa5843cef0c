"""Scripts that read a net as text with code of their own: no Caffe loads what only they name."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection

from caffelint.lint.reach import Reach, reach_of
from caffelint.lint.read import ReadError, read_found
from caffelint.text.patterns import compiled_later

_IMPORT = compiled_later(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^\n#;]+))", re.MULTILINE)
_OPENS = compiled_later(r"(?<![\w.])open\(")
_GIVEN = compiled_later(r"(?<![\w.])(\w{1,100})\([ \t]*[\"'][^\"'*%{]{1,200}\.prototxt[\"']")
_RETURNS = compiled_later(r"\b(?:return|def|class)\b")
_RUNS = compiled_later(
    r"\b(?:subprocess|popen\w*|os\.(?:system|exec\w*|spawn\w*)|__import__|importlib|runpy|multiprocessing|ctypes"
    r"|(?:exec|eval)\()"
)
"""That it starts another program, which may be a Caffe, or code that is not in its text."""
_WRITES = compiled_later(r"writ|save|dump|copy|['\"][wa]b?\+?['\"]")
"""That it makes something of what it reads, which may be a net."""
_DEFINES = compiled_later(r"\bdef[ \t]{1,9}(\w{1,100})\(")
HARMLESS = sys.stdlib_module_names | {"numpy", "scipy", "matplotlib", "pylab"}
"""Modules that load no nets; of any other that is not beside the script nobody knows."""
_MOST_MODULES = 8
_MOST_IMPORTS = 100
"""Of a script: each is looked for beside it."""
_LARGEST = 1 << 18


class OwnReaders:
    """What the Python scripts of a project do with files, found out once for each script."""

    def __init__(self) -> None:
        self._openers: dict[str, Collection[str]] = {}

    def read_by_itself(self, script: str, text: str, line: str) -> bool:
        """Whether a line of a script gives a file to what opens it, and nothing there runs or writes nets.

        What opens it may be a function of a module beside the script. A path that is held or returned is for others.
        """
        if (given := _GIVEN.search(line)) is None or _RETURNS.search(line):
            return False
        if script not in self._openers:
            self._openers[script] = _openers(script, text)
        return given[1] in self._openers[script]


def _openers(script: str, text: str) -> Collection[str]:
    """The functions that open files in a script and the modules beside it; none where it may run or write nets."""
    folder = os.path.dirname(script)
    reach = reach_of(folder)
    looked = {os.path.basename(script).removesuffix(".py")}
    texts = [text]
    for one in texts:  # grows as it goes on
        if _RUNS.search(one) or _WRITES.search(one):
            return ()
        for name in sorted(imported(one) - looked):
            looked.add(name)
            if len(looked) > _MOST_IMPORTS:
                return ()
            if (module := _beside(folder, name, reach)) is not None:
                texts.append(module)
            elif name not in HARMLESS:
                return ()
            if len(texts) > _MOST_MODULES:
                return ()
    found = {"open"}
    for one in texts:
        if _OPENS.search(one):
            found.update(_DEFINES.findall(one))
    return found


def _beside(folder: str, name: str, reach: Reach) -> str | None:
    """The text of a module of a folder; None for what is no name of one, no file of the checkout, or too large."""
    path = os.path.join(folder, name + ".py")
    if not name.isidentifier() or not reach.holds(path):
        return None
    try:
        return read_found(path, _LARGEST).decode("utf-8", "replace")
    except ReadError:
        return None


def imported(text: str) -> set[str]:
    """The first parts of the names of modules; empty for one of the same package."""
    found = set()
    for match in _IMPORT.finditer(text):
        for name in (match[1] or match[2]).split(","):
            found.add(name.split(" as ")[0].strip().partition(".")[0])
    return found
