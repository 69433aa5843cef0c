"""Whatever an engine does, its end is told and nothing of it is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.smoke import kept
from caffelint.smoke.caffe.log import Log
from caffelint.smoke.child import run_child
from caffelint.smoke.events import (
    Crashed,
    Done,
    Event,
    Iteration,
    OutOfMemory,
    PythonLayer,
    Refused,
    TimedOut,
    from_line,
    to_line,
)
from caffelint.smoke.execute import _as_named
from caffelint.smoke.job import Job
from caffelint.smoke.kept import environment, python_path

ITERATION = Iteration(0, 0.1, 2.3, {"loss": 2.3})
FATAL = "F1121 14:44:34.272150 16110 net.cpp:759] Cannot copy param 0 weights from layer 'fc'; shape mismatch."


def run(tmp_path: Path, script: str, timeout: float = 30) -> list[Event]:
    path = tmp_path / "engine.py"
    path.write_text("import os, sys, time, signal\n" + script)
    return run_child([sys.executable, str(path)], Job("", (), timeout=timeout), "job.json")


def test_events_come_back_the_same() -> None:
    event = Iteration(3, float("inf"), float("-inf"), {"loss": 1e-30})
    assert from_line(to_line(event)) == event
    assert from_line("{") is from_line("I1121 net.cpp:1] hello") is from_line('{"event": "unheard of"}') is None


def test_rubbish_on_stdout_is_no_event(tmp_path: Path) -> None:
    script = f"print('hello')\nprint({to_line(ITERATION)!r})\nprint('[1')\nprint({to_line(Done(1, 0.1))!r})"
    assert run(tmp_path, script) == [ITERATION, Done(1, 0.1)]


def test_a_hang_ends_in_time_with_all_that_it_started(tmp_path: Path) -> None:
    started = time.monotonic()
    pid = tmp_path / "pid"
    script = (
        "import subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pid)!r}, 'w').write(str(child.pid))\ntime.sleep(600)"
    )
    (event,) = run(tmp_path, script, timeout=2)
    assert isinstance(event, TimedOut)
    assert time.monotonic() - started < 300
    for _ in range(600):
        if not alive(int(pid.read_text())):
            return
        time.sleep(0.1)
    pytest.fail("what the child started is still there")


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", Crashed(-11, "")),
        ("os._exit(3)", Crashed(3, "")),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            OutOfMemory("the system ended it, as it does for want of memory", "cpu"),
        ),
        (
            f"sys.stderr.write({FATAL!r} + chr(10)); sys.stderr.flush(); os.abort()",
            Refused(0, "fc", FATAL.partition("] ")[2], "weights"),
        ),
        (
            "sys.stderr.write('F1121 14:44:34.272150 16110 syncedmem.cpp:71] Check failed: error == cudaSuccess"
            " (2 vs. 0)  out of memory' + chr(10)); os._exit(134)",
            OutOfMemory("error == cudaSuccess (2 vs. 0)  out of memory", "cpu"),
        ),
    ],
)
def test_ends(tmp_path: Path, script: str, wanted: Event) -> None:
    assert run(tmp_path, script) == [wanted]


def test_a_check_that_failed_is_reported_with_its_second_line_and_layer(tmp_path: Path) -> None:
    lines = [
        "I1121 14:44:34.1 16110 layer_factory.hpp:77] Creating layer pool",
        "F1121 14:44:34.2 16110 pooling_layer.cpp:60] Check failed: pad_h_ < kernel_h_ (3 vs. 2) ",
        "*** Check failure stack trace: ***",
    ]
    script = f"sys.stderr.write({chr(10).join(lines)!r}); sys.stderr.flush(); os.abort()"
    assert run(tmp_path, script) == [Refused(0, "pool", "pad_h_ < kernel_h_ (3 vs. 2)", "load")]


def test_what_floods_is_not_kept(tmp_path: Path) -> None:
    script = "line = b'x' * 4095 + b'\\n'\nfor _ in range(1 << 13):\n    os.write(2, line)\nos._exit(1)"
    (event,) = run(tmp_path, script)
    assert isinstance(event, Crashed)
    assert len(event.text) < 100_000


def test_an_exception_that_was_printed(tmp_path: Path) -> None:
    (event,) = run(tmp_path, "def forward():\n    raise ValueError('no box')\nforward()")
    assert isinstance(event, PythonLayer)
    assert event.message == "ValueError: no box"
    assert event.line == 3


def test_a_python_without_caffe_is_no_python_layer(tmp_path: Path) -> None:
    (event,) = run(tmp_path, "import caffe.of.nobody")
    assert isinstance(event, Crashed)
    assert "No module named" in event.text


def test_what_was_started_and_lives_on_holds_nobody_up(tmp_path: Path) -> None:
    """In a session of its own it keeps the engine's stdout open."""
    pid = tmp_path / "pid"
    child = f"import os, time; os.setsid(); open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    script = (
        f"import subprocess\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read():\n    time.sleep(0.05)\n"
        f"print({to_line(Done(1, 0.1))!r})"
    )
    started = time.monotonic()
    try:
        assert run(tmp_path, script, timeout=300) == [Done(1, 0.1)]
        assert time.monotonic() - started < 300
    finally:
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(pid.read_text()), signal.SIGKILL)


