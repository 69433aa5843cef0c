"""Nothing in the working directory or in a checked folder is imported, whatever it is called and however one starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import caffelint

from .conftest import NET, POLY

NAMES = ("__future__", "caffe", "click", "google", "h5py", "json", "lmdb", "numpy", "sitecustomize", "tomllib")
NAMES += ("torch", "typing", "usercustomize", "mine")
SCRIPT = Path(sys.executable).with_name("caffelint")
STARTS = [[sys.executable, "-m", "caffelint"], [sys.executable, "-P", "-m", "caffelint"], [str(SCRIPT)]]


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A project among modules, a path file and an installed pack of rules that leave a mark when they are run."""
    mark = f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__ + ' ')\n"
    folder = tmp_path / "project"
    info = folder / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[caffelint.rules]\nmine = mine\n")
    for name in NAMES:
        (folder / f"{name}.py").write_text(mark)
    (folder / "planted.pth").write_text(f"import sys; exec({mark!r})\n")
    (folder / "solver.prototxt").write_text(POLY)
    (folder / "net.prototxt").write_text(NET)
    return folder


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache"), **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120)


def ran(folder: Path) -> str:
    mark = folder.parent / "ran"
    return mark.read_text() if mark.exists() else ""


@pytest.mark.parametrize("start", STARTS, ids=["python -m", "python -P -m", "script"])
@pytest.mark.parametrize(
    "arguments", [["check", "."], ["rules"], ["summary", "."], ["config"], ["lr", "solver.prototxt"], ["upgrade", "."]]
)
def test_however_it_starts(planted: Path, start: list[str], arguments: list[str]) -> None:
    if "-P" in start and sys.version_info < (3, 11):
        pytest.skip("this Python has no -P")
    done = run(planted, *start, *arguments)
    assert (done.returncode in (0, 1), ran(planted)) == (True, ""), done.stderr


def test_with_an_empty_part_of_pythonpath(planted: Path) -> None:
    """What Python itself imports at its start is out of reach; packs, and all that comes later, are not."""
    for name in ("sitecustomize", "usercustomize", "typing", "__future__"):
        (planted / f"{name}.py").unlink()
    done = run(planted, str(SCRIPT), "check", ".", PYTHONPATH=os.pathsep)
    assert (done.returncode, ran(planted)) == (1, ""), done.stderr


