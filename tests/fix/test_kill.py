"""A process that is killed while it fixes a folder leaves every file whole: the old or the new text."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from seeds import SEED, draws

from caffelint.fix.run import fix
from caffelint.lint.config import Config

if sys.platform == "win32":
    pytest.skip("kills as POSIX does", allow_module_level=True)

OLD = b'layer { name: "n" type: ReLU bottom: "data" top: "n" }\r\n# ' + b"x" * 20_000 + b"\r\n"
NEW = OLD.replace(b"ReLU", b'"ReLU"')
MOMENTS = draws(50, 1000)


def _folder(path: Path, files: int = 12) -> list[Path]:
    path.mkdir()
    paths = [path / f"net{number}.prototxt" for number in range(files)]
    for file in paths:
        file.write_bytes(OLD)
    return paths


def _start(folder: Path) -> int:
    """A process that fixes the folder, without the time that imports take; its id."""
    child = os.fork()
    if child == 0:
        try:
            fix([folder], _config())
        finally:
            os._exit(0)
    return child


def _seconds(folder: Path) -> float:
    _folder(folder)
    started = time.monotonic()
    os.waitpid(_start(folder), 0)
    taken = time.monotonic() - started
    assert {path.read_bytes() for path in folder.iterdir()} == {NEW}
    return taken


def _config() -> Config:
    config = Config()
    config.cache, config.jobs, config.select = False, 1, ["wrong-value-type"]
    return config


def test_killed_at_any_moment(tmp_path: Path) -> None:
    takes = min(_seconds(tmp_path / f"warm{number}") for number in range(3))
    moments = random.Random(SEED + 5)
    states: set[int] = set()
    for number in range(20 * MOMENTS):
        if number >= MOMENTS and len(states) > 2:
            break  # where others run beside, all may have been killed before the first file, or after the last
        files = _folder(tmp_path / str(number))
        child = _start(tmp_path / str(number))
        time.sleep(moments.uniform(0, takes))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = [file.read_bytes() for file in files]
        assert set(found) <= {OLD, NEW}
        states.add(found.count(NEW))
        assert sum(path.name not in {file.name for file in files} for path in files[0].parent.iterdir()) <= 1
    assert len(states) > 2, f"killed always at the same moment: {states} of the files were new"


@pytest.mark.parametrize("size", [0, 1, 10_000, len(NEW) - 1])
def test_killed_in_the_middle_of_writing(tmp_path: Path, size: int) -> None:
    """By the kernel, after so many bytes of the file."""
    import resource

    (file,) = _folder(tmp_path / "nets", files=1)
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            fix([file.parent], _config())
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGXFSZ
    assert file.read_bytes() == OLD
