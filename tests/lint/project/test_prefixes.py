"""By which prefixes the solvers of a project save."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.project import prefixes
from caffelint.lint.project.prefixes import saved_as, shared_prefix
from caffelint.text.parser import Document, parse

SOLVER = 'net: "{0}.prototxt" snapshot: 100 max_iter: 900 snapshot_prefix: "{1}"'


@pytest.mark.parametrize(
    ("prefix", "other", "told"),
    [
        ("snap/a", "snap/a", True),
        ("./snap//a", "snap/a", True),
        ("snap/", "./snap/", True),
        # snap/_iter_100.caffemodel and snap_iter_100.caffemodel
        ("snap/", "snap", False),
    ],
)
def test_prefixes_of_the_same_files(project: Path, prefix: str, other: str, told: bool) -> None:
    for net, saves in (("a", prefix), ("b", other)):
        (project / f"{net}.prototxt").write_text("")
        (project / f"{net}_solver.prototxt").write_text(SOLVER.format(net, saves))
    top = str(project)
    found = [shared_prefix(top, str(project / f"{net}_solver.prototxt")) for net in ("a", "b")]
    assert any(found) == told


@pytest.mark.parametrize(("script", "told"), [("cd(opts.folder);", False), ("cd('..');", True)])
@pytest.mark.parametrize("prefix", ["model", "snap/model"])
def test_a_folder_of_its_own_for_each_training(project: Path, script: str, told: bool, prefix: str) -> None:
    (project / "train.m").write_text(f"{script}\nsolver = caffe.Solver(opts.solver);\n")
    for net in ("a", "b"):
        (project / f"{net}.prototxt").write_text("")
        (project / f"{net}_solver.prototxt").write_text(SOLVER.format(net, prefix))
    found = [shared_prefix(str(project), str(project / f"{net}_solver.prototxt")) for net in ("a", "b")]
    assert any(found) == (told or "/" in prefix)


def test_weights_without_a_name_are_of_no_solver(project: Path) -> None:
    (project / "a.prototxt").write_text("")
    (project / "a_solver.prototxt").write_text(SOLVER.format("a", "snap/"))
    assert saved_as("", str(project)) == frozenset()
    assert saved_as("snap", str(project)) == frozenset()


def test_solvers_without_a_prefix_are_not_parsed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "a.prototxt").write_text("")
    (project / "a_solver.prototxt").write_text(SOLVER.format("a", "a"))
    (project / "b_solver.prototxt").write_text('net: "a.prototxt" max_iter: 900 snapshot: 100')
    parsed: list[str] = []

    def counted(data: bytes, path: str) -> Document:
        parsed.append(path)
        return parse(data, path)

    monkeypatch.setattr(prefixes, "parse", counted)
    assert saved_as("a", str(project)) == {str(project.resolve() / "a.prototxt")}
    assert parsed == [str(project / "a_solver.prototxt")]
