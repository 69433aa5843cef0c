"""`caffelint patch`: what it prints and writes, and that Caffe runs it as told."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import training_nets as nets

from caffelint.cli.main import main

NET = nets.LENET.encode()
SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 3 solver_mode: CPU random_seed: 1\n'


class Run(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def patch(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Runs `caffelint patch` in a folder with a solver and its net."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("net.prototxt").write_bytes(NET)
    Path("solver.prototxt").write_text(SOLVER, "utf-8")

    def run(*arguments: str) -> Run:
        capsys.readouterr()
        status = main(["patch", *arguments])
        return Run(status, *capsys.readouterr())

    return run


def _files() -> set[str]:
    return set(os.listdir())


def test_it_prints_and_writes_nothing(patch: Callable[..., Run]) -> None:
    files = _files()
    for arguments in (("net.prototxt", "--check-finite"), ("--check-finite", "net.prototxt")):
        run = patch(*arguments)
        assert run.status == 0
        assert 'name: "check_finite_ip2"' in run.out
        assert '"ip2" of layer "ip2": read by SoftmaxWithLoss "loss"' in run.err
        assert "WITH_PYTHON_LAYER" in run.err
        assert "no file was written" in run.err
    assert _files() == files
    assert Path("net.prototxt").read_bytes() == NET


def test_in_place_and_back(patch: Callable[..., Run]) -> None:
    files = _files()
    run = patch("net.prototxt", "--check-finite=all", "--in-place")
    assert (run.status, run.out) == (0, "")
    assert f"PYTHONPATH={Path.cwd()}${{PYTHONPATH:+:$PYTHONPATH}} caffe train -solver solver.prototxt" in run.err
    assert 'blob "loss" of layer "loss": it is a loss' in run.err
    assert "--check-finite=loss checks it" in run.err
    assert _files() == files | {"check_finite_layer.py"}
    assert Path("net.prototxt").read_bytes().count(b'"checkFiniteLayer"') == 9
    assert patch("net.prototxt", "--remove", "--in-place").status == 0
    assert Path("net.prototxt").read_bytes() == NET


def test_to_another_file(patch: Callable[..., Run]) -> None:
    os.mkdir("out")
    run = patch("net.prototxt", "--check-finite=ip1,loss", "-o", "out/checked.prototxt")
    assert run.status == 0
    assert sorted(os.listdir("out")) == ["check_finite_layer.py", "checked.prototxt"]
    assert 'in solver.prototxt, write net: "out/checked.prototxt" instead of "net.prototxt"\n' in run.err
    assert Path("net.prototxt").read_bytes() == NET
    assert patch("out/checked.prototxt", "--remove").out.encode() == NET


def test_a_layer_without_a_name_is_told_by_its_type(patch: Callable[..., Run]) -> None:
    Path("net.prototxt").write_text('layer { type: "Input" top: "d" input_param { shape { dim: 4 } } }\n')
    err = patch("net.prototxt", "--check-finite=all").err
    assert '"d"' in err
    assert 'layer ""' not in err


def test_a_dash_is_stdout(patch: Callable[..., Run]) -> None:
    assert patch("net.prototxt", "--check-finite", "-o", "-").out == patch("net.prototxt", "--check-finite").out
    assert not Path("-").exists()


def test_no_net_is_written_without_the_layer_file(patch: Callable[..., Run]) -> None:
    os.mkdir("check_finite_layer.py")
    run = patch("net.prototxt", "--check-finite", "--in-place")
    assert run.status == 2
    assert "net.prototxt: check_finite_layer.py is needed next to it: " in run.err
    assert Path("net.prototxt").read_bytes() == NET


def test_no_layer_file_is_written_where_a_link_leads(patch: Callable[..., Run]) -> None:
    os.symlink("elsewhere.py", "check_finite_layer.py")
    run = patch("net.prototxt", "--check-finite", "--in-place")
    assert run.status == 2
    assert "check_finite_layer.py is needed next to it: it is a link that leads nowhere; remove it" in run.err
    assert not Path("elsewhere.py").exists()
    assert Path("net.prototxt").read_bytes() == NET


def test_no_layer_file_is_written_without_the_net(patch: Callable[..., Run]) -> None:
    os.chmod("net.prototxt", 0o444)
    run = patch("net.prototxt", "--check-finite", "--in-place")
    assert run.status == 2
    assert run.err.endswith("caffelint: net.prototxt: it is read-only, and was left alone\n")
    assert not Path("check_finite_layer.py").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("write", [1, 2])
def test_an_interruption_leaves_nothing_half_done(patch: Callable[..., Run], number: int, write: int) -> None:
    """The layer's file is written first, the net next."""
    files = _files()
    script = (
        "import os, sys, time\n"
        "from caffelint.cli.main import main\n"
        "calls = []\n"
        "wait = lambda: (print('here', flush=True), time.sleep(600))\n"
        f"os.fsync = lambda _: (calls.append(1), len(calls) == {write} and wait())\n"
        "sys.exit(main(['patch', 'net.prototxt', '--check-finite', '--in-place', '-q']))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (143 if number == signal.SIGTERM else 130, b"")
    assert Path("net.prototxt").read_bytes() == NET
    assert _files() == files


def test_links_modes_and_changes_on_disk(patch: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir("nets")
    os.rename("net.prototxt", "nets/real.prototxt")
    os.symlink("nets/real.prototxt", "net.prototxt")
    os.chmod("nets/real.prototxt", 0o640)
    assert patch("net.prototxt", "--check-finite", "--in-place").status == 0
    assert Path("net.prototxt").is_symlink()
    assert os.stat("nets/real.prototxt").st_mode & 0o777 == 0o640
    assert patch("net.prototxt", "--remove", "--in-place").status == 0
    assert Path("nets/real.prototxt").read_bytes() == NET

    def other(*arguments: object) -> str:
        Path("nets/real.prototxt").write_bytes(b"# mine")
        return ""

    monkeypatch.setattr("caffelint.cli.patched.write_layer_file", other)
    run = patch("net.prototxt", "--check-finite", "--in-place")
    assert run.status == 2
    assert "net.prototxt: it changed on disk since it was read, and was left alone; run again" in run.err
    assert Path("nets/real.prototxt").read_bytes() == b"# mine"


def test_diff(patch: Callable[..., Run]) -> None:
    run = patch("net.prototxt", "--check-finite=ip1", "--diff")
    lines = run.out.splitlines()
    assert lines[:2] == ["--- net.prototxt", "+++ net.prototxt"]
    assert not [line for line in lines[2:] if line.startswith("-")]
    assert '+  name: "check_finite_ip1"' in lines
    assert patch("net.prototxt", "--remove", "--diff").out == ""


@pytest.mark.parametrize(
    "text", ["class checkFiniteLayer: pass\n", '"""Written by `caffelint patch`."""\n# my own edits\n']
)
def test_another_layer_file_is_left(patch: Callable[..., Run], text: str) -> None:
    file = Path("check_finite_layer.py")
    file.write_text(text, "utf-8")
    run = patch("net.prototxt", "--check-finite", "--in-place")
    assert "differs from what caffelint writes, so it was left alone" in run.err
    assert file.read_text("utf-8") == text
    file.unlink()
    assert "is written" in patch("net.prototxt", "--check-finite", "--in-place").err
    assert "already exists" in patch("net.prototxt", "--check-finite", "--in-place").err


@pytest.mark.parametrize("name", ["train.py", "out.prototxt"])
def test_an_output_replaces_no_file_that_only_names_the_layer(patch: Callable[..., Run], name: str) -> None:
    Path("train.py").write_text("import x  # check_finite_layer\n", "utf-8")
    if name != "train.py":
        Path(name).symlink_to("train.py")
    run = patch("net.prototxt", "--check-finite", "-o", name)
    assert run.status == 2
    assert Path("train.py").read_text("utf-8") == "import x  # check_finite_layer\n"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("train.sh", "#!/bin/sh\ncaffe train --solver=solver.prototxt --gpu 0,1\n", "train.sh:2: --gpu 0,1"),
        ("train.sh", "caffe train -gpu=all -solver x", "train.sh:1: -gpu=all"),
        ("train.sh", "caffe train -gpu 0 -solver x", ""),
        ("solver.prototxt", SOLVER + "# run with -gpu 0,1,2", "solver.prototxt:2: -gpu 0,1,2"),
        ("solver.prototxt", SOLVER + "layer_wise_reduce: false", "solver.prototxt:2: layer_wise_reduce: false"),
        ("solver.prototxt", SOLVER + "device_id: 0\ndevice_id: 1", "solver.prototxt:3: device_id: 1"),
    ],
)
def test_it_warns_of_several_gpus(patch: Callable[..., Run], file: str, text: str, told: str) -> None:
    Path(file).write_text(text, "utf-8")
    err = patch("net.prototxt", "--check-finite").err
    assert f"{told}: on several GPUs caffe train aborts" in err if told else "several GPUs" not in err


