"""Python layers in folders that scripts alone put on Python's path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from project_files import python_layer, write

from caffelint.lint.config import Config
from caffelint.lint.project import python_paths
from caffelint.project.scripts import Script
from caffelint.smoke.project import load_project
from caffelint.smoke.session import Session

TRAINS = "import caffe\nsolver = caffe.SGDSolver('nets/solver.prototxt')\nsolver.step(100)\n"
BY_SCRIPT = {
    "train.py": "import sys\nsys.path.insert(0, 'layers')\n" + TRAINS,
    "tools/_init_paths.py": (
        "# for caffe\nimport os.path as osp\nimport sys\n\n\ndef add_path(path):\n    sys.path.insert(0, path)\n\n\n"
        "add_path(osp.join(osp.dirname(__file__), '..', 'layers'))\n"
    ),
    "train.sh": "export PYTHONPATH=$PWD/layers:$PYTHONPATH\ncaffe train -solver nets/solver.prototxt\n",
    "layers/train.py": TRAINS,
}


def project(folder: Path, script: str, text: str, layer: str = "pass") -> Path:
    """A project whose layer is in a folder beside that of its solver. The solver's path."""
    (folder / ".git").mkdir()
    for name in ("nets", "layers", "tools"):
        (folder / name).mkdir()
    (folder / script).write_text(text)
    return write(folder / "nets", python_layer(folder / "layers", layer))


def folders(solver: Path) -> dict[str, str]:
    found = load_project(str(solver), Config()).layer_folders
    return {Path(folder).name: str(place).rpartition("/")[2] for folder, place in found.items()}


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_they_are_looked_for_there(tmp_path: Path, in_engine: Callable[..., Session], engine: str) -> None:
    solver = project(tmp_path, "train.py", BY_SCRIPT["train.py"])
    run = in_engine(solver, engine, iterations=2, diagnose="off").run
    assert run is not None
    assert [one.iteration for one in run.iterations] == [0, 1]


@pytest.mark.parametrize("script", BY_SCRIPT)
def test_what_scripts_say(tmp_path: Path, script: str) -> None:
    line = {"train.py": 2, "tools/_init_paths.py": 7, "train.sh": 1, "layers/train.py": 3}[script]
    assert folders(project(tmp_path, script, BY_SCRIPT[script])) == {"layers": f"{Path(script).name}:{line}"}


@pytest.mark.parametrize(
    "text",
    [
        TRAINS,  # of another folder, and with nothing of a path
        "import sys\nsys.path.insert(0, 'lib')\n" + TRAINS,
        "import sys\nsys.path.insert(0, 'my_layers')\n" + TRAINS,
        "import sys\n# sys.path.insert(0, 'layers')\n" + TRAINS,
    ],
)
def test_other_folders_are_left(tmp_path: Path, text: str) -> None:
    assert folders(project(tmp_path, "train.py", text)) == {}


def test_two_such_folders_decide_nothing(tmp_path: Path) -> None:
    solver = project(tmp_path, "train.py", BY_SCRIPT["train.py"])
    (tmp_path / "old/layers").mkdir(parents=True)
    python_layer(tmp_path / "old/layers", "self.calls += 1")
    assert folders(solver) == {}


def test_no_folder_outside_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    solver = project(tmp_path / "inside", "train.py", BY_SCRIPT["train.py"])
    (tmp_path / "inside/layers/mine.py").rename(tmp_path / "mine.py")
    (tmp_path / "inside/layers/mine.py").symlink_to(tmp_path / "mine.py")
    assert folders(solver) == {}


def test_the_scripts_are_gone_through_once_for_all_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = project(tmp_path, "train.py", BY_SCRIPT["train.py"])
    net = solver.with_name("net.prototxt")
    layer = 'layer {{ name: "{0}" type: "Python" bottom: "conv" top: "{0}" {1} }}\n'
    param = 'python_param { module: "mine" layer: "Mine" }'
    net.write_text(net.read_text() + "".join(layer.format(f"mine{number}", param) for number in range(20)))
    gone: list[str] = []
    below = python_paths.scripts_below

    def scripts_below(folder: str, top: str) -> Iterator[Script]:
        gone.append(folder)
        return below(folder, top)

    monkeypatch.setattr(python_paths, "scripts_below", scripts_below)
    assert folders(solver) == {"layers": "train.py:2"}
    assert len(gone) == 1
