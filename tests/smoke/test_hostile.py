"""Bad input, hostile layers, bad luck: a clear finding, nothing left running, no folder left, files as they were."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import NET, SOLVER, python_layer, write

from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.schema import Datum
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher
from caffelint.smoke.train import smoke

Run = Callable[..., Session]


def only(session: Session) -> Any:
    (found,) = [finding for finding in session.report.findings if finding.code.startswith("X")]
    return found


def in_torch(solver: Path, monkeypatch: pytest.MonkeyPatch, **wishes: Any) -> Session:
    pytest.importorskip("torch")
    monkeypatch.chdir(solver.parent)
    config = Config()
    config.cache = False
    config.jobs = 1
    wanted = Wishes(**{"timeout": 60.0, **wishes})
    return smoke(Request(solver.name, config, wanted, Choice("torch"), True), Watcher())


def make_database(folder: Path) -> Path:
    lmdb = pytest.importorskip("lmdb")
    random = np.random.RandomState(1)
    with lmdb.open(str(folder / "db"), map_size=1 << 22) as database, database.begin(write=True) as at:
        for number in range(40):
            image = random.randint(0, 256, (3, 12, 12)).astype(np.uint8).tobytes()
            datum = Datum(channels=3, height=12, width=12, label=number % 5, data=image)
            at.put(b"%08d" % number, datum.SerializeToString())
    return folder / "db" / "data.mdb"


def spoil(data: Path, how: str) -> None:
    good = data.read_bytes()
    if how == "rubbish":
        data.write_bytes(bytes(range(256)) * (len(good) // 256))
    elif how == "truncated":
        data.write_bytes(good[: 3 * 4096 + 100])
    elif how == "empty":
        data.write_bytes(b"")
    else:
        data.write_bytes(good.replace(b"\x08\x03\x10\x0c\x18\x0c", b"\xff\xff\xff\xff\xff\xff"))


CUT_OFF = "while it set up this layer; a file that is mapped into memory, such as an LMDB, is cut off"
REASONS = {
    ("caffe", "rubbish"): "MDB_INVALID: File is not an LMDB file",
    ("caffe", "truncated"): CUT_OFF,
    ("caffe", "empty"): "mdb_status == 0",
    ("caffe", "records"): "datum_channels > 0 (0 vs. 0)",
    ("torch", "truncated"): CUT_OFF,
}


@pytest.mark.parametrize(
    ("engine", "how"),
    REASONS,
)
def test_a_damaged_lmdb(tmp_path: Path, in_caffe: Run, monkeypatch: Any, engine: str, how: str) -> None:
    data = make_database(tmp_path)
    spoil(data, how)
    spoilt = data.read_bytes()
    solver = write(tmp_path, NET.replace("no/such/lmdb", "db").replace("no/such/other_lmdb", "db"))
    session = in_caffe(solver, iterations=15) if engine == "caffe" else in_torch(solver, monkeypatch, iterations=15)
    found = only(session)
    assert (found.name, found.layer, found.file) == ("refused-at-load", "data", "net.prototxt")
    assert REASONS[engine, how] in found.message
    assert data.read_bytes() == spoilt
    assert sorted(path.name for path in tmp_path.iterdir()) == ["db", "net.prototxt", "solver.prototxt"]


@pytest.mark.parametrize(
    ("body", "name", "words"),
    [
        ("while True:\n    pass", "timed-out", 'Python "mine" (mine.py:18): its code still ran after'),
        ("os.abort()", "timed-out", 'Python "mine": the process crashed (signal 6, abort) in the forward pass'),
        ("os.kill(os.getpid(), 9)", "out-of-memory", ""),
        ("os.close(1); os.close(2); time.sleep(600)", "timed-out", 'Python "mine": still in the forward'),
        ("raise KeyboardInterrupt", "python-layer-failed", "KeyboardInterrupt"),
        ("top[0].reshape(1, 1)", "", ""),
    ],
)
def test_a_layer_that_means_harm(tmp_path: Path, in_caffe: Run, body: str, name: str, words: str) -> None:
    solver = write(tmp_path, python_layer(tmp_path, body))
    if not name:
        assert in_caffe(solver, timeout=20, iterations=2).report.findings
        return
    found = only(in_caffe(solver, timeout=8))
    assert (found.name, words in found.message) == (name, True), found.message
    assert found.layer == "mine" or name == "out-of-memory"


def test_a_layer_that_prints_without_end(tmp_path: Path, in_caffe: Run) -> None:
    """Some 100 MB, in lines and without any, and it still trains."""
    body = "os.write(1, b'x' * (1 << 24))\nos.write(2, (b'y' * 99 + b'\\n') * (1 << 17))"
    session = in_caffe(write(tmp_path, python_layer(tmp_path, body)), iterations=2)
    assert session.run is not None
    assert len(session.run.iterations) == 2
    assert not [one for one in session.report.findings if one.code.startswith("X1") and one.severity == "error"]


def test_what_is_run_is_reported_before(tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    solver = write(tmp_path, python_layer(tmp_path, ""))
    mine = tmp_path / "mine.py"
    mine.write_text("import os\nos._exit(7)\n" + mine.read_text())
    assert main(["smoke", str(solver), "--caffe-python", str(caffe_python), "--timeout", "20"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "runs your code: Python layers mine.Mine" in lines
    assert any(
        'Python "mine": Caffe aborts: the process exited with 7 while it set up this layer' in line for line in lines
    )


@pytest.mark.parametrize("option", ["--compare=caffe,caffe:cpu", "--gradcheck=all"])
def test_python_layers_can_be_refused_there_too(tmp_path: Path, caffe_python: Path, capsys: Any, option: str) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n" + mine.read_text())
    arguments = ["smoke", str(solver), "--caffe-python", str(caffe_python), "--no-python-layers", option]
    assert main(arguments) == 2
    assert 'layer "mine" would run mine.Mine' in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


def test_window_data_whose_images_are_not_there(tmp_path: Path, in_caffe: Run) -> None:
    """Caffe logs it and goes on with zeros; here data is made up, and that is told."""
    layer = (
        'layer { name: "data" type: "WindowData" top: "data" top: "label"\n  transform_param { crop_size: 8 }\n'
        '  window_data_param { source: "windows.txt" batch_size: 4 fg_fraction: 0.25 } }\n'
    )
    (tmp_path / "windows.txt").write_text("# 0\nno/such.jpg\n3\n20\n20\n2\n1 0.9 0 0 9 9\n0 0.1 0 0 9 9\n")
    solver = write(tmp_path, layer + NET.partition('name: "conv"')[2].join(('layer {\n  name: "conv"', "")))
    session = in_caffe(solver, iterations=2)
    assert session.run is not None
    assert session.run.synthetic
    assert len(session.run.iterations) == 2


def test_torch_without_a_gpu(tmp_path: Path, capsys: Any) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for options in (["--gpu", "0"], ["--device", "cuda:0"], ["--compare", "cpu,cuda:0"]):
        assert main(["smoke", str(write(tmp_path)), "--engine", "torch", *options]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith("caffelint: torch cannot run on cuda:0: ")
        assert shown.err.count("\n") == 1


def test_no_caffe_to_compare_with(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    """Tests that ran the torch engine in this process have left its stand-in for pycaffe."""
    monkeypatch.delitem(sys.modules, "caffe", raising=False)
    assert main(["smoke", str(write(tmp_path)), "--compare", "caffe,torch"]) == 2
    assert capsys.readouterr().err.startswith("caffelint: no Caffe to run with, because ")


@pytest.mark.parametrize("more", [[], ["--gradcheck", "all"], ["--compare", "torch,torch:cpu"]])
def test_nothing_to_run_it_with(tmp_path: Path, capsys: Any, monkeypatch: Any, more: list[str]) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    arguments = ["--engine", "torch", "--iterations", "1", "--fail-on", "never", *more]
    assert main(["smoke", str(write(tmp_path, python_layer(tmp_path, "caffe.Net"))), *arguments]) == 2
    assert "not run, because no engine here can run it" in capsys.readouterr().err


def test_a_test_net_that_torch_lacks_is_left_out(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    layer = python_layer(tmp_path, "pass").replace('  type: "Python"\n', '  type: "Python" include { phase: TEST }\n')
    mine = tmp_path / "mine.py"
    mine.write_text("import caffe\n\nparse = caffe.Net\n" + mine.read_text())
    net = layer.replace('bottom: "mine"\n', 'bottom: "conv"\n').replace('top: "mine"', 'top: "mine_alone"')
    assert main(["smoke", str(write(tmp_path, net)), "--engine", "torch", "--iterations", "3"]) == 0
    out = capsys.readouterr().out
    assert "note: the TEST net is left out: the torch engine does not run this Python layer" in out
    assert "3 iterations, every value finite" in out


def test_a_folder_that_takes_no_copies(tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any) -> None:
    solver = write(tmp_path)
    monkeypatch.chdir(tmp_path)

    def refuse(path: Path, *arguments: Any) -> None:
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert main(["smoke", solver.name, "--caffe-python", str(caffe_python)]) == 2
    wanted = f'cannot make copies in "{tmp_path}": read-only file system; choose a folder with --work-dir'
    assert wanted in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "moment"), [(signal.SIGTERM, 0.4), (signal.SIGINT, 0.7), (signal.SIGHUP, 1.0), (signal.SIGTERM, 1.6)]
)
def test_a_signal_at_any_time(tmp_path: Path, caffe_python: Path, number: signal.Signals, moment: float) -> None:
    net = python_layer(tmp_path, "os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '600')\ntime.sleep(600)")
    solver = write(tmp_path, net, SOLVER)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    mark = f"caffelint-test-{os.getpid()}-{number}-{moment}"
    command = [sys.executable, "-m", "caffelint", "smoke", solver.name, "--caffe-python", str(caffe_python)]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "CAFFELINT_TEST_MARK": mark, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    time.sleep(moment)
    process.send_signal(number)
    time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(300) in (130 if number == signal.SIGINT else 128 + number, -number)
    for _ in range(600):
        if not marked(mark):
            break
        time.sleep(0.1)
    assert marked(mark) == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def marked(mark: str) -> list[str]:
    """Processes that were started with a mark in their environment and still run."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_a_run_that_did_not_end_is_no_success(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    arguments = ["--engine", "torch", "--iterations", "1000000", "--timeout", "3"]
    assert main(["smoke", str(write(tmp_path)), *arguments]) == 1
    out = capsys.readouterr().out
    assert "it did not end: " in out
    assert "after 3 s" in out
