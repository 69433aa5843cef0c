"""Do a solver or the scripts beside it train on several GPUs, where `caffe train` aborts on Python layers?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import islice

from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.text.parser import parse

_OPTION = re.compile(rb"--?gpus?(?:=|\s+)[\"']?(?:all\b|\d+(?:\s*,\s*\d+)+)")
_LARGEST_SCRIPT = 1 << 20
_MOST_PLACES = 5
"""In a file."""
_LONGEST = 80


def several_gpus(solvers: Iterable[str], net: str) -> list[str]:
    """Where several GPUs are named, each as `FILE:LINE: TEXT`: in the solvers, and in shell scripts beside them."""
    found = []
    folders = {os.path.dirname(net)}
    for solver in solvers:
        folders.add(os.path.dirname(solver))
        found += _in_solver(solver)
    for folder in sorted(folders):
        reach = Reach(folder)
        found += [line for script in _scripts(folder) for line in _options(script, reach)]
    return found


def _in_solver(path: str) -> list[str]:
    try:
        document = parse(read(path), path)
    except ReadError:
        return []
    devices = document.root.all("device_id")
    # Says how several GPUs share their gradients, and has no other use.
    reduces = document.root.all("layer_wise_reduce")
    fields = [*(devices[1:2]), *reduces[:1]]
    lines = [document.source.line_number(field.start) for field in fields]
    return [f"{path}:{line}: {document.source.line(line).strip()}" for line in lines] + _options(path)


def _scripts(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".sh")]


def _options(path: str, reach: Reach | None = None) -> list[str]:
    try:
        data = read(path, _LARGEST_SCRIPT, reach)
    except ReadError:
        return []
    places = []
    for found in islice(_OPTION.finditer(data), _MOST_PLACES):
        line = data.count(b"\n", 0, found.start()) + 1
        places.append(f"{path}:{line}: {' '.join(found[0][:_LONGEST].decode('latin-1').split())}")
    return places
