"""Which engine runs a job, on which device, and why."""

from __future__ import annotations

import functools
import os
import re
import shlex
import sys
from typing import NamedTuple

from caffelint.smoke.kept import can_import, output
from caffelint.smoke.libraries import LIBRARIES
from caffelint.smoke.own_build import SEARCHED, own_build

CAFFE, TORCH, AUTO = "caffe", "torch", "auto"
OPTION, VARIABLE = "--caffe-python", "CAFFELINT_CAFFE_PYTHON"


_GPUS = ("/dev/nvidiactl", "/dev/nvmap", "/dev/dxg", "/dev/kfd")
"""One of these exists if there is a driver of NVIDIA, of its boards, of WSL or of AMD."""


_ELSEWHERE = "import sys; sys.path[:1] == [''] and sys.path.pop(0)\n"
"""Nothing is imported from the working directory, which Python looks at first."""


_QUESTION = (
    _ELSEWHERE
    + """
try:
    import torch
    torch.zeros(1, device=sys.argv[1])
except Exception as error:
    print(error)
    sys.exit(1)
"""
)


class NoEngine(Exception):
    """Why nothing can run: one line."""


class Engine(NamedTuple):
    """command: what to start, without the runner of a real Caffe. device: `cpu` or `cuda:N`. why: one line.

    unasked: does the command come from settings, which somebody else may have written? It is shown before it runs.
    """

    name: str
    command: tuple[str, ...]
    device: str
    why: str
    unasked: bool = False

    def start(self, folder: str) -> tuple[str, ...]:
        """The command for a job whose files are in a folder; the path of the job comes after it."""
        return (*self.command, os.path.join(folder, "runner.py")) if self.name == CAFFE else self.command

    @property
    def unread(self) -> tuple[str, ...]:
        """Types of data layers of which it does not read the files."""
        return ("WindowData",) if self.name == TORCH else ()


def choose(engine: str, device: str, gpu: int | None, caffe_python: str | None, source: str) -> Engine:
    """The engine for these wishes. caffe_python: the command of a Python with caffe, and `source`, if it was given.

    Raises NoEngine.
    """
    where = "cuda:0" if device == AUTO and gpu is not None else device
    if gpu is not None:
        where = f"cuda:{gpu}"
    if caffe_python is None and VARIABLE in os.environ:
        caffe_python, source = os.environ[VARIABLE], VARIABLE
    if engine != TORCH and caffe_python:
        unasked = source != OPTION
        why = f"{source} names {caffe_python}" if unasked else f"requested with {source}"
        return _caffe(split(caffe_python, source), where, why, unasked)
    if engine != TORCH and can_import("caffe"):
        return _caffe((sys.executable,), where, "this Python imports caffe", False)
    if engine == CAFFE:
        raise NoEngine(
            "no Caffe to run with, because this Python cannot import caffe; "
            + (own_build() or f"{SEARCHED}; name a Python that can with --caffe-python COMMAND or {VARIABLE}")
        )
    if not can_import("torch"):
        raise NoEngine(
            f"neither caffe nor torch can be imported; pip install 'caffelint[smoke]' brings {_lacking()}; or "
            + (own_build() or f"name a Python with caffe with --caffe-python COMMAND or {VARIABLE} ({SEARCHED})")
        )
    why = "requested with --engine"
    if engine != TORCH:
        why = own_build() or "no Caffe is named with --caffe-python, and this Python cannot import caffe"
    if where == AUTO:
        where = "cuda:0" if any_gpu() and _lacks("cuda:0") is None else "cpu"
    elif where != "cpu" and (lacks := _lacks(where)):
        raise NoEngine(f"torch cannot run on {where}: {lacks}")
    return Engine(TORCH, module("caffelint.smoke.torch"), where, why)


def _lacking() -> str:
    """What the torch engine and real data need and is not there, all of it at once."""
    every = ((name, package) for name, (package, extra, _) in LIBRARIES.items() if extra in ("smoke", "data"))
    return ", ".join(package for name, package in every if not can_import(name))


def known_device(text: str) -> bool:
    """Is it auto, cpu or cuda:N?"""
    return re.fullmatch(r"auto|cpu|cuda:[0-9]{1,3}", text) is not None


def module(name: str) -> tuple[str, ...]:
    """The command that runs a module of this package. With -m a file in the working directory could take its place."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    run = f"from runpy import run_module; run_module({name!r}, run_name='__main__', alter_sys=True)"
    return (sys.executable, "-c", f"{_ELSEWHERE}sys.path.append({package!r})\n{run}")


def _caffe(command: tuple[str, ...], device: str, why: str, unasked: bool) -> Engine:
    return Engine(CAFFE, command, "cpu" if device == AUTO else device, why, unasked)


def split(command: str, source: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise NoEngine(f'{source} "{command}" is not a command: {str(error).lower()}') from error
    if not words:
        raise NoEngine(f"{source} is empty; give the command of a Python that imports caffe")
    return words


def any_gpu() -> bool:
    """May there be a GPU that torch can use?"""
    return sys.platform != "darwin" and (sys.platform != "linux" or any(map(os.path.exists, _GPUS)))


@functools.cache
def _lacks(device: str) -> str | None:
    """Why torch cannot use a GPU, None where it can; asked in a child, so that this process does not import torch."""
    import subprocess

    try:
        status, told = output([sys.executable, "-c", _QUESTION, device], 120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if status == 0:
        return None
    said = told.decode("utf-8", "replace").splitlines()
    why = said[0] if said else "it ended without an error message"
    return f"{why[:1].lower()}{why[1:200]}"
