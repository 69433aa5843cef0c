"""What lies in the working directory is not run, whatever it is called, but for the Python layers that a net names."""

from __future__ import annotations

import importlib.util
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from project_files import python_layer, write

from caffelint.cli.main import main
from caffelint.smoke import engines
from caffelint.smoke.env import _gpus
from caffelint.smoke.session import Choice, work_folder

NAMES = ("arrays", "caffe", "caffelint", "gradients", "json", "modes", "numpy", "random", "resource", "synthetic")
NAMES += ("click", "ctypes", "google", "h5py", "lmdb", "plyvel", "sitecustomize", "torch", "usercustomize")
STAND_IN = Path(__file__).parent / "stand_in"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(folder: Path) -> str:
    path = folder / "ran"
    return path.read_text() if path.exists() else ""


def test_torch(folder: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    assert main(["smoke", write(folder).name, "--engine", "torch", "--iterations", "2"]) == 0, capsys.readouterr()
    assert ran(folder) == ""
    solver = write(folder, python_layer(folder, ""))
    assert main(["smoke", solver.name, "--engine", "torch", "--iterations", "2"]) == 0
    assert main(["smoke", solver.name, "--engine", "torch", "--gradcheck", "mine"]) == 0
    assert "runs your code: Python layers mine.Mine" in capsys.readouterr().out
    assert ran(folder) == ""
    assert not (folder / "__pycache__").exists()


def test_a_python_that_looks_nowhere_by_itself(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    """As with PYTHONSAFEPATH, which is younger than this one."""
    lines = "import runpy, sys; sys.argv.pop(0); sys.path.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
    command = shlex.join([str(caffe_python), "-c", lines])
    assert main(["smoke", str(write(tmp_path)), "--caffe-python", command, "--iterations", "1"]) == 0


def test_caffe(folder: Path, caffe_python: Path, capsys: Any) -> None:
    solver = write(folder, python_layer(folder, ""))
    assert main(["smoke", solver.name, "--caffe-python", str(caffe_python), "--iterations", "2"]) == 0
    assert main(["smoke", solver.name, "--caffe-python", str(caffe_python), "--gradcheck", "mine"]) == 0
    assert "runs your code: Python layers mine.Mine" in capsys.readouterr().out
    assert ran(folder) == ""


@pytest.mark.parametrize("paths", ["", ":", ".:", "{folder}"])
def test_an_empty_entry_in_pythonpath_is_no_way_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, paths: str
) -> None:
    """`PYTHONPATH=/opt/caffe/python:$PYTHONPATH`, as many set it, ends in one: the working directory."""
    net = 'layer { name: "data" type: "Input" top: "data" top: "label"\n  input_param { shape { dim: 4 dim: 3 } '
    net += 'shape { dim: 4 dim: 2 } } }\nlayer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"\n'
    net += '  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }\n'
    net += 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
    solver = write(folder, net, 'net: "net.prototxt"\nbase_lr: 0.01 lr_policy: "fixed" max_iter: 10\n')
    user = paths.format(folder=folder)
    monkeypatch.setenv("PYTHONPATH", f"{user}:{STAND_IN}" if paths.startswith("{") else f"{STAND_IN}:{user}")
    arguments = ["smoke", solver.name, "--caffe-python", sys.executable, "--iterations", "2"]
    status = main(arguments)
    assert "engine caffe on cpu" in capsys.readouterr().out
    assert (status, ran(folder)) == (0, "")
    if paths == ":" and importlib.util.find_spec("torch"):
        assert main(["smoke", solver.name, "--engine", "torch", "--iterations", "2"]) == 0
        assert ran(folder) == ""


def test_a_program_of_the_working_directory_is_not_asked_for_gpus(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry of PATH is the working directory."""
    planted = folder / "nvidia-smi"
    planted.write_text(f"#!/bin/sh\necho nvidia-smi >> {folder / 'ran'}\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", ":/no/such/folder")
    assert _gpus() is None
    assert ran(folder) == ""


def test_env(folder: Path, caffe_python: Path, capsys: Any) -> None:
    assert main(["env", "--caffe-python", str(caffe_python)]) == 0
    out = capsys.readouterr().out
    assert "caffe       1.0.0, Python 3" in out
    assert " layer types; Python layers run" in out
    assert ran(folder) == ""


@pytest.mark.skipif(os.name != "posix", reason="modes")
@pytest.mark.parametrize(("program", "mode"), [(None, 0o700), ("docker run python3", 0o755)])
def test_copies_are_for_the_user_alone_but_for_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, mode: int
) -> None:
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    with work_folder(Choice(work_dir=str(tmp_path), caffe_python=program)) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == mode
    assert os.listdir(tmp_path) == []
