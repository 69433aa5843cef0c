"""Runs with the real Caffe that end in all the ways there are."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import NET, SOLVER, python_layer, write

from caffelint.cli.main import main
from caffelint.lint.report import ReportedFinding
from caffelint.smoke import events
from caffelint.smoke.events import Iteration, Note
from caffelint.smoke.prepare import RUNNER
from caffelint.smoke.session import Session

Run = Callable[..., Session]


def only(session: Session) -> ReportedFinding:
    (found,) = [one for one in session.report.findings if one.code.startswith("X") and one.severity != "info"]
    return found


def test_a_sound_project_trains(tmp_path: Path, in_caffe: Run) -> None:
    session = in_caffe(write(tmp_path), iterations=5)
    assert session.run is not None
    assert [event.iteration for event in session.run.all(Iteration)] == [-1, 0, 1, 2, 3, 4]
    (tested,) = session.run.all(events.Tested)
    assert (tested.net, tested.iterations) == (1, 3)
    assert not [finding for finding in session.report.findings if finding.code.startswith("X")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.prototxt", "solver.prototxt"]


def test_two_runs_of_one_seed_are_the_same(tmp_path: Path, in_caffe: Run) -> None:
    runs = [in_caffe(write(tmp_path), iterations=3, seed=seed).run for seed in (5, 5, 6)]
    losses = [[event.loss for event in run.iterations] for run in runs if run]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.parametrize("name", ["models", "caffe"])
def test_a_python_layer_that_raises_is_named(tmp_path: Path, in_caffe: Run, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    net = python_layer(folder, "if self.calls > 3:\n    raise ValueError('no box is left')")
    found = only(in_caffe(write(folder, net)))
    assert found.name == "python-layer-failed"
    assert found.layer == "mine"
    assert found.message.startswith('Python "mine" (mine.Mine) failed: ValueError: no box is left, at "')
    assert found.message.endswith('mine.py":18')


def test_where_the_module_of_a_python_layer_is(tmp_path: Path, in_caffe: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("nets", "lib"):
        (tmp_path / name).mkdir()
    solver = write(tmp_path / "nets", python_layer(tmp_path / "lib", "pass"))
    lib = tmp_path / "lib"
    message = only(in_caffe(solver)).message
    assert message.endswith(f"No module named 'mine'; it is in {lib}/mine.py: run with PYTHONPATH={lib}")
    monkeypatch.setenv("PYTHONPATH", str(lib))
    assert in_caffe(solver).run.iterations
    monkeypatch.delenv("PYTHONPATH")
    (lib / "mine.py").unlink()
    assert only(in_caffe(solver)).message.endswith("No module named 'mine'; put its folder into PYTHONPATH")


def test_a_python_layer_that_calls_exit(tmp_path: Path, in_caffe: Run) -> None:
    found = only(in_caffe(write(tmp_path, python_layer(tmp_path, "sys.exit(0)"))))
    assert (found.name, found.layer) == ("python-layer-failed", "mine")
    assert "called exit" in found.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("os._exit(0)", 'Python "mine": the process exited with 0 in the forward pass'),
        (
            "os.kill(os.getpid(), 11)",
            'Python "mine": the process crashed (signal 11, segmentation fault) in the forward pass',
        ),
        ("time.sleep(600)", 'Python "mine" (mine.py:17): its code still ran after 8 s'),
    ],
)
def test_a_python_layer_that_ends_or_stops_the_process(tmp_path: Path, in_caffe: Run, body: str, message: str) -> None:
    # What ends by itself is run again to see where, in what is left of the time.
    timeout = 8 if "still ran" in message else 300
    found = only(in_caffe(write(tmp_path, python_layer(tmp_path, body)), timeout=timeout))
    assert (found.name, found.layer, found.message) == ("timed-out", "mine", message)


def test_a_python_layer_that_prints(tmp_path: Path, in_caffe: Run) -> None:
    net = python_layer(tmp_path, "print('{\"event\": \"done\"}')\nos.write(1, b'x' * 100000)")
    session = in_caffe(write(tmp_path, net), iterations=3)
    assert session.run is not None
    assert len(session.run.iterations) == 3


def test_a_python_layer_may_have_the_name_of_a_module_of_the_engine(tmp_path: Path, in_caffe: Run) -> None:
    net = python_layer(tmp_path, "")
    for name in (Path(file).stem for file in (*RUNNER, "runner.py", "events.py", "job.py")):
        if name != "__init__":
            folder = tmp_path / name
            folder.mkdir()
            (folder / f"{name}.py").write_bytes((tmp_path / "mine.py").read_bytes())
            session = in_caffe(write(folder, net.replace('module: "mine"', f'module: "{name}"')), iterations=1)
            assert not [finding for finding in session.report.findings if finding.severity == "error"], name


def test_a_python_layer_that_cannot_be_imported(tmp_path: Path, in_caffe: Run) -> None:
    net = python_layer(tmp_path, "")
    (tmp_path / "mine.py").write_text("import no_such_module_at_all\n")
    found = only(in_caffe(write(tmp_path, net)))
    assert found.name == "python-layer-failed"
    assert found.layer == "mine"
    assert "No module named 'no_such_module_at_all'" in found.message


def test_weights_that_do_not_fit(tmp_path: Path, in_caffe: Run, caffe_python: Path) -> None:
    solver = write(tmp_path, NET, 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed"')
    five = tmp_path / "five.prototxt"
    five.write_text(
        'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "y" inner_product_param { num_output: 3 } }\n'
        'layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 dim: 4 } } }\n'
    )
    lines = five.read_text().splitlines()
    five.write_text("\n".join(reversed(lines)))
    script = tmp_path / "save.py"
    script.write_text("import sys, caffe\ncaffe.Net(sys.argv[1], caffe.TEST).save(sys.argv[2])\n")
    weights = tmp_path / "five.caffemodel"
    subprocess.run([caffe_python, script, five, weights], check=True, capture_output=True)
    found = only(in_caffe(solver, weights=str(weights)))
    assert (found.name, found.layer) == ("refused-at-load", "fc")
    assert found.message.startswith('InnerProduct "fc": the weights do not fit: Cannot copy param 0')


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"rubbish", "the weights cannot be read: "),
        (b"", "note: weights were copied into 0 layers\n"),
        (b"", "has no weights for any layer of this net"),
    ],
)
def test_weights_that_are_none(tmp_path: Path, caffe_python: Path, capsys: Any, content: bytes, said: str) -> None:
    (tmp_path / "a.caffemodel").write_bytes(content)
    arguments = ["--caffe-python", str(caffe_python), "--iterations", "1"]
    assert main(["smoke", str(write(tmp_path)), *arguments, "--weights", str(tmp_path / "a.caffemodel")]) == 1
    assert said in capsys.readouterr().out


def test_labels_are_looked_at_more_often_than_all_else(tmp_path: Path, in_caffe: Run) -> None:
    """What lies at its ends all the time is seen, though iteration 11 tells of labels alone."""
    full = 'layer { name: "full" type: "Sigmoid" bottom: "conv" top: "full" }\n'
    net = NET.replace('layer {\n  name: "fc"', full + 'layer {\n  name: "fc"')
    net = net.replace('bottom: "conv"\n  top: "fc"', 'bottom: "full"\n  top: "fc"')
    session = in_caffe(write(tmp_path, net.replace('type: "xavier"', 'type: "gaussian" std: 1e6', 1)), iterations=13)
    assert session.run is not None
    assert session.run.measured == [-1, 0, 10, 12]
    assert session.run.statistics(11, "data", "blob", "label", "data") is not None
    assert (only(session).name, only(session).layer) == ("dead-units", "full")


def test_a_gpu_that_caffe_was_not_built_for(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    solver = write(tmp_path)
    status = main(["smoke", str(solver), "--caffe-python", str(caffe_python), "--gpu", "0"])
    assert status == 2
    error = capsys.readouterr().err
    assert error == "caffelint: this Caffe cannot run on cuda:0: cannot use GPU in CPU-only Caffe: check mode\n"


def test_the_check_stops_what_cannot_load(tmp_path: Path, in_caffe: Run) -> None:
    session = in_caffe(write(tmp_path, NET.replace('bottom: "fc"', 'bottom: "fcl"')), force=False)
    assert session.run is None
    assert "unknown-bottom" in [finding.name for finding in session.report.findings]


def test_python_layers_can_be_refused(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    (tmp_path / "ran").unlink(missing_ok=True)
    solver = write(tmp_path, python_layer(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')"))
    status = main(["smoke", str(solver), "--caffe-python", str(caffe_python), "--no-python-layers"])
    assert status == 2
    assert 'layer "mine" would run mine.Mine' in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/no/such/python", '"/no/such/python" cannot be started: no such file or directory (requested with'),
        ("'open", '--caffe-python "\'open" is not a command: no closing quotation'),
    ],
)
def test_a_command_that_does_not_start(tmp_path: Path, command: str, message: str, capsys: Any) -> None:
    assert main(["smoke", str(write(tmp_path)), "--caffe-python", command]) == 2
    assert message in capsys.readouterr().err


def test_a_python_without_caffe(tmp_path: Path, capsys: Any) -> None:
    status = main(["smoke", str(write(tmp_path)), "--caffe-python", sys.executable])
    assert status == 2
    assert "cannot import caffe: ModuleNotFoundError: No module named 'caffe'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("true", '"true" cannot import caffe: it ended without an error message'),
        ("cat", '"cat" cannot import caffe: {"solver": "'),
        ("sh -c 'echo no daemon is running >&2; exit 125'", '"sh" cannot import caffe: no daemon is running'),
        (
            "python3 -c 'raise ImportError(\"libcudart.so.8.0: cannot open\")'",
            '"python3" cannot import caffe: ImportError: libcudart.so.8.0: cannot open',
        ),
    ],
)
def test_a_command_that_is_no_caffe(tmp_path: Path, command: str, said: str, capsys: Any) -> None:
    """That is no finding of the project's."""
    assert main(["smoke", str(write(tmp_path)), "--caffe-python", command]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error) < 1000


