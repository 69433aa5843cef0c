"""Which scripts of a repository are read, and how often."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripted import SOLVER, clear, uncached

import caffelint
from caffelint.lint.project import scripts
from caffelint.lint.read import read_found
from caffelint.project.mentions import Mention
from caffelint.project.script_starts import starts
from caffelint.project.scripts import Script


def test_scripts_are_read_in_part_where_there_are_too_many(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (repository / f"caffe{number}.py").write_text("import caffe")
    (repository / "huge.py").write_bytes(b"import caffe\n" * (1 << 17))
    (repository / "link.py").symlink_to("/etc/passwd")
    assert len(scripts._scripts(str(repository))) == 5
    scripts._scripts.cache_clear()
    monkeypatch.setattr(scripts, "_MOST_SCRIPTS", 3)
    assert len(scripts._scripts(str(repository))) == 3


def test_what_is_in_several_checkouts_is_read_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str, most: int) -> bytes:
        read.append(Path(path).name)
        return read_found(path, most)

    monkeypatch.setattr(scripts, "read_found", counted)
    folder = repository
    for _ in range(5):
        folder /= "inner"
        (folder / ".git").mkdir(parents=True)
        (folder / "solver.prototxt").write_text(SOLVER)
    (folder / "train.py").write_text("solver = caffe.SGDSolver(path)\nwhile True: self.solver.step(1)\n")
    report = caffelint.check([str(path) for path in repository.rglob("solver.prototxt")], uncached())
    assert report.files == 6
    # It speaks of the solver beside it, not of those of the checkouts around.
    found = [Path(one.file).parent for one in report.findings if one.name == "no-max-iter"]
    assert len(found) == 5
    assert folder.relative_to(repository) not in found
    assert read == ["train.py"]


def test_nothing_is_found_in_the_pictures_of_a_notebook(repository: Path) -> None:
    picture, code = (
        '"image/png": "iVBORw0KGgo/surgery/AAAA\\n",\n',
        '"source": "solver = caffe.SGDSolver(a)\\nsolver.step(1)"',
    )
    (repository / "train.ipynb").write_text(picture + code)
    clear()
    (script,) = scripts._scripts(str(repository))
    assert script.fills is None
    assert str(script.steps) == "train.ipynb:2"


def test_a_script_is_searched_once_for_all_solvers(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    class Counted(Script):
        def _find(self, pattern: re.Pattern[str]) -> Mention | None:
            searched.append(pattern.pattern)
            return super()._find(pattern)

    monkeypatch.setattr(scripts, "Script", Counted)
    (repository / "train.sh").write_text("# caffe models/solver.prototxt models/other.prototxt models/third.prototxt\n")
    for name in ("other", "third"):
        (repository / f"models/{name}.prototxt").write_text(SOLVER)
    assert caffelint.check(".", uncached()).files == 3
    assert len(searched) == len(set(searched)) == 17


def test_a_shell_script_is_read_once_for_all_nets_that_it_names(repository: Path) -> None:
    nets = [f"n{number}.prototxt" for number in range(9)]
    (repository / "all.sh").write_text("".join(f"python eval.py --model {net} # caffe\n" for net in nets))
    for net in nets:
        (repository / net).write_text('layer { name: "loss" type: "SoftmaxWithLoss" bottom: "a" bottom: "b" top: "c" }')
    starts.cache_clear()
    caffelint.check([str(repository)], uncached())
    assert starts.cache_info().misses == 1
    assert starts.cache_info().hits > 1
