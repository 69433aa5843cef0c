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
    assert out == "old.prototxt: 1 V1 layer -> layer { }\nsolver.prototxt: solver_type -> type\n"
    assert err == "upgraded 2 files; 1 already in the current format\n"
    assert main(["upgrade", "-q", "."]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_diff_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "--diff", "old.prototxt", "new.prototxt"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("--- old.prototxt\n+++ old.prototxt\n@@ -1 +1 @@\n-layers {")
    assert err == "would upgrade 1 file; 1 already in the current format\n"
    assert (folder / "old.prototxt").read_bytes() == OLD
    assert main(["upgrade", "--diff", "new.prototxt"]) == 0
    assert capsys.readouterr().out == ""


def test_what_could_not_be_upgraded_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "fork.prototxt").write_bytes(FORK)
    (folder / "fork_2.prototxt").write_bytes(FORK)
    assert main(["upgrade", "."]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith("caffelint: fork.prototxt:2: not upgraded: type: SEQ_MEMORY_DATA")
    assert err[2:] == [
        "upgraded 2 files; 1 already in the current format; 2 not upgraded",
        "caffelint: to leave a file in its old format, write # caffelint: ignore-file[legacy-format] into it",
    ]
    assert (folder / "fork.prototxt").read_bytes() == FORK
    assert (folder / "old.prototxt").read_bytes() == NEW
    assert main(["upgrade", "-q", "."]) == 1


IGNORED = [
    b"# caffelint: ignore-file[legacy-format] read by an old tool\n" + FORK,
    b"layers {  # caffelint: ignore[P008] for the old machine\n  name: 'r' type: RELU bottom: 'a' top: 'a' }\n",
    b"# caffelint: ignore-file\nsolver_type: ADAM\n",
    b"\xef\xbb\xbf# caffelint: ignore-file[legacy-format]\ninput: 'a' input_dim: [1, 1, 2, 2]\n" + OLD,
]


@pytest.mark.parametrize("text", IGNORED)
def test_what_a_comment_silences_is_left(folder: Path, capsys: pytest.CaptureFixture[str], text: bytes) -> None:
    """So that a hook can pass; and check does not call the comment unused."""
    (folder / "it.prototxt").write_bytes(text)
    assert main(["upgrade", "it.prototxt", "new.prototxt"]) == 0
    assert capsys.readouterr().err == (
        "upgraded no files; 1 already in the current format; 1 left alone as a comment or the settings say\n"
    )
    assert (folder / "it.prototxt").read_bytes() == text
    main(["check", "--select", "legacy-format,unused-suppression", "it.prototxt"])
    assert "unused-suppression" not in capsys.readouterr().out


def test_a_comment_about_another_rule_silences_nothing(folder: Path) -> None:
    (folder / "old.prototxt").write_bytes(b"# caffelint: ignore-file[high-base-lr]\n" + OLD)
    assert main(["upgrade", "-q", "old.prototxt"]) == 0
    assert (folder / "old.prototxt").read_bytes().endswith(NEW)


def test_what_the_settings_silence_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "caffelint.toml").write_text('per-file-ignores = { "old*" = ["legacy-format"], "n*" = ["P"] }\n')
    assert main(["upgrade", "."]) == 0
    assert capsys.readouterr().err == (
        "upgraded 1 file; 1 already in the current format; 1 left alone as a comment or the settings say\n"
    )
    assert (folder / "old.prototxt").read_bytes() == OLD


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
    assert main(["upgrade", "-q", "."]) == 0
    assert (folder / "old.prototxt").read_bytes() == OLD
    assert (folder / "solver.prototxt").read_text() == "solver_type: ADAM"
    assert main(["upgrade", "-q", "--dialect", "bvlc", "."]) == 0
    assert (folder / "old.prototxt").read_bytes() == NEW
