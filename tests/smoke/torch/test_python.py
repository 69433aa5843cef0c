"""Python layers on the torch engine: what pycaffe makes of the same code is what it is compared with."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from project_files import python_layer, write

pytest.importorskip("torch")

from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.smoke.compare import compare, sides
from caffelint.smoke.events import Compared, Gradient, PythonLayer, Refused
from caffelint.smoke.gradcheck import gradcheck
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.run import Run
from caffelint.smoke.session import Choice, Request, Watcher
from caffelint.smoke.train import smoke

PROJECT = Path(__file__).parent / "python_layers"


def request(solver: Path, engine: str = "torch", caffe: Path | None = None, iterations: int = 3) -> Request:
    config = Config()
    config.cache = False
    config.jobs = 1
    choice = Choice(engine, caffe_python=str(caffe) if caffe else None)
    return Request(solver.name, config, Wishes(iterations=iterations, timeout=60.0), choice, True)


def run(solver: Path, engine: str, caffe: Path | None = None) -> Run:
    found = smoke(request(solver, engine, caffe), Watcher()).run
    assert found is not None
    return found


def test_it_computes_what_caffe_does(tmp_path: Path, caffe_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data, in place, two tops, parameters, a loss with a weight, and one whose shape changes: passes and updates."""
    shutil.copytree(PROJECT, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    wanted = request(tmp_path / "solver.prototxt", "auto", caffe_python, 10)
    session = compare(wanted, Watcher(), sides("caffe,torch", wanted.choice))
    assert session.run is not None
    compared = session.run.first(Compared)
    assert compared is not None
    assert compared.stage == ""
    assert [row[0] for row in compared.rows[:3]] == ["forward", "backward", "gradient"]
    assert (compared.rows[-1][:2]) == ("update", 9)


@pytest.mark.parametrize("where", ["setup", "forward", "backward"])
def test_an_exception_is_told_as_with_caffe(
    tmp_path: Path, caffe_python: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    lines = (tmp_path / "mine.py").read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if f"def {where}(" in line) + 1
    lines.insert(at, '        raise ValueError("no 3 in here")')
    (tmp_path / "mine.py").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    told, known = (found.first(PythonLayer) for found in (run(solver, "torch"), run(solver, "caffe", caffe_python)))
    assert told is not None
    assert known is not None
    assert (told.layer, told.message) == ("mine", "ValueError: no 3 in here")
    assert (Path(told.file).name, told.line) == ("mine.py", at + 1)
    assert told._replace(layer="") == known._replace(layer="")
    if where in ("forward", "backward"):
        assert known.layer == "mine"  # where a layer is set up, Caffe does not say which


def test_what_caffe_has_and_this_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    monkeypatch.chdir(tmp_path)
    text = (tmp_path / "mine.py").read_text()
    for line, wanted in (
        ("NET = caffe.Net", "caffe.Net"),
        ("from caffe import draw", "caffe.draw"),
        ("from caffe import layers as L\nDATA = L.Data()", "caffe.layers.Data"),
        ("import caffe.draw", "caffe.draw"),
    ):
        (tmp_path / "mine.py").write_text(text.replace("import caffe\n", f"import caffe\n{line}\n"))
        refused = run(solver, "torch").first(Refused)
        assert refused is not None
        assert (refused.layer, refused.kind) == ("mine", "lacks")
        assert f"it uses {wanted}, which this engine does not have" in refused.message


def test_a_module_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = write(tmp_path, python_layer(tmp_path, "import no_such_module"))
    monkeypatch.chdir(tmp_path)
    told = run(solver, "torch").first(PythonLayer)
    assert told is not None
    assert told.message == "ModuleNotFoundError: No module named 'no_such_module'"
    assert Path(told.file).name == "mine.py"


def test_it_can_be_refused(tmp_path: Path, capsys: Any) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n" + mine.read_text())
    assert main(["smoke", str(solver), "--engine", "torch", "--no-python-layers"]) == 2
    assert 'layer "mine" would run mine.Mine' in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("line", ["= top[0].diff", "= -top[0].diff", "+= top[0].diff"])
def test_its_gradient_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    solver = write(tmp_path, python_layer(tmp_path, ""))
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(text.replace("bottom[0].diff[...] = top[0].diff", f"bottom[0].diff[...] {line}"))
    monkeypatch.chdir(tmp_path)
    session = gradcheck(request(solver), Watcher(), "mine")
    assert session.run is not None
    found = session.run.first(Gradient)
    assert found is not None
    assert found.layer == "mine"
    assert found.stale == line.startswith("+=")
    assert bool(found.wrong) == line.startswith("= -")
    assert found.factor == pytest.approx(-1 if line.startswith("= -") else 1, rel=0.03)
