"""What another user has put into the folder of stored results, which XDG_CACHE_HOME may have in a common place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caffelint.lint.cache import folder, load_value, store_value

NAME = "0123456789" * 4


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store_value(NAME, [1])
    assert load_value(NAME) == [1]
    return folder() / NAME[:2] / NAME


@pytest.mark.skipif(os.name != "posix", reason="pipes and links")
def test_a_pipe_a_device_and_a_link_are_no_results(stored: Path, tmp_path: Path) -> None:
    data = stored.read_bytes()
    stored.unlink()
    os.mkfifo(stored)
    assert load_value(NAME) is None
    stored.unlink()
    stored.symlink_to("/dev/zero")
    assert load_value(NAME) is None
    stored.unlink()
    (tmp_path / "other").write_bytes(data)
    stored.symlink_to(tmp_path / "other")
    assert load_value(NAME) is None


@pytest.mark.skipif(os.name != "posix", reason="owners")
def test_a_result_of_another_user_is_none(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: mine + 1)
    assert load_value(NAME) is None


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_nothing_is_written_through_a_link(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    stored.with_name(f"{NAME}.{os.getpid()}").symlink_to(tmp_path / "precious")
    store_value(NAME, [2])
    assert (tmp_path / "precious").read_text() == "keep"
