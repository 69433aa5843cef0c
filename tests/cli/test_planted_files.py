"""What a stranger plants in a checkout to reach files beside it: an index of git, links, and folders without end."""

from __future__ import annotations

import hashlib
import os
import signal
import struct
import subprocess
from pathlib import Path

import pytest
from cost import soon

from caffelint.cli.main import main

OLD = 'layers { name: "hunter2" type: RELU bottom: "data" top: "data" }\n'
NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 } } }\n'
WRONG = OLD.replace("RELU", "relu")
"""What `upgrade` changes, and what `check` quotes and `check --fix` changes."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes")


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of git, beside which others have their nets."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out/net.prototxt").write_text(WRONG)
    folder = tmp_path / "checkout"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "own.prototxt").write_text(NET)
    monkeypatch.chdir(folder)
    return folder


def plant(path: Path, *names: str) -> None:
    """An index of version 2 (gitformat-index(5)) that holds files of these names."""
    data = b"DIRC" + struct.pack(">II", 2, len(names))
    for name in sorted(map(os.fsencode, names)):
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 1) + b"\1" * 20
        entry += struct.pack(">H", min(len(name), 0xFFF)) + name
        data += entry + b"\0" * (8 - len(entry) % 8)
    path.write_bytes(data + hashlib.sha1(data).digest())


def told(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(list(command)) in (0, 1, 2)
    return "".join(capsys.readouterr())


@pytest.mark.parametrize("how", ["above", "absolute", "linked folder", "linked file", "own folder", "another's .git"])
@pytest.mark.parametrize("command", [("check",), ("check", "--fix", "--unsafe-fixes"), ("upgrade",), ("summary",)])
def test_an_index_leads_to_no_file_outside(
    checkout: Path, how: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".gitignore").write_text("ignored.prototxt\nsub\nlink.prototxt\n")
    (checkout / "ignored.prototxt").touch()
    (checkout / "sub").symlink_to("../out")
    (checkout / "link.prototxt").symlink_to("../out/net.prototxt")
    outside = checkout.parent / "out/net.prototxt"
    name = {"absolute": str(outside), "linked folder": "sub/net.prototxt", "linked file": "link.prototxt"}.get(how)
    index = checkout / ".git/index"
    if how == "another's .git":
        (checkout / ".git").rename(checkout.parent / "repository")
        (checkout / ".git").write_text("gitdir: ../repository\n")
        index = checkout.parent / "repository/index"
    if how == "own folder":
        name = ".git/../../out/net.prototxt"
    plant(index, name or "../out/net.prototxt", "own.prototxt")
    for text in (OLD, WRONG):
        outside.write_text(text)
        assert "hunter2" not in told(capsys, *command, ".")
        assert outside.read_text() == text


def test_what_git_tracks_although_it_ignores_it_is_found(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / ".gitignore").write_text("sub\n")
    (checkout / "sub").mkdir()
    (checkout / "sub/net.prototxt").write_text(WRONG)
    plant(checkout / ".git/index", "sub/net.prototxt")
    assert "hunter2" in told(capsys, "check", ".")


@pytest.mark.parametrize(
    "command", [("check", "--fix", "--unsafe-fixes"), ("upgrade",), ("patch", "--check-finite", "--in-place")]
)
@pytest.mark.parametrize("name", ["models", "models/net.prototxt", "link.prototxt"])
def test_no_link_out_of_the_checkout_is_written_through(
    checkout: Path, command: tuple[str, ...], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where it is named: the shell names it, too, in `check --fix *`."""
    (checkout / "models").symlink_to("../out")
    (checkout / "link.prototxt").symlink_to("../out/net.prototxt")
    before = OLD if command[0] == "upgrade" else WRONG if command[0] == "check" else NET
    (checkout.parent / "out/net.prototxt").write_text(before)
    text = told(capsys, *command, name)
    assert "is a link out of the checkout" in text or "is a directory" in text
    assert (checkout.parent / "out/net.prototxt").read_text() == before
    assert sorted(os.listdir(checkout.parent / "out")) == ["net.prototxt"]


def test_a_new_file_is_not_written_through_a_link(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "models").symlink_to("../out")
    told(capsys, "patch", "--check-finite", "own.prototxt", "-o", "models/new.prototxt")
    assert os.listdir(checkout.parent / "out") == ["net.prototxt"]


def test_a_link_within_the_checkout_is_written_through(checkout: Path) -> None:
    (checkout / "real").mkdir()
    (checkout / "real/net.prototxt").write_text(OLD)
    (checkout / "models").symlink_to("real")
    main(["upgrade", "models"])
    assert (checkout / "real/net.prototxt").read_text() != OLD


