"""What keeps the figures of the bench, and compares a change with its parent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import bench_history
import bench_parent
import pytest


def test_history_is_kept_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    history = tmp_path / "bench.jsonl"
    for ratio in (1.0, 0.5):
        bench_history.add({"check / text_format.Parse": ratio}, "fixtures, 3 files", history)
    rows = [json.loads(line) for line in history.read_text().splitlines()]
    assert [row["figures"] for row in rows] == [{"check / text_format.Parse": ratio} for ratio in (1.0, 0.5)]
    assert rows[0]["machine"] == bench_history.machine()
    pictures = [tmp_path / name for name in ("one.svg", "two.svg")]
    for picture in pictures:
        bench_history.draw(history, picture)
    assert b"<svg" in pictures[0].read_bytes()
    assert pictures[0].read_bytes() == pictures[1].read_bytes()


def test_a_tree_is_timed_by_its_own_modules_and_rules(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("caffelint", "proto", "rules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(bench_parent.ROOT / name, tree / name, ignore=ignored)
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "net.prototxt").write_text('layer { name: "x" type: "ReLU" bottom: "a" top: "b" }')
    assert bench_parent.seconds(bench_parent.linked(tree), tmp_path / "nets") > 0


def test_a_slower_change_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["bench_parent.py"])
    monkeypatch.setattr(bench_parent, "checked_out", lambda commit, folder: folder)
    monkeypatch.setattr(bench_parent, "git", lambda *_: "abc")
    for ours, status in ((1.04, 0), (1.06, 1)):
        monkeypatch.setattr(bench_parent, "compare", lambda *_, ours=ours: (ours, 1.0))
        assert bench_parent.main() == status
    assert "+6.0%; at most +5% may be" in capsys.readouterr().out
