"""Do a solver or the scripts beside it train on several GPUs, where `caffe train` aborts on Python layers?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from caffelint.lint.read import ReadError, read
from caffelint.text.parser import parse

_OPTION = re.compile(rb"--?gpus?(?:=|\s+)[\"']?(?:all\b|\d+(?:\s*,\s*\d+)+)")
_LARGEST_SCRIPT = 1 << 20


def several_gpus(solvers: Iterable[str], net: str) -> list[str]:
    """Where several GPUs are named, each as `FILE:LINE: TEXT`: in the solvers, and in shell scripts beside them."""
    found = []
    folders = {os.path.dirname(net)}
    for solver in solvers:
        folders.add(os.path.dirname(solver))
        found += _in_solver(solver)
    for folder in sorted(folders):
        found += [line for script in _scripts(folder) for line in _options(script)]
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


def _options(path: str) -> list[str]:
    try:
        if os.path.getsize(path) > _LARGEST_SCRIPT:
            return []
        data = read(path)
    except (OSError, ReadError):
        return []
    return [
        f"{path}:{data.count(b'%c' % 10, 0, found.start()) + 1}: {' '.join(found[0].decode('latin-1').split())}"
        for found in _OPTION.finditer(data)
    ]
