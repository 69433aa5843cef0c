"""Packs of rules are found as `importlib.metadata` finds them."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from caffelint.lint import packs


def test_same_as_the_standard_library() -> None:
    assert packs.pack_names() == sorted({entry.value for entry in entry_points(group=packs.GROUP)})


def test_third_party_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    groups = "[console_scripts]\na = b:c\n\n[caffelint.rules]\nmine = mine.rules\n[x]\ny = z\n"
    (info / "entry_points.txt").write_text(groups)
    monkeypatch.syspath_prepend(tmp_path)
    assert packs.pack_names() == sorted({entry.value for entry in entry_points(group=packs.GROUP)})
    assert "mine.rules" in packs.pack_names()