def test_findings_make_suspects(patch: Callable[..., Run]) -> None:
    Path("net.prototxt").write_bytes(
        NET.replace(b"pool: MAX kernel_size: 2 stride: 2", b"pool: AVE kernel_size: 2 stride: 5")
    )
    told = '"pool1" of layer "pool1": caffelint check reports pooling-stride-exceeds-kernel for Pooling "pool1"\n'
    assert told in patch("net.prototxt", "--check-finite").err


def test_errors_in_the_net_are_reported_first(patch: Callable[..., Run]) -> None:
    Path("net.prototxt").write_bytes(NET.replace(b"kernel_size: 2", b"kernel: 2"))
    err = patch("net.prototxt", "--check-finite=all").err
    assert err.startswith(
        "caffelint: net.prototxt: Caffe refuses this net, with checks or without:\n"
        "  line 42: pooling_param has no field kernel"
    )
    assert "[P002 unknown-field]\n" in err


def test_layers_of_one_name_are_listed_with_their_phases(patch: Callable[..., Run]) -> None:
    err = patch("net.prototxt", "--check-finite").err
    assert err.startswith(
        "caffelint: net.prototxt: 5 checks, the most likely suspects first:\n"
        '  "label" of layer "data" (TRAIN): read by SoftmaxWithLoss "loss"\n'
        '  "label" of layer "data" (TEST): read by SoftmaxWithLoss "loss"\n'
    )
    assert err.count('of layer "data"') == 4