def test_ctrl_c_leaves_nothing(tmp_path: Path, caffe_python: Path) -> None:
    solver = write(tmp_path, python_layer(tmp_path, "open('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"))
    command = [sys.executable, "-m", "caffelint", "smoke", solver.name, "--caffe-python", str(caffe_python)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    pid = tmp_path / "pid"
    for _ in range(3000):
        if pid.exists() and pid.read_text():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=300)[1] == b"caffelint: interrupted at iteration 0\n"
    assert process.returncode == 130
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "mine.py",
        "net.prototxt",
        "pid",
        "solver.prototxt",
    ]
    state = Path(f"/proc/{pid.read_text()}/stat")
    with contextlib.suppress(OSError):  # it is dead, and whoever has to bury it may not have done so yet
        assert state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_notes_tell_versions_and_data(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    assert main(["smoke", str(write(tmp_path)), "--caffe-python", str(caffe_python), "--iterations", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "engine caffe on cpu: requested with --caffe-python"
    assert lines[1] == "data: synthetic"
    assert lines[2] == 'note: TRAIN data is synthetic, because "no/such/lmdb" does not exist'
    assert any(line.startswith("note: Caffe ") for line in lines)
    (first,) = [line for line in lines if line.startswith("it runs on ")]
    assert " data: 3 iterations, every value finite, loss " in first
    assert all(line.startswith("  ") for line in lines[lines.index(first) + 1 :])


def test_poly_sees_the_users_max_iter(tmp_path: Path, in_caffe: Run) -> None:
    solver = SOLVER.replace('"fixed"', '"poly"') + "power: 1\n"
    session = in_caffe(write(tmp_path, solver=solver), iterations=4)
    assert session.run is not None
    assert [event.rate for event in session.run.iterations] == pytest.approx([0.01 * (1 - i / 1000) for i in range(4)])
    assert any(isinstance(event, Note) for event in session.run.events)


def test_real_data_is_read_by_caffe(tmp_path: Path, in_caffe: Run, caffe_python: Path) -> None:
    layer = (
        'layer { name: "data" type: "HDF5Data" top: "data" top: "label"\n'
        '  hdf5_data_param { source: "list.txt" batch_size: 4 } }\n'
    )
    solver = write(tmp_path, layer + NET.partition('name: "conv"')[2].join(('layer {\n  name: "conv"', "")))
    (tmp_path / "list.txt").write_text("data.h5\n")
    script = tmp_path / "make.py"
    script.write_text(
        "import h5py, numpy, sys\nwith h5py.File('data.h5', 'w') as file:\n"
        "    file['data'] = numpy.random.RandomState(1).randn(8, 3, 8, 8).astype('float32')\n"
        "    file['label'] = (numpy.arange(8) % 5 + int(sys.argv[1])).astype('float32')\n"
        "    file['data'][5, 0, 0, 0] = float(sys.argv[2])\n"
    )
    outcomes = []
    for first, odd in ((0, 0.0), (1, 0.0), (0, float("nan"))):
        subprocess.run([caffe_python, script, str(first), str(odd)], check=True, capture_output=True, cwd=tmp_path)
        session = in_caffe(solver, iterations=4)
        assert session.run is not None
        assert not session.run.synthetic
        outcomes.append([(one.name, one.layer) for one in session.report.findings if one.code.startswith("X")])
    assert outcomes == [[], [("label-out-of-range", "loss")], [("non-finite-forward", "data")]]


def test_what_this_caffe_cannot_read_stands_at_its_line(tmp_path: Path, in_caffe: Run) -> None:
    found = only(in_caffe(write(tmp_path, NET.replace("kernel_size: 3 ", "kernel_size: 3 of_a_fork: 1 "))))
    assert (found.name, found.file, found.line) == ("refused-at-load", "net.prototxt", 25)
    assert 'has no field named "of_a_fork"' in found.message
