"""Where a Caffe is built that nobody has named. It is told, and never run: a folder does not choose what runs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

_ROOTS = ("CAFFE_ROOT", "CAFFE_HOME")
"""Variables that name the folder of a Caffe."""
_ABOVE = 4
_BUILT = ("python", os.path.join("distribute", "python"), os.path.join("build", "install", "python"))
"""Folders of pycaffe in that of a Caffe: as make builds it, as it distributes it, and as CMake installs it."""
_COMMAND = os.path.join(".caffe", "caffe-python")
"""The Python that `make caffe` in a clone of caffelint brings."""
SEARCHED = "no build in $CAFFE_ROOT, the working directory or above it"


def own_build() -> str:
    """A sentence that names the nearest build and how to run it; "" for none."""
    for root in _roots():
        command = os.path.join(root, _COMMAND)
        if os.path.isfile(command):
            return _advice(root, shlex.quote(command))
        for folder in _BUILT:
            path = os.path.join(root, folder)
            if os.path.isfile(os.path.join(path, "caffe", "_caffe.so")):
                return _advice(root, f"env {shlex.quote(f'PYTHONPATH={path}')} python3")
    return ""


def _advice(root: str, command: str) -> str:
    return f'a Caffe is built in "{root}"; to run with it, give --caffe-python {shlex.quote(command)}'


def _roots() -> Iterator[str]:
    for name in _ROOTS:
        if os.environ.get(name):
            yield os.path.abspath(os.environ[name])
    folder = os.getcwd()
    for _ in range(_ABOVE):
        yield folder
        folder = os.path.dirname(folder)