def test_packs_of_the_working_directory_are_no_rules(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook, too, where it is on the path as an empty text."""
    from caffelint.lint.packs import pack_names

    monkeypatch.chdir(planted)
    for entry in ("", ".", str(planted)):
        monkeypatch.setattr(sys, "path", [entry, *sys.path])
        assert "mine" not in pack_names()


def test_a_source_is_read_without_it(planted: Path) -> None:
    """In `python -c` and a notebook, where the working directory is on the path of whoever asks."""
    (planted / "database").mkdir()
    (planted / "database" / "data.mdb").write_text("")
    asked = "import sys; here = sys.path.pop(0); from caffelint.lint import data_source; sys.path.insert(0, here)\n"
    asked += "try: data_source.ask('lmdb', 'database', color=None)\nexcept data_source.Unreadable as why: print(why)"
    done = run(planted, sys.executable, "-c", asked)
    assert ("database" in done.stdout, ran(planted)) == (True, ""), done.stderr


@pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python puts the working directory first")
def test_a_spawned_worker(planted: Path) -> None:
    """As on Windows and a Mac: it starts anew, and imports `multiprocessing` first of all."""
    (planted / "multiprocessing.py").write_text((planted / "json.py").read_text())
    lines = "from caffelint.lint.workers import context\nif __name__ == '__main__':\n"
    lines += "    with context('spawn') as how: print(how.Pool(1).map(abs, [-7]))\n"
    lines += "    import os; print(os.environ.get('PYTHONSAFEPATH'))\n"
    (planted.parent / "main.py").write_text(lines)
    done = run(planted, sys.executable, str(planted.parent / "main.py"))
    assert (done.stdout, ran(planted)) == ("[7]\nNone\n", ""), done.stderr


def test_without_a_safe_path_nothing_is_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.10 puts the working directory first in what it spawns, and has no word against it."""
    from caffelint.lint import workers

    monkeypatch.setattr(workers.sys, "version_info", (3, 10, 14))
    assert workers.can_share("fork")
    assert not workers.can_share("spawn")


def test_patch_prints_no_empty_part(planted: Path) -> None:
    """A shell makes nothing of it where PYTHONPATH is not set."""
    done = run(planted, str(SCRIPT), "patch", "net.prototxt", "--check-finite", "all", "-o", "out.prototxt")
    (line,) = (line for line in done.stderr.splitlines() if "PYTHONPATH=" in line)
    shown = line.split("PYTHONPATH=")[1].split(" ")[0]
    assert run(planted, "sh", "-c", f'unset PYTHONPATH; echo "{shown}"').stdout == f"{planted}\n"


def test_no_settings_of_matplotlib_are_read_there(planted: Path) -> None:
    """They may run LaTeX, and before version 3.11 of matplotlib code."""
    latex = planted / "bin" / "latex"
    latex.parent.mkdir()
    latex.write_text(f"#!/bin/sh\necho latex >> '{planted.parent}/ran'\n")
    latex.chmod(0o755)
    (planted / "matplotlibrc").write_text("text.usetex: True\ntext.latex.preamble: \\input{/etc/passwd}\n")
    path = f"{latex.parent}{os.pathsep}{os.environ['PATH']}"
    (planted / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    (planted / "net.prototxt").write_text(
        'layer { name: "in" type: "ImageData" top: "x" top: "y" image_data_param { source: "list" batch_size: 1 } }'
        'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param { num_output: 2'
        ' weight_filler { type: "xavier" } } }'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "y" }'
    )
    Image.new("RGB", (4, 4), "gray").save(planted / "a.png")
    (planted / "list").write_text("a.png 0\n")
    (planted / "train.log").write_text("I0404 16:55:15.7 1 solver.cpp:313] Iteration 1, loss = 1\n")
    plots = {"lr": "solver.prototxt", "log": "train.log", "scales": "solver.prototxt", "data": "solver.prototxt"}
    for command in plots.items():
        done = run(planted, str(SCRIPT), *command, "--plot", f"{command[0]}.svg", PATH=path)
        assert (done.returncode, ran(planted)) == (0, ""), done.stderr
        assert (planted / f"{command[0]}.svg").exists()


@pytest.mark.skipif(os.name != "posix", reason="a program without an ending")
@pytest.mark.parametrize("path", [":{}", ".:{}", "{}:", "bin/..:{}"])
def test_no_program_of_the_working_directory_is_run_by_its_name(planted: Path, path: str) -> None:
    """numpy and h5py ask `uname` for the processor."""
    (planted / "uname").write_text(f"#!/bin/sh\necho uname >> {planted.parent / 'ran'}\n")
    (planted / "uname").chmod(0o755)
    (planted / "bin").mkdir()
    asks = "from caffelint.cli.main import main; import platform, sys; main(); print(platform.processor())"
    (planted.parent / "asks.py").write_text(asks)
    for name in NAMES:
        (planted / f"{name}.py").unlink()
    ends = path.format(os.environ["PATH"])
    done = run(planted, sys.executable, str(planted.parent / "asks.py"), "check", "net.prototxt", PATH=ends)
    assert (done.returncode, ran(planted)) == (0, ""), done.stderr


@pytest.mark.parametrize("name", ["--config=net.prototxt", "--fix", "-v"])
def test_a_file_that_is_called_as_an_option_is_none(planted: Path, name: str) -> None:
    """`check *` and pre-commit hand over the names that a checkout holds."""
    (planted / name).write_text('plugins = ["mine"]')
    done = run(planted, str(SCRIPT), "check", name, "net.prototxt")
    assert (done.returncode, ran(planted)) == (2, "")
    said = (
        f'caffelint: "{name}" is an option, and a file here has this name; write "./{name}" for the file, or remove it'
    )
    assert done.stderr.splitlines() == [said]
    assert run(planted, str(SCRIPT), "check", "--", name, "net.prototxt").returncode in (0, 1)


def test_a_relative_folder_of_the_user_is_none_of_ours(planted: Path) -> None:
    """Where matplotlib is imported is another folder than where it starts."""
    (planted / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    ours = Path(caffelint.__file__).parent
    before = {path for path in ours.rglob("*") if path.is_dir() and path.name != "__pycache__"}
    done = run(planted, str(SCRIPT), "lr", "solver.prototxt", "--plot", "lr.svg", HOME="h", XDG_CACHE_HOME="x")
    assert done.returncode == 0, done.stderr
    assert {path for path in ours.rglob("*") if path.is_dir() and path.name != "__pycache__"} == before
