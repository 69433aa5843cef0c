"""Two processes that fix one folder at once: every file ends whole, and each is fixed or told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from seeds import draws

from caffelint.fix.run import fix
from caffelint.lint.config import Config

if sys.platform == "win32":
    pytest.skip("forks as POSIX does", allow_module_level=True)

OLD = b'layer { name: "n" type: ReLU bottom: "data" top: n }\r\n# ' + b"x" * 20_000 + b"\r\n"
ONE = OLD.replace(b"ReLU", b'"ReLU"').replace(b"top: n", b'top: "n"')
TIMES = draws(5, 100)


def _fix(folder: Path, start: int, told: Path) -> None:
    config = Config()
    config.cache, config.jobs, config.select = False, 1, ["wrong-value-type"]
    os.read(start, 1)
    report = fix([folder], config).report
    told.write_text("\n".join(failure.file for failure in report.failures), "utf-8")


def _started(folder: Path, start: int, told: Path) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _fix(folder, start, told)
            status = 0
        finally:
            os._exit(status)
    return child


@pytest.mark.parametrize("number", range(TIMES))
def test_two_fixers_at_once(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "nets"
    folder.mkdir()
    files = [folder / f"net{number}.prototxt" for number in range(8)]
    for file in files:
        file.write_bytes(OLD)
    start, go = os.pipe()
    told = [tmp_path / "one", tmp_path / "other"]
    children = [_started(folder, start, path) for path in told]
    os.write(go, b"..")
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    os.close(start)
    os.close(go)
    assert sorted(folder.iterdir()) == files, "no temporary file is left"
    assert {file.read_bytes() for file in files} == {ONE}
    failed = [path.read_text("utf-8").split() for path in told]
    assert {os.path.realpath(name) for names in failed for name in names} <= {os.path.realpath(file) for file in files}
    assert not set(failed[0]) & set(failed[1]), "one of the two has written it"
