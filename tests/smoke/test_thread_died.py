"""The exception that ended a thread of the user's own code stands between lines that Caffe logged meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffelint.smoke.caffe.log import Log, ending
from caffelint.smoke.events import TimedOut
from caffelint.smoke.job import Job

WRITTEN = """I1122 19:19:04.996511 25080 sgd_solver.cpp:112] Iteration 23, lr = 0.02
Exception in thread Thread-2:
Traceback (most recent call last):
  File "/usr/lib/python3.9/threading.py", line 954, in _bootstrap_inner
    I1122 19:19:04.998589 25080 solver.cpp:239] Iteration 24 (500 iter/s, 0.002s/1 iters), loss = 1.99752
I1122 19:19:04.998607 25080 sgd_solver.cpp:112] Iteration 24, lr = 0.02
self.run()
  File "FOLDER/prefetch.py", line 24, in work
    x[k], y[k] = self.x[o[k]], self.y[o[k]]
IndexError: list index out of range
I1122 19:19:04.999796 25080 solver.cpp:239] Iteration 25 (1000 iter/s, 0.001s/1 iters), loss = 1.89215
"""


def late(written: str, folder: Path) -> Any:
    log = Log()
    log.block(written.encode())
    return ending(0, log, [], 60.0, Job(str(folder / "copies" / "solver.prototxt"), (), checked=(str(folder),)))


def test_what_ended_it_and_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    event = late(WRITTEN.replace("FOLDER", str(tmp_path)), tmp_path)
    assert isinstance(event, TimedOut)
    assert (event.raised, event.raised_at) == ("IndexError: list index out of range", 24)
    assert event.raised_in == str(tmp_path / "prefetch.py")


def test_a_thread_of_a_library_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert late(WRITTEN.replace("FOLDER", "/usr/lib"), tmp_path).raised == ""