def test_stdin_goes_to_stdout(patch: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    files = _files()
    for arguments in (("-", "--check-finite=all"), ("--check-finite=all", "-"), ("-", "--check-finite=all", "-o", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NET)))
        run = patch(*arguments)
        assert run.status == 0
        assert run.out == patch("net.prototxt", "--check-finite=all").out
    assert _files() == files
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(run.out.encode())))
    assert patch("-", "--remove").out.encode() == NET
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NET)))
    assert patch("--check-finite", "-").err.startswith(
        "caffelint: <stdin>: 5 checks, the most likely suspects first:\n"
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NET)))
    assert patch("-", "--check-finite", "-o", "out.prototxt").status == 0
    assert _files() == files | {"out.prototxt", "check_finite_layer.py"}


def test_quiet_says_only_what_stands_in_the_way(patch: Callable[..., Run]) -> None:
    assert patch("net.prototxt", "--check-finite", "--in-place", "-q") == Run(0, "", "")
    Path("train.sh").write_text("caffe train -gpu all", "utf-8")
    err = patch("net.prototxt", "--check-finite", "--in-place", "--quiet").err
    assert err == (
        "caffelint: train.sh:1: -gpu all: on several GPUs caffe train aborts on the Python layers of the checks;"
        " use one GPU\n"
    )
    assert patch("net.prototxt", "--remove", "--in-place", "-q") == Run(0, "", "")
    assert patch("net.prototxt", "--check-finite=x", "-q").err == 'caffelint: net.prototxt: no layer "x"\n'


def test_an_action_that_was_set_stays(patch: Callable[..., Run]) -> None:
    patch("net.prototxt", "--check-finite", "--in-place")
    net = Path("net.prototxt")
    acting = net.read_bytes().replace(b'"blob": "ip2"', b'"action": "warn", "blob": "ip2"')
    net.write_bytes(acting)
    patch("net.prototxt", "--check-finite=all", "--in-place")
    again = net.read_bytes()
    assert again.count(b'"action": "warn"') == 1
    line = next(line for line in again.splitlines() if b'"action"' in line)
    assert b'"blob": "ip2"' in line
    patch("net.prototxt", "--check-finite=losses", "--in-place")
    assert net.read_bytes().count(b'"action": "warn"') == 1
    patch("net.prototxt", "--remove", "--in-place")
    assert net.read_bytes() == NET