@pytest.mark.parametrize("name", ["caffelint.toml", ".caffelint.toml", "pyproject.toml", "setup.cfg"])
def test_settings_that_are_a_link_out_are_not_quoted(
    checkout: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = checkout.parent / "out/secret"
    secret.write_text('hunter2 = "hunter2"\n[caffelint]\nhunter2 = hunter2\n[tool.caffelint]\nhunter2 = "hunter2"\n')
    (checkout / name).symlink_to(secret)
    before = told(capsys, "check", ".")
    secret.unlink()
    assert before == told(capsys, "check", ".")  # nor does it tell whether there is one
    assert "hunter2" not in before
    assert ("leads out of the checkout" in before) == ("caffelint" in name)


def test_what_settings_extend_does_not_tell_whether_it_is_there(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "caffelint.toml").write_text('extend = "../out/secret.toml"\n')
    before = told(capsys, "check", ".")
    (checkout.parent / "out/secret.toml").write_text("hunter2 = 1\n")
    assert before == told(capsys, "check", ".")
    assert "which is outside the checkout" in before


def test_scripts_that_are_links_out_are_not_quoted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout.parent / "out/run").write_text("x -gpu 0,1\n")
    (checkout / "a.sh").symlink_to("../out/run")
    (checkout / "b.sh").write_text("x -gpu 2,3\n" * 90_000)
    with soon():
        text = told(capsys, "patch", "--check-finite", "own.prototxt", "-o", "new.prototxt")
    assert "-gpu 0,1" not in text
    assert 1 <= text.count("-gpu 2,3") <= 10


def test_an_ignore_file_that_is_a_link_is_not_obeyed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As git has it."""
    (checkout / "hidden.prototxt").write_text(WRONG)
    (checkout / "rules").write_text("hidden.prototxt\n")
    (checkout / ".gitignore").symlink_to("rules")
    listed = subprocess.run(["git", "ls-files", "-o", "--exclude-standard"], capture_output=True, check=True, text=True)
    assert "hidden.prototxt" in listed.stdout
    assert "hunter2" in told(capsys, "check", ".")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc")
@pytest.mark.parametrize(
    "name", ["caffelint.toml", "setup.cfg", ".gitignore", ".git/index", ".git/info/exclude", "a.sh", "a.pt", "extended"]
)
@pytest.mark.parametrize("target", ["/proc/kmsg", "/proc/self/status", "fifo"])
def test_what_tells_of_the_system_is_not_read(
    checkout: Path, name: str, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """/proc/kmsg has no end where root reads it, and a pipe none for anybody."""

    def end(*_: object) -> None:
        raise AssertionError("it waits for what never comes")

    os.mkfifo("fifo")
    if name == "extended":
        (checkout / "caffelint.toml").write_text(f'extend = "{target}"\n')
    else:
        (checkout / name).unlink(missing_ok=True)
        (checkout / name).symlink_to(target if target[0] == "/" else checkout / target)
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(300)
    try:
        assert "VmPeak" not in told(capsys, "check", ".")
        assert "VmPeak" not in told(capsys, "patch", "--check-finite", "own.prototxt", "-o", "new.prototxt")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_a_user_who_names_it_reads_nothing_of_the_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert "shows the running system" in told(capsys, "check", "/proc/self/status")


@pytest.mark.parametrize("command", [("check", "--no-cache"), ("summary",), ("upgrade", "--diff"), ("lr",)])
def test_files_far_below_the_top_of_their_checkout(
    checkout: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    deep = Path(*["d"] * 500)
    deep.mkdir(parents=True)
    (deep / "net.prototxt").write_text('layer { name: "data" type: "Input" top: "data" }')
    (deep / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 10')
    assert "failed in" not in told(capsys, *command, str(deep / "solver.prototxt"))


@pytest.mark.parametrize("command", [("check", "."), ("summary", "."), ("upgrade", "--diff", ".")])
@pytest.mark.parametrize("is_checkout", [True, False])
def test_folders_without_end(
    checkout: Path, command: tuple[str, ...], is_checkout: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python's own walk recurses before 3.12."""
    if not is_checkout:
        (checkout / ".git").rename(checkout.parent / "repository")
    depth = 2500
    (checkout / "deep").mkdir()
    here = os.open("deep", os.O_RDONLY)
    for _ in range(depth):  # further than any path leads
        os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    with soon():
        text = told(capsys, *command)
    assert "nested too deeply" in text
    assert "own.prototxt" in text or command[0] != "summary"
    subprocess.run(["rm", "-r", "deep"], check=True)
