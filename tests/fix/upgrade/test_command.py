"""`caffelint upgrade`"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from caffelint.cli.main import main

OLD = b'layers { name: "r" type: RELU bottom: "a" top: "a" }  # in place\r\n'
NEW = b'layer { name: "r" type: "ReLU" bottom: "a" top: "a" }  # in place\r\n'
FORK = b"layers {\n  type: SEQ_MEMORY_DATA\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.prototxt").write_bytes(OLD)
    (tmp_path / "new.prototxt").write_bytes(NEW)
    (tmp_path / "solver.prototxt").write_text("solver_type: ADAM")
    return tmp_path


def test_files_are_written_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "old.prototxt").chmod(0o640)
    assert main(["upgrade", "."]) == 0
    assert (folder / "old.prototxt").read_bytes() == NEW
    assert (folder / "old.prototxt").stat().st_mode & 0o777 == 0o640
    assert (folder / "solver.prototxt").read_text() == 'type: "Adam"'
    out, err = capsys.readouterr()
    assert out == "old.prototxt: upgraded 1 layer of V1\nsolver.prototxt: upgraded solver_type\n"
    assert err == "upgraded 2 files; 1 in the current format\n"
    assert main(["upgrade", "-q", "."]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_diff_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "--diff", "old.prototxt", "new.prototxt"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("--- old.prototxt\n+++ old.prototxt\n@@ -1 +1 @@\n-layers {")
    assert err == "would upgrade 1 file; 1 in the current format\n"
    assert (folder / "old.prototxt").read_bytes() == OLD
    assert main(["upgrade", "--diff", "new.prototxt"]) == 0
    assert capsys.readouterr().out == ""


def test_what_is_left_alone_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "fork.prototxt").write_bytes(FORK)
    assert main(["upgrade", "-q", "."]) == 1
    assert capsys.readouterr().err.startswith("caffelint: fork.prototxt:2: left alone: type: SEQ_MEMORY_DATA")
    assert (folder / "fork.prototxt").read_bytes() == FORK
    assert (folder / "old.prototxt").read_bytes() == NEW


def test_paths_that_cannot_be_read_or_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "old.prototxt").chmod(0o440)
    assert main(["upgrade", "old.prototxt", "gone.prototxt"]) == 2
    err = capsys.readouterr().err
    assert "gone.prototxt: no such file" in err
    assert "old.prototxt: it is read-only" in err
    assert (folder / "old.prototxt").read_bytes() == OLD
    assert main(["upgrade"]) == 2
    assert main(["upgrade", "-", "old.prototxt"]) == 2


def test_stdin_goes_to_stdout(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OLD)))
    assert main(["upgrade", "-"]) == 0
    assert capfdbinary.readouterr().out == NEW


def test_the_dialect_and_what_is_excluded_come_from_the_settings(folder: Path) -> None:
    (folder / "caffelint.toml").write_text('dialect = "c3d-1.0"\nexclude = ["solver*"]\n')
    assert main(["upgrade", "-q", "."]) == 1
    assert (folder / "old.prototxt").read_bytes() == OLD
    assert (folder / "solver.prototxt").read_text() == "solver_type: ADAM"
    assert main(["upgrade", "-q", "--dialect", "bvlc", "."]) == 0
    assert (folder / "old.prototxt").read_bytes() == NEW