def test_a_line_without_an_end(tmp_path: Path) -> None:
    script = f"print({to_line(ITERATION)!r}, flush=True)\nfor _ in range(40):\n    os.write(1, b'x' * (1 << 20))\n"
    script += "os._exit(2)"
    first, last = run(tmp_path, script)
    assert first == ITERATION
    assert isinstance(last, Crashed)
    assert len(last.text) < 100_000


def test_what_left_the_session_is_ended_too(tmp_path: Path) -> None:
    """A daemon: forked twice, in a session of its own, its output closed."""
    pid = tmp_path / "pid"
    daemon = (
        "import os, time\nos.setsid()\nif os.fork():\n    os._exit(0)\n"
        f"open({str(pid)!r}, 'w').write(str(os.getpid()))\nos.closerange(0, 3)\ntime.sleep(600)"
    )
    script = (
        f"import subprocess\nsubprocess.Popen([sys.executable, '-c', {daemon!r}]).wait()\n"
        f"while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read():\n    time.sleep(0.05)\n"
        f"print({to_line(Done(1, 0.1))!r})"
    )
    assert run(tmp_path, script) == [Done(1, 0.1)]
    assert not alive(int(pid.read_text()))


def test_a_killed_parent_leaves_neither_engine_nor_copies(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import os, time; os.setsid(); time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}} ')\ntime.sleep(600)\n"
    )
    parent = (
        "import sys\nfrom caffelint.smoke.child import run_child\nfrom caffelint.smoke.job import Job\n"
        "from caffelint.smoke.session import Choice, work_folder\n"
        f"with work_folder(Choice(work_dir={str(tmp_path)!r})) as folder:\n"
        f"    run_child([sys.executable, {str(engine)!r}], Job('', ()), str(folder / 'job.json'))"
    )
    process = subprocess.Popen([sys.executable, "-c", parent])
    wait_until(lambda: pids.exists() and pids.read_text().endswith(" "))
    assert len(list(tmp_path.glob(".caffelint-smoke-*"))) == 1
    process.kill()
    process.wait()
    wait_until(lambda: not any(map(alive, map(int, pids.read_text().split()))))
    wait_until(lambda: not list(tmp_path.glob(".caffelint-smoke-*")))


def test_copies_are_removed_where_no_engine_runs_yet(tmp_path: Path) -> None:
    parent = (
        "import time\nfrom caffelint.smoke.session import Choice, work_folder\n"
        f"with work_folder(Choice(work_dir={str(tmp_path)!r})) as folder:\n"
        "    (folder / 'net.prototxt').touch()\n    time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", parent])
    wait_until(lambda: bool(list(tmp_path.glob(".caffelint-smoke-*/net.prototxt"))))
    process.kill()
    process.wait()
    wait_until(lambda: not list(tmp_path.iterdir()))


def wait_until(done: Callable[[], bool]) -> None:
    for _ in range(3000):
        if done():
            return
        time.sleep(0.1)
    pytest.fail("it did not come to that in five minutes")


def test_a_command_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        run_child(["/no/such/command"], Job("", ()), "job.json")


def test_no_search_path_leads_to_the_users_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/opt/caffe/python", ".", str(link), str(tmp_path / "nets")]))
    monkeypatch.setenv("LD_LIBRARY_PATH", ":")
    found = environment([str(tmp_path / "nets")])
    assert found["PYTHONPATH"] == "/opt/caffe/python"
    assert "LD_LIBRARY_PATH" not in found
    assert python_path() == (str(tmp_path), "/opt/caffe/python", str(link), str(tmp_path / "nets"))


def test_the_folder_of_a_caffe_is_no_place_for_python_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "caffe").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert python_path() == (str(tmp_path),)  # a checkout of Caffe beside the layers
    (tmp_path / "caffe/__init__.py").touch()
    assert python_path() == ()


def test_a_keeper_that_cannot_start_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise OSError(12, "no memory")

    monkeypatch.setattr(subprocess, "Popen", fails)
    before = os.listdir("/dev/fd")
    with pytest.raises(OSError, match="no memory"):
        kept.Kept(["true"])
    assert os.listdir("/dev/fd") == before


def test_no_engine_is_asked_without_a_keeper() -> None:
    """The driver's nvidia-smi is no engine, and the keeper itself starts what it keeps."""
    folder = Path(kept.__file__).parent
    runs = {path.name for path in folder.rglob("*.py") if "subprocess.run(" in path.read_text("utf-8")}
    assert runs == {"env.py"}


def test_a_question_is_answered_or_ended() -> None:
    assert kept.output([sys.executable, "-c", "print(1); exit(3)"], 60) == (3, b"1\n")
    with pytest.raises(subprocess.TimeoutExpired):
        kept.output([sys.executable, "-c", "import time; time.sleep(60)"], 0.5)


def test_paths_that_begin_alike_keep_their_names() -> None:
    named = {"/copy/data1": "train", "/copy/data10": "test"}
    for order in (named, dict(reversed(named.items()))):
        said = _as_named(Refused(0, "", "/copy/data10 and /copy/data1", "load"), order)
        assert isinstance(said, Refused)
        assert said.message == "test and train"


def test_two_threads_take_turns_at_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []
    most: list[int] = []

    def line(_log: Log, _line: str) -> None:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.001)
        inside.pop()

    monkeypatch.setattr(Log, "line", line)
    log = Log()
    threads = [threading.Thread(target=log.block, args=(b"Traceback\n" * 30,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 60
    assert max(most) == 1
