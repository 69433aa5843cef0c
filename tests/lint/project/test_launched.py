"""Whether a net is there for the directory in which scripts run its solver."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.project.script_launches import launches

SOLVER = 'net: "train.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9'
NET = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 3 } } }'
BUILD = "import caffe\nsolver = caffe.SGDSolver('models/a/solver.prototxt')\nsolver.solve()\n"
NAMED = "import caffe\nSOLVER = 'models/a/solver.prototxt'  # the one\n\nsolver = caffe.get_solver(SOLVER)\n"
TOOL = "#!/bin/sh\n$CAFFE/build/tools/caffe train \\\n  -gpu 0 \\\n  --solver=models/a/solver.prototxt 2>&1 | tee log\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "models/a").mkdir(parents=True)
    (tmp_path / "models/a/solver.prototxt").write_text(SOLVER)
    (tmp_path / "models/a/train.prototxt").write_text(NET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found() -> list[tuple[str, str]]:
    report = caffelint.check(".")
    assert not report.failures
    return [(one.severity, one.message) for one in report.findings if one.name == "net-file-not-found"]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("run.py", BUILD, 2),
        ("run.py", NAMED, 4),
        ("run.sh", TOOL, 4),
        ("tools/run.sh", TOOL.replace("--solver=", "-solver "), 4),
        ("run.sh", TOOL.replace("models/", "./models/").replace("=./", " ./"), 4),
        ("models/a/run.sh", TOOL, 4),
    ],
)
def test_a_net_beside_its_solver_is_not_found_from_above(repository: Path, name: str, text: str, line: int) -> None:
    assert not found()
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text(text)
    ((severity, message),) = found()
    assert severity == "warning"
    assert message.startswith(f'net "train.prototxt" is not found from where {name}:{line} runs this solver as "')
    assert message.endswith('so Caffe stops at the start; write "models/a/train.prototxt"')


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.py", "import os\nos.chdir('models/a')\n" + BUILD),
        ("run.sh", "# caffe\ncd models/a\n" + TOOL),
        ("run.py", BUILD.replace("'models", "ROOT + 'models")),
        ("run.py", BUILD.replace("'models", "'/data/models")),
        ("run.py", BUILD.replace("'models", "'../models")),
        ("run.py", BUILD.replace("models/a/", "")),
        ("run.py", BUILD.replace("solver = ", "# solver = ")),
        ("run.py", NAMED + "SOLVER = sys.argv[1]\n"),
        ("run.py", BUILD + "shutil.copy('models/a/train.prototxt', 'train.prototxt')\n"),
        ("run.py", "with open('models/a/solver.prototxt', 'w') as out:\n    out.write(text)\n" + BUILD),
        ("run.sh", TOOL.replace("models/a", "$DIR")),
    ],
)
def test_nothing_is_said_where_the_script_leaves_a_doubt(repository: Path, name: str, text: str) -> None:
    (repository / name).write_text(text)
    assert not found()


def test_nothing_is_said_where_another_script_runs_it_from_its_folder(repository: Path) -> None:
    (repository / "run.sh").write_text(TOOL)
    (repository / "models/a/train.sh").write_text("caffe train --solver=solver.prototxt\n")
    assert not found()


def test_nothing_is_said_where_the_net_is_there_too(repository: Path) -> None:
    (repository / "run.sh").write_text(TOOL)
    (repository / "train.prototxt").write_text(NET)
    assert not found()


def test_a_path_means_the_nearest_solver(repository: Path) -> None:
    (repository / "sub/models/a").mkdir(parents=True)
    (repository / "sub/models/a/solver.prototxt").write_text(SOLVER.replace("train", "models/a/train"))
    (repository / "sub/models/a/train.prototxt").write_text(NET)
    (repository / "sub/run.sh").write_text(TOOL)
    assert not found()


@pytest.mark.parametrize("text", [BUILD.replace("models/a/", ""), TOOL.replace("models/a/", "")])
def test_a_net_named_from_the_top_is_not_found_beside_its_solver(repository: Path, text: str) -> None:
    """A script that opens a solver by its bare name runs where both are."""
    (repository / "models/a/solver.prototxt").write_text(SOLVER.replace("train", "models/a/train"))
    (repository / "models/a" / ("run.py" if "import" in text else "run.sh")).write_text(text)
    ((severity, message),) = found()
    assert severity == "warning"
    assert message.endswith(
        'runs this solver as "solver.prototxt", so Caffe stops at the start; write "train.prototxt"'
    )
    (repository / "models/a/run.sh").write_text(TOOL)  # from the top, where the net is found
    (repository / "models/a/run.py").unlink(missing_ok=True)
    assert not found()


@pytest.mark.parametrize("between", [" ", " \\\n", " \\\n  ", " --gpu 0 \\\n"])
def test_the_option_may_start_a_line(between: str) -> None:
    (launch,) = launches(f"caffe train{between}--solver=models/solver.prototxt\n")
    assert launch.path == "models/solver.prototxt"
