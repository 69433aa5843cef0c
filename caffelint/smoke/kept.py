"""Runs a command and ends it with all that it started, even if this program is killed (keeper.py)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from caffelint.search_path import search_path
from caffelint.smoke.keeper import GRACE
from caffelint.text.signals import held

_PATIENCE = 4 * GRACE
SEARCHED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH")
"""Variables that name folders to find programs, libraries and modules in. An empty entry is the working directory."""


class Kept:
    """`process`: the keeper, which ends with the command's own status or signal and shares its stdout and stderr."""

    def __init__(self, command: Sequence[str], checked: Sequence[str] = (), **variables: str) -> None:
        """Start `command`. Raises OSError if it cannot be started.

        checked: folders of the user's files. variables: to set in the environment, besides.
        """
        self._start(["engine", *command], environment(checked) | variables, subprocess.PIPE)

    def _start(self, arguments: Sequence[str], environment: Mapping[str, str], output: int) -> None:
        control, self._control = os.pipe()
        started, starting = os.pipe()
        keeper = Path(__file__).with_name("keeper.py")
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(keeper), str(control), str(starting), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                pass_fds=(control, starting),
                start_new_session=True,
            )
        except BaseException:
            os.close(started)
            os.close(self._control)
            raise
        finally:
            os.close(control)
            os.close(starting)
        with open(started, "rb") as file:
            number = file.read()
        if number:
            self.end()
            raise OSError(int(number), os.strerror(int(number)))

    def end(self) -> None:
        """End the command and all that it started."""
        with contextlib.suppress(OSError):
            os.write(self._control, b".")
        with contextlib.suppress(OSError):
            os.close(self._control)
        self._control = -1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_PATIENCE)
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(GRACE)


def output(command: Sequence[str], seconds: float) -> tuple[int, bytes]:
    """The status and the stdout of a command. Raises OSError, or TimeoutExpired where it takes longer."""
    with held():
        kept = Kept(command)
    try:
        told, _ = kept.process.communicate(timeout=seconds)
    finally:
        with held():
            kept.end()
    return kept.process.returncode, told


class KeptFolder(Kept):
    """A folder that is removed if this program is killed before `end`."""

    def __init__(self, path: str) -> None:
        self._start(["folder", path], os.environ, subprocess.DEVNULL)


def environment(checked: Sequence[str] = ()) -> dict[str, str]:
    """This program's, in which no search path leads to the working directory or to a folder that is checked."""
    own = {os.path.realpath(folder) for folder in (os.curdir, *checked)}
    found = dict(os.environ)
    for name in SEARCHED:
        if name in found:
            kept = [entry for entry in found[name].split(os.pathsep) if entry and os.path.realpath(entry) not in own]
            found[name] = os.pathsep.join(kept)
            if not kept:
                del found[name]
    return found


def python_path() -> tuple[str, ...]:
    """The folders of PYTHONPATH without those of a Caffe: Python layers of a net are looked for there.

    `environment` removes some of them, and many commands that start a Caffe set a PYTHONPATH of their own.
    """
    paths = os.environ.get("PYTHONPATH", "")
    folders = dict.fromkeys(map(os.path.abspath, paths.split(os.pathsep) if paths else ()))
    return tuple(folder for folder in folders if not os.path.isfile(os.path.join(folder, "caffe", "__init__.py")))


def can_import(name: str) -> bool:
    """Whether a child of this Python finds a module, outside the working directory."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(name, search_path())
    return name in sys.modules or (spec is not None and spec.origin is not None)  # a mere folder has no origin