def test_what_removal_leaves_is_reported(patch: Callable[..., Run]) -> None:
    assert patch("net.prototxt", "--remove", "--in-place").err == (
        "caffelint: net.prototxt is unchanged; it has no checks\n"
    )
    patch("net.prototxt", "--check-finite", "--in-place")
    assert patch("net.prototxt", "--remove", "--in-place").err == (
        "caffelint: net.prototxt is written\n"
        "caffelint: check_finite_layer.py is still there; delete it once no net beside it has checks\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('layers { name: "r" type: RELU bottom: "a" top: "b" }', "run caffelint upgrade on it first"),
        (
            'layers { name: "v" type: VIDEO_DATA top: "a" image_data_param { new_length: 16 use_image: true } }',
            "this is an old format, which has no Python layers, and it cannot be upgraded: made for C3D"
            " (facebookarchive/C3D), which reads no newer format; caffelint smoke on its solver looks for nan without"
            " checks\n",
        ),
        (
            "layers {\n  type: SEQ_MEMORY_DATA\n}",
            "and it cannot be upgraded: line 2: type: SEQ_MEMORY_DATA is a fork's and has no known name",
        ),
    ],
)
def test_old_formats_are_no_dead_end(patch: Callable[..., Run], text: str, message: str) -> None:
    Path("net.prototxt").write_text(text)
    assert message in patch("net.prototxt", "--check-finite").err


def test_the_command_names_the_solver_that_trains_the_net(patch: Callable[..., Run]) -> None:
    test = SOLVER.replace('net: "net', 'train_net: "other.prototxt" test_net: "net')
    Path("a.prototxt").write_text(test, "utf-8")
    err = patch("net.prototxt", "--check-finite").err
    assert "-solver solver.prototxt" in err
    assert err.endswith("caffelint: other solvers that name this net: a.prototxt\n")
    for letter in "bcdefgh":
        Path(f"{letter}.prototxt").write_text(test, "utf-8")
    *_, last = patch("net.prototxt", "--check-finite").err.splitlines()
    assert last.endswith(": a.prototxt, b.prototxt, c.prototxt, d.prototxt, e.prototxt and 3 more")
    for letter in "bcdefgh":
        Path(f"{letter}.prototxt").unlink()
    Path("solver.prototxt").write_text(test, "utf-8")
    err = patch("net.prototxt", "--check-finite").err
    assert err.endswith(
        "caffelint: a.prototxt only tests with net.prototxt and trains another net; patch that one, too\n"
    )
    assert "caffe train" not in patch("net.prototxt", "--check-finite", "--diff").err


def test_what_is_to_stand_in_the_solver_comes_before_the_command(patch: Callable[..., Run], tmp_path: Path) -> None:
    os.mkdir("models")
    for name in ("net.prototxt", "solver.prototxt"):
        os.rename(name, f"models/{name}")
    here = Path.cwd()
    path = f"PYTHONPATH={here}/models${{PYTHONPATH:+:$PYTHONPATH}}"
    run = f"  cd {here}/models && {path} caffe train -solver solver.prototxt\n"
    told = 'caffelint: first, in models/solver.prototxt, write net: "%s" instead of "%s"\n'
    err = patch("models/net.prototxt", "--check-finite", "-o", "models/checked.prototxt").err
    assert told % ("checked.prototxt", "net.prototxt") in err
    assert err.endswith(run)
    err = patch("models/net.prototxt", "--check-finite", "-o", "checked.prototxt").err
    assert told % (here / "checked.prototxt", "net.prototxt") in err
    assert "first, in" not in patch("models/net.prototxt", "--check-finite=all").err
    solver = Path("models/solver.prototxt")
    solver.write_text(SOLVER.replace("net.prototxt", "models/net.prototxt"), "utf-8")
    err = patch("models/net.prototxt", "--check-finite", "--in-place").err
    assert err.endswith(f"  {path} caffe train -solver models/solver.prototxt\n")
    assert "first, in" not in err
    solver.write_text(SOLVER.replace("net.prototxt", "gone/net.prototxt"), "utf-8")
    err = patch("models/net.prototxt", "--check-finite", "--in-place").err
    assert told % ("net.prototxt", "gone/net.prototxt") in err
    assert err.endswith(run)


def test_a_net_without_a_loss_is_for_no_solver(patch: Callable[..., Run]) -> None:
    os.remove("solver.prototxt")
    assert "caffe train -solver SOLVER" in patch("net.prototxt", "--check-finite").err
    Path("net.prototxt").write_text(
        'input: "a" input_shape { dim: 2 } layer { name: "p" type: "Softmax" bottom: "a" top: "p" }'
    )
    err = patch("net.prototxt", "--check-finite=all", "--in-place").err
    assert 'caffelint: net.prototxt: 2 checks:\n  "a" of layer "input"\n  "p" of layer "p"\ncaffelint: ' in err
    assert "caffelint: to run the script that loads the net, with a Caffe that was built" in err
    assert err.endswith("${PYTHONPATH:+:$PYTHONPATH} python SCRIPT\n")


