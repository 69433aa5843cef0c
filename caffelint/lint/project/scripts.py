"""Finds the scripts of a checkout and reads them as text, if a solver leaves a question that they may answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from caffelint.lint.discover import NamedNet, relative
from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.lint.walk import walk
from caffelint.project.scripts import Mention, Runs, Script, runs_of, steps

_SUFFIXES = (".py", ".sh", ".m", ".bash", ".ipynb")
_NAMES = ("Makefile",)
_LARGEST = 1 << 18
_MOST_BYTES = 1 << 24
_MOST_SCRIPTS = 2_000
_MOST_FILES = 100_000
"""Of a checkout, that are looked at."""
_KEEP_OUT = frozenset([".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__"])
NO_RUNS: Mapping[str, Runs] = MappingProxyType({})


def runs_by_solver(contents: Mapping[str, bytes], nets: Sequence[tuple[str, Sequence[NamedNet]]]) -> Mapping[str, Runs]:
    """What the scripts of the checkout tell of each of these solvers, if a rule may ask."""
    unfilled = any(b"econvolution" in data or b"weight_filler" not in data for data in contents.values())
    found: dict[str, Runs] = {}
    for path, named in nets:
        missing = [net.name for net in named if net.path is None and not net.outside]
        if path not in contents or not (missing or unfilled or b"max_iter" not in contents[path]):
            continue
        folder, name = os.path.split(os.path.abspath(path))
        if checkout := Reach(folder).checkout:
            found[path] = runs_of(_scripts(checkout), folder, name, missing)._replace(steps=_steps(checkout))
    return found


@lru_cache(maxsize=4)
def _steps(top: str) -> Mention | None:
    return next(filter(None, map(steps, _scripts(top))), None)


@lru_cache(maxsize=4)
def _scripts(top: str) -> Sequence[Script]:
    reach = Reach(top)
    found: list[Script] = []
    seen = size = 0
    for folder, folders, files in walk(top):
        folders[:] = sorted(name for name in folders if name not in _KEEP_OUT)
        seen += len(files) + len(folders)
        if seen > _MOST_FILES:
            break
        for file in sorted(files):
            if not file.endswith(_SUFFIXES) and file not in _NAMES:
                continue
            path = os.path.join(folder, file)
            try:
                data = read(path, _LARGEST, reach)
            except ReadError:
                continue
            size += len(data)
            if size > _MOST_BYTES or len(found) == _MOST_SCRIPTS:
                return found
            if b"solver" in data or b"prototxt" in data or b"caffe" in data:
                found.append(Script(relative(path).replace(os.sep, "/"), folder, data.decode("utf-8", "replace")))
    return found
