"""Where a project ends that is no checkout."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_caffe import MINE, NET, Make, found

from caffelint.lint.project.border import top_of
from caffelint.lint.project.memory import forget


def _make(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return folder


def test_a_checkout_ends_at_its_top(tmp_path: Path) -> None:
    _make(tmp_path / "one", ".git/HEAD", "models/LICENSE", "models/README.md", "models/a/solver.prototxt")
    assert top_of(str(tmp_path / "one/models/a")) == str(tmp_path / "one")


@pytest.mark.parametrize(
    "shows", [("README.md", "LICENSE"), (".gitignore", "README"), ("src/caffe/proto/caffe.proto",)]
)
def test_a_download_ends_where_its_top_shows(tmp_path: Path, shows: tuple[str, ...]) -> None:
    one = _make(tmp_path / "work/one", *shows, "models/README.md", "models/a/solver.prototxt")
    _make(tmp_path / "work", "README.md", "Makefile", ".gitignore")
    assert top_of(str(one / "models/a")) == str(one)


def test_the_working_directory_may_be_the_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = _make(tmp_path / "one", "README.md", "models/a/solver.prototxt")
    assert top_of(str(one / "models/a")) is None
    monkeypatch.chdir(one)
    assert top_of(str(one / "models/a")) == str(one)
    (one / "README.md").unlink()
    forget()
    assert top_of(str(one / "models/a")) is None


@pytest.mark.parametrize(
    ("script", "is_top"),
    [
        ("caffe train --solver=./models/a/solver.prototxt", True),
        ("SGDSolver('models/a/solver.prototxt')", True),
        ("caffe train --solver=models/b/solver.prototxt", False),  # of another folder
        ("caffe train --solver=../one/models/a/solver.prototxt", False),
        ("caffe train --solver={one}/models/a/solver.prototxt", False),
    ],
)
def test_scripts_are_run_from_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, is_top: bool
) -> None:
    one = _make(tmp_path / "one", "models/a/solver.prototxt")
    (one / "train.sh").write_text(script.replace("{one}", str(one)))
    assert top_of(str(one / "models/a")) is None
    monkeypatch.chdir(one)
    assert top_of(str(one / "models/a")) == (str(one) if is_top else None)


def test_no_home_is_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = _make(tmp_path / "home", "README.md", "LICENSE", ".gitignore", "nets/solver.prototxt")
    monkeypatch.setenv("HOME", str(home))
    assert top_of(str(home / "nets")) is None
    assert top_of(str(home)) is None


@pytest.mark.parametrize("name", ["TMPDIR", "TEMP", "TMP"])
def test_no_folder_of_temporary_files_is_a_project(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").touch()
    (tmp_path / "LICENSE").touch()
    (tmp_path / "models").mkdir()
    before = top_of(str(tmp_path / "models"))
    monkeypatch.setenv(name, str(tmp_path))
    forget()
    assert (before, top_of(str(tmp_path / "models"))) == (str(tmp_path), None)


def test_a_project_far_above_is_none(tmp_path: Path) -> None:
    one = _make(tmp_path / "one", "README.md", "LICENSE", "a/b/c/d/e/f/g/h/i/solver.prototxt")
    assert top_of(str(one / "a/b/c/d/e/f/g")) == str(one)
    assert top_of(str(one / "a/b/c/d/e/f/g/h/i")) is None


def test_the_caffe_of_a_download_is_taken(make: Make) -> None:
    top = make(NET.format(MINE.format("count: 1")), types="My")
    (top / ".git").rmdir()
    assert found() == [("info", "unknown-layer-type", found()[0][2])]
    _make(top, "README.md")
    assert found() == []
