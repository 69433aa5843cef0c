"""Files are replaced whole or left alone, with a reason that a person understands."""

from __future__ import annotations

import errno
import gc
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from caffelint.fix.write import SaveError, save
from caffelint.lint import cache
from caffelint.text.signals import ending_once
from caffelint.text.writing import all_or_none, temporary_folder, write_atomically

OLD, NEW = b"a: 1\r\n", b"a: 2\r\n"
NOBODY = 65534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.prototxt"
    path.write_bytes(OLD)
    return path


def test_replaced_with_its_mode(file: Path) -> None:
    file.chmod(0o640)
    save(file, OLD, NEW)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Linux alone has them")
def test_replaced_with_its_extended_attributes(file: Path) -> None:
    try:
        os.setxattr(file, "user.who", b"me")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    save(file, file.read_bytes(), b"new")
    assert (file.read_bytes(), os.getxattr(file, "user.who")) == (b"new", b"me")


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    save(tmp_path / "new", None, NEW)
    (tmp_path / "other").touch()
    assert (tmp_path / "new").read_bytes() == NEW
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="gives a file away, which root alone may")
def test_its_owner_is_kept(file: Path) -> None:
    os.chown(file, 12345, 54321)
    file.chmod(0o2755)
    save(file, OLD, NEW)
    state = file.stat()
    assert (state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (12345, 54321, 0o2755)


def test_an_owner_that_cannot_be_kept_is_no_reason_to_fail(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    save(file, OLD, NEW)
    assert file.read_bytes() == NEW


def test_a_link_stays_and_its_target_is_replaced(file: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links/net.prototxt"
    link.symlink_to("../net.prototxt")
    save(link, OLD, NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW
    assert os.listdir(link.parent) == [link.name]


def test_another_hard_link_keeps_the_old_text(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "other")
    save(file, OLD, NEW)
    assert (file.read_bytes(), (tmp_path / "other").read_bytes()) == (NEW, OLD)


def test_a_file_that_changed_is_left_alone(file: Path) -> None:
    file.write_bytes(b"a: 3\n")
    with pytest.raises(SaveError, match="changed on disk since it was read"):
        save(file, OLD, NEW)
    assert file.read_bytes() == b"a: 3\n"
    assert os.listdir(file.parent) == [file.name]


def test_a_file_that_is_gone_stays_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(SaveError, match="changed on disk since it was read"):
        save(file, OLD, NEW)
    assert os.listdir(file.parent) == []


def test_a_read_only_file_is_left_alone(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(SaveError, match="is read-only"):
        save(file, OLD, NEW)
    assert file.read_bytes() == OLD


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_read_only_folder_is_reported() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "net.prototxt")
        file.write_bytes(OLD)
        os.chmod(folder, 0o555)
        user = os.geteuid()
        if user == 0:
            os.chown(file, NOBODY, NOBODY)
            os.seteuid(NOBODY)  # root writes anywhere
        try:
            with pytest.raises(SaveError, match="permission denied"):
                save(file, OLD, NEW)
        finally:
            os.seteuid(user)
            os.chmod(folder, 0o755)
        assert file.read_bytes() == OLD


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SaveError, match="a pipe"):
        save(tmp_path / "pipe", None, NEW)


def test_links_in_a_ring(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SaveError, match="symbolic links"):
        save(tmp_path / "a", None, NEW)


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_and_an_interruption_leave_the_old_text(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(SaveError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        save(file, OLD, NEW)
    if isinstance(error, OSError):
        assert "no space left on device" in str(caught.value)
    assert file.read_bytes() == OLD
    assert os.listdir(file.parent) == [file.name]


def test_a_name_of_the_greatest_length(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 123 + ".prototxt")
    path.write_bytes(OLD)
    write_atomically(path, NEW, OLD)
    assert path.read_bytes() == NEW


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_sigterm_leaves_no_temporary_file(file: Path) -> None:
    script = (
        "import os, sys, time\n"
        "from caffelint.fix.write import save\nfrom caffelint.text.signals import ENDING, ending_once\n"
        "os.fsync = lambda _: (print('here', flush=True), time.sleep(600))\n"
        f"with ending_once(*ENDING):\n    save({str(file)!r}, {OLD!r}, {NEW!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=300) == 143
    assert file.read_bytes() == OLD
    assert os.listdir(file.parent) == [file.name]


def test_an_interruption_just_behind_the_making_of_the_temporary_file_leaves_none(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.open

    def interrupted(*arguments: object) -> int:
        os.close(really(*arguments))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(file, OLD, NEW)
    monkeypatch.undo()
    assert file.read_bytes() == OLD
    assert os.listdir(file.parent) == [file.name]


def test_a_file_that_another_process_wrote_meanwhile_is_not_taken_away(file: Path) -> None:
    """Two that make the same file at once: the one that is ended leaves what the other wrote."""
    first, second = file.parent / "first", file.parent / "second"
    with suppress(KeyboardInterrupt), all_or_none():
        write_atomically(first, NEW)
        write_atomically(first, OLD)
        write_atomically(second, NEW)
        other = file.parent / "other"
        other.write_bytes(NEW)
        other.replace(second)
        raise KeyboardInterrupt
    assert not first.exists()
    assert second.read_bytes() == NEW


def test_a_second_writing_that_is_ended_takes_the_first_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    target = tmp_path / "caffelint.toml"
    with suppress(KeyboardInterrupt), all_or_none():
        write_atomically(target, b"1")
        monkeypatch.setattr(os, "replace", ended)
        write_atomically(target, b"2")
    assert list(tmp_path.iterdir()) == []


def test_a_result_whose_writing_is_ended_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> None:
        raise SystemExit(143)

    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(Path, "replace", ended)
    with pytest.raises(SystemExit):
        cache.store_value("abcd", [1])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_temporary_folder_is_taken_away_whatever_comes_while_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = os.mkdir

    def interrupted(*arguments: Any) -> None:
        made(*arguments)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "mkdir", interrupted)
    with pytest.raises(SystemExit), ending_once("SIGTERM"):
        temporary_folder()
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_what_belongs_to_a_file_that_was_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal may come just after the net is replaced, before the group ends."""
    net, layer, replaced = tmp_path / "net.prototxt", tmp_path / "layer.py", os.replace
    net.write_text("old")

    def ended(*arguments: Any) -> None:
        replaced(*arguments)
        signal.raise_signal(signal.SIGTERM)

    with suppress(SystemExit), ending_once("SIGTERM"), all_or_none():
        write_atomically(layer, b"layer")
        monkeypatch.setattr(os, "replace", ended)
        write_atomically(net, b"new")
    assert (net.read_text(), layer.read_text()) == ("new", "layer")
    assert len(list(tmp_path.iterdir())) == 2
