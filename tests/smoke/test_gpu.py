"""`make gpu`: that it skips without a GPU, and each of its paths on a CPU."""

from __future__ import annotations

from pathlib import Path

import gpu
import pytest

torch = pytest.importorskip("torch")


def test_it_skips_in_one_line_without_a_gpu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["gpu.py", "--out", str(tmp_path / "gpu.md")])
    assert gpu.main() == 0
    assert capsys.readouterr().out == "skipped: torch sees no GPU\n"
    assert not list(tmp_path.iterdir())


def test_what_does_not_hold_is_said_in_the_page() -> None:
    rows = [gpu.Row("time", "net", "2.0", "at most 1.3", False), gpu.Row("env", "torch", "H200")]
    page = gpu.page("H200", rows)
    assert "on one H200, with torch" in page
    assert "1 of 2 do not hold" in page
    assert "| time | net | 2.0 | at most 1.3 | **no** |" in page


def test_a_sound_net_agrees_with_itself() -> None:
    row = gpu._compared(gpu.SOUND / gpu.SMALL_SET[0], "net", "cpu")
    assert row.holds
    assert row.found.startswith("agree")


@pytest.mark.nightly
def test_each_path_on_a_cpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.argv", ["gpu.py", "--device", "cpu", "--small", "--out", str(tmp_path / "gpu.md")])
    assert gpu.main() == 0
    text = (tmp_path / "gpu.md").read_text()
    for part in ("env", "time", "memory", "compare", "sweep"):
        assert f"| {part} |" in text
    assert "half precision" in text
