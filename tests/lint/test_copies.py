"""What is found in a file and in its copies is one mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

BROKEN = 'layer { name: "r" type: "ReLU" botom: "a" top: "r" }\n'


def found() -> dict[str, str]:
    return {one.file: one.severity for one in caffelint.check(".").findings if one.name == "unknown-field"}


def test_the_copy_nearest_to_the_top_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a/b", "c"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "net.prototxt").write_text(BROKEN)
    assert found() == {"a/b/net.prototxt": "info", "c/net.prototxt": "error"}
    (tmp_path / "a/b/net.prototxt").write_text(BROKEN + "# another file\n")
    assert found() == {"a/b/net.prototxt": "error", "c/net.prototxt": "error"}


def test_a_backup_nearer_to_the_top_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("bak", "models/net"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "net.prototxt").write_text(BROKEN)
        (tmp_path / folder / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed"\n')
    assert found() == {"bak/net.prototxt": "info", "models/net/net.prototxt": "error"}


def test_the_first_names_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b/c", "b/d", "b/e", "b/f"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "net.prototxt").write_text(BROKEN)
    (one,) = [one for one in caffelint.check(".").findings if (one.name, one.severity) == ("unknown-field", "error")]
    named = "the same in b/c/net.prototxt, b/d/net.prototxt, b/e/net.prototxt and 1 more"
    assert (one.file, one.evidence.rpartition("; ")[2]) == ("a/net.prototxt", named)
