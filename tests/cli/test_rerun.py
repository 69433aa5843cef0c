"""`caffelint check --watch` and `--timing`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("watchfiles")
LONGEST = 120
"""Seconds that a slow machine may take; nothing waits that long on a common one."""


class Watching:
    """A process that watches a folder, and what it has printed so far."""

    def __init__(self, folder: Path, *options: str):
        self.out = folder.parent / "out"
        with self.out.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "caffelint", "check", "--watch", *options], cwd=folder, stdout=out, stderr=out
            )

    def wait(self, rounds: int) -> str:
        """What the last round printed, once there were that many."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            *seen, _ = self.out.read_text("utf-8").split("watching for changes until Ctrl-C\n")
            if len(seen) >= rounds:
                return seen[-1]
            assert self.process.poll() is None, self.out.read_text("utf-8")
            time.sleep(0.05)
        raise AssertionError(self.out.read_text("utf-8"))


@pytest.fixture
def watching(project: Path) -> Iterator[Watching]:
    found = Watching(project, "--no-cache", "--select", "poly-without-max-iter")
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()


def test_a_change_is_checked(watching: Watching, project: Path) -> None:
    assert "poly-without-max-iter" in watching.wait(1)
    solver = project / "solver.prototxt"
    solver.write_text(solver.read_text() + "max_iter: 100\n")
    assert "poly-without-max-iter" not in watching.wait(2)
    (project / "train.log").write_text("Iteration 1, loss = 1\n")  # read by nothing that checks
    (project / "caffelint.toml").write_text("severity = 3\n")
    assert "caffelint.toml" in watching.wait(3)  # the settings are wrong, and the watch goes on
    (project / "caffelint.toml").write_text('include = ["*.tpl"]\n')
    watching.wait(4)
    (project / "solver.tpl").write_text(solver.read_text().replace("max_iter: 100", ""))
    assert "solver.tpl" in watching.wait(5)
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(LONGEST) == 130
    assert "Traceback" not in watching.out.read_text("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="names in any bytes")
def test_a_name_in_no_encoding_is_no_change(project: Path) -> None:
    """That the check reads it is an event of it, which the library cannot put into words."""
    net = b'layer { name: "n" type: "ReLU" bottom: "data" top: "n" }\n'
    (Path(os.fsdecode(os.fsencode(project) + b"/\xff\xfe.prototxt"))).write_bytes(net)
    found = Watching(project, "--no-cache")
    try:
        found.wait(1)
        time.sleep(3)
        assert found.out.read_text("utf-8").count("watching for changes") <= 2
        (project / "more.prototxt").write_bytes(net)
        found.wait(3 if found.out.read_text("utf-8").count("watching for changes") == 2 else 2)
    finally:
        found.process.kill()
        found.process.wait()


def test_files_of_the_project_that_come_later_are_seen(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "net.prototxt").write_text(
        'layer { name: "mine" type: "Python" top: "x" python_param { module: "mine" layer: "Mine" } }'
    )
    (project / "lib").mkdir()
    (project / "lib/other.py").touch()
    watching = Watching(project, "--no-cache", "--select", "python-class-not-found")
    try:
        assert "python-class-not-found" not in watching.wait(1)
        (project / "lib/mine.py").write_text("import caffe\n\n\nclass Other(caffe.Layer):\n    pass\n")
        assert "python-class-not-found" in watching.wait(2)
    finally:
        watching.process.kill()
        watching.process.wait()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fix"], "--watch and --fix cannot be combined"),
        (["--write-baseline", "known.json"], "--watch and --write-baseline cannot be combined"),
        (["-"], "stdin never changes"),
        (["nowhere/net.prototxt"], "nowhere: no such folder"),
    ],
)
def test_what_cannot_be_watched(caffelint: Any, options: list[str], said: str) -> None:
    run = caffelint("check", "--watch", *options)
    assert run.status == 2
    assert said in run.err
    assert run.err.count("\n") == 1


def test_timing(caffelint: Any) -> None:
    plain = caffelint("check", "--no-cache")
    timed = caffelint("check", "--timing")
    assert (timed.status, timed.out) == (plain.status, plain.out)
    head, *rows = timed.err.splitlines()
    assert head.split() == ["ms", "share", "rule"]
    assert rows[-2].endswith("reading and building nets")
    shares = [float(row.split()[1].rstrip("%")) for row in rows if row]
    assert sum(shares) == pytest.approx(100, abs=5)


def test_timing_of_stdin(caffelint: Any) -> None:
    run = caffelint("check", "--timing", "-", stdin=b"base_lr: 1")
    assert run.status == 2
    assert "--timing needs files" in run.err
