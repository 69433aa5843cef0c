"""A run that does not end in time is told with what it was doing, and a crash with the nan that came before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import NET, SOLVER, python_layer, write

from caffelint.cli.main import main
from caffelint.smoke import child
from caffelint.smoke.caffe.log import Log, ending
from caffelint.smoke.events import Loaded, TimedOut
from caffelint.smoke.job import Job
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

WAITS = "self.wait()"
METHOD = "\n    def wait(self):\n        import threading\n\n        threading.Event().wait(60)\n"


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_the_line_that_waits(engine: str, tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any) -> None:
    if engine == "torch":
        pytest.importorskip("torch")
    net = python_layer(tmp_path, WAITS)
    with (tmp_path / "mine.py").open("a") as file:
        file.write(METHOD)
    solver = write(tmp_path, net)
    monkeypatch.chdir(tmp_path)
    more = ["--caffe-python", str(caffe_python)] if engine == "caffe" else []
    seconds = "6" if engine == "caffe" else "20"
    assert main(["smoke", solver.name, "--engine", engine, "--timeout", seconds, *more]) == 1
    text = " ".join(capsys.readouterr().out.split())
    line = (tmp_path / "mine.py").read_text().splitlines().index("        threading.Event().wait(60)") + 1
    assert f'Python "mine" (mine.py:{line}): its code still ran after' in text
    assert "samples it was in wait and there called wait (threading.py:" in text
    assert "so it was waiting, for example for a lock" in text


def test_what_waits_before_the_first_iteration_is_not_waited_for(
    tmp_path: Path, in_caffe: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_STILL", 4.0)
    net = python_layer(tmp_path, "import threading; threading.Event().wait(500)")
    session = in_caffe(write(tmp_path, net), timeout=16.0 * 20)
    late = session.run and session.run.first(TimedOut)
    assert late
    assert late.seconds < 160
    assert "so it was waiting, for example for a lock" in verdict_of(session)


def test_what_computes_before_the_first_iteration_has_its_time(
    tmp_path: Path, in_caffe: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "_STILL", 1.0)
    net = python_layer(tmp_path, "while True:\n    self.calls += 1")
    session = in_caffe(write(tmp_path, net), timeout=6.0)
    late = session.run and session.run.first(TimedOut)
    assert late
    assert late.seconds >= 6


def test_code_that_only_computes_does_not_wait(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    net = python_layer(tmp_path, "while True:\n    self.calls += 1")
    text = verdict_of(in_caffe(write(tmp_path, net), timeout=6.0))
    assert 'Python "mine" (mine.py:' in text
    assert "so it was computing" in text


def test_a_loader_that_is_slow_is_named_although_iterations_were_done(
    tmp_path: Path, in_caffe: Callable[..., Session]
) -> None:
    net = python_layer(tmp_path, "time.sleep(0.9)")
    session = in_caffe(write(tmp_path, net), timeout=8.0)
    waits = r'it trains slowly: Python "mine": each pass waits (?:0\.[89]|[1-9])[\d.]* s .* at mine\.py:17'
    assert re.search(waits, verdict_of(session))
    late = next(one.message for one in session.report.findings if one.name == "timed-out")
    assert 'Python "mine" (mine.py:17): its code still ran after' in late
    assert "of 50 iterations were done" in late


def test_nan_before_a_crash_is_told(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    """As where a sort or an index goes wrong on nan, and Caffe dies of `double free or corruption`."""
    net = python_layer(tmp_path, "if not bottom[0].data[0, 0, 0, 0] == bottom[0].data[0, 0, 0, 0]: os.abort()")
    log = 'layer { name: "log" type: "Log" bottom: "conv" top: "log" }\n'
    net = net.replace('layer {\n  name: "mine"', log + 'layer {\n  name: "mine"').replace(
        'type: "Python"\n  bottom: "conv"', 'type: "Python"\n  bottom: "log"'
    )
    net = net.replace('bias_filler { type: "constant" } }\n}\n', "bias_filler { value: -1e3 } }\n}\n", 1)
    text = verdict_of(in_caffe(write(tmp_path, net), timeout=60.0))
    assert text.startswith('it breaks: Log "log": the forward pass gives nan')
    assert "The process crashed then, as it may after such values." in text


def verdict_of(session: Session) -> str:
    assert session.run is not None
    return verdict(session.run, session.report.findings)


def test_looks_are_read_and_are_no_last_words(tmp_path: Path, monkeypatch: Any) -> None:
    """What faulthandler wrote in a real run, in pieces as they come."""
    monkeypatch.chdir(tmp_path)
    look = (
        'Timeout (0:00:01)!\nThread 0x00007f (most recent call first):\n  File "/usr/lib/python3.9/queue.py", line 171'
        f' in get\n  File "{tmp_path}/loader.py", line 12 in forward\n  File "/x/runner.py", line 9 in step\n'
        '\nThread 0x00007e (most recent call first):\n  File "/usr/lib/python3.9/threading.py", line 312 in wait\n'
    )
    log = Log()
    text = f"something\n{look}and on\n{look}".encode()
    for at in range(0, len(text), 40):
        log.block(text[at : at + 40][: text[at : at + 40].rfind(b"\n") + 1] or b"")
    log = Log()
    for piece in text.splitlines(keepends=True):
        log.block(piece)
    assert list(log.tail) == ["something", "and on"]
    event = ending(0, log, [Loaded(0, "TRAIN", 1, 1, 1)], 3.0, Job("/x/solver.prototxt", ()), 0.2)
    assert isinstance(event, TimedOut)
    assert (event.function, event.line, event.found, event.looks) == ("forward", 12, 2, 2)
    assert event.calls == "get (queue.py:171)"


def test_a_test_that_takes_days(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3", "test_iter: 200000000"))
    session = in_caffe(solver, iterations=12)
    found = [one for one in session.report.findings if one.name == "test-takes-long"]
    assert [one.line for one in found] == [8]
    assert "test_iter 200000000 makes each test take about" in found[0].message
    quick = in_caffe(write(tmp_path, NET), iterations=12)
    assert not [one for one in quick.report.findings if one.name == "test-takes-long"]


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_denormal_inputs(engine: str, tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any) -> None:
    if engine == "torch":
        pytest.importorskip("torch")
    solver = write(tmp_path, NET.replace("scale: 0.0125", "scale: 1e-41"))
    monkeypatch.chdir(tmp_path)
    more = ["--caffe-python", str(caffe_python)] if engine == "caffe" else []
    main(["smoke", solver.name, "--engine", engine, "--iterations", "3", *more])
    text = " ".join(capsys.readouterr().out.split())
    assert 'values of "data"' not in text
    assert re.search(
        r'"data" holds .* to .*: (99|100)% of its values but 0 are below 1.2e-38, the least normal float32', text
    )
    assert "X119 values-vanish" in text