def test_only_errors_at_which_caffe_refuses_the_net_are_reported(patch: Callable[..., Run]) -> None:
    """The logarithm of 0 is reported, and Caffe runs it: that is what the checks are there for."""
    log = 'layer { name: "relu" type: "ReLU" bottom: "%s" top: "r" }'
    log += 'layer { name: "log" type: "Log" bottom: "r" top: "l" }'
    Path("net.prototxt").write_bytes(NET + (log % "ip2").encode())
    assert main(["check", "--select", "log-of-nonpositive", "--fail-on", "warning", "net.prototxt"]) == 1
    assert "check reports log-of-nonpositive for Log" in patch("net.prototxt", "--check-finite").err
    assert "does not load" not in patch("net.prototxt", "--check-finite").err
    Path("net.prototxt").write_bytes(NET + (log % "gone").encode())
    assert "unknown-bottom]" in patch("net.prototxt", "--check-finite").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("net.prototxt",), "give either --check-finite or --remove"),
        (("net.prototxt", "--remove", "--check-finite"), "give either --check-finite or"),
        (("--remove",), "name the net to patch"),
        (("net.prototxt", "--remove", "--in-place", "--diff"), "cannot be combined"),
        (("net.prototxt", "--check-finite=conv"), 'net.prototxt: no layer "conv"; did you mean conv1?'),
        (("gone.prototxt", "--remove"), "gone.prototxt: cannot be read: no such file or directory"),
        (("net.prototxt", "--remove", "-o", "gone/x"), "gone/x: it cannot be written"),
        (("-", "--check-finite", "--in-place"), "--in-place writes to a file, but - is stdin"),
        (
            ("net.prototxt", "--check-finite=label"),
            'no layer "label"; blob "label" is made by layer "data": give --check-fi',
        ),
        (("net.prototxt", "--check-finite=al"), 'no layer "al"; did you mean all?'),
        (("net.prototxt", "--check-finite=loses"), "did you mean losses?"),
        (("solver.prototxt", "--remove", "--in-place"), "solver.prototxt: this is a solver; give the file of its net"),
    ],
)
def test_what_cannot_be_done_is_reported(patch: Callable[..., Run], arguments: tuple[str, ...], message: str) -> None:
    run = patch(*arguments)
    assert run.status == 2
    assert message in run.err
    assert Path("net.prototxt").read_bytes() == NET


def test_the_caffe_tool_shows_the_message(patch: Callable[..., Run], caffe_python: Path, tmp_path: Path) -> None:
    """It ends with "terminate called" and nothing of what Python raised, so the layer tells by itself.

    The net is named from the solver's folder, so the command goes there first.
    """
    launcher = caffe_python.with_name("caffe-exec")
    if not launcher.exists():
        pytest.skip("no caffe tool beside this Python")
    Path("net.prototxt").write_bytes(NET.replace(b'type: "gaussian" std: 1', b'type: "constant" value: inf'))
    os.mkdir("models")
    for name in ("net.prototxt", "solver.prototxt"):
        os.rename(name, f"models/{name}")
    err = patch("models/net.prototxt", "--check-finite", "--in-place").err
    command = re.search(r"^  (cd .*)$", err, re.MULTILINE)
    assert command
    usr = launcher.parent / "usr"
    caffe = tmp_path / "caffe"
    path = f'"$PYTHONPATH:{usr}/lib/python3/dist-packages"'
    caffe.write_text(f'#!/bin/sh\nPYTHONHOME={usr} PYTHONPATH={path} exec {launcher} caffe "$@"\n')
    caffe.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.defpath}"}
    done = subprocess.run(command[1], shell=True, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    told = 'checkFiniteLayer: forward pass, iteration 0 of TRAIN: blob "data", made by layer "data": 0 nan and 3072 inf'
    assert told in done.stderr


@pytest.mark.parametrize("deep", ["[" * 50_000, '{"a":' * 50_000])
def test_settings_nested_without_end_are_nobodys(patch: Callable[..., Run], deep: str) -> None:
    """A Python layer of that name whose settings are not the check's own is left alone."""
    check = '\nlayer { name: "c" type: "Python" bottom: "ip2" top: "ip2" python_param { module: "check_finite_layer"'
    text = NET + f"{check} layer: \"checkFiniteLayer\" param_str: '{deep}' }} }}\n".encode()
    Path("net.prototxt").write_bytes(text)
    run = patch("net.prototxt", "--remove", "--in-place")
    assert run.status in (0, 1)
    assert "please report it" not in run.err
    assert Path("net.prototxt").read_bytes() == text
