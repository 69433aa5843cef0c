"""No line of a file outside the checkout is quoted, however a checkout names it; a user may name any file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import caffelint
from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, _size_of, read

SECRET = "password: hunter2\nlayer { name: hunter2 }\n"
SOLVER = 'net: "{}"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 10\n'
COMMANDS = [
    ["check", "."],
    ["check", "solver.prototxt", "-v"],
    ["check", ".", "--diff", "--unsafe-fixes"],
    ["check", ".", "--fix", "--unsafe-fixes"],
    ["check", ".", "--format", "json"],
    ["summary", "solver.prototxt"],
    ["summary", "."],
    ["upgrade", ".", "--diff"],
    ["smoke", "solver.prototxt", "--engine", "torch"],
]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout, beside which lies a secret."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "secret.prototxt").write_text(SECRET)
    (tmp_path / "secret").write_text(SECRET)
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    (folder / "models").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize(
    "name",
    ["../secret.prototxt", "{}/secret.prototxt", "models/../../secret", "link.prototxt", "there/secret.prototxt"],
)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_outside_is_quoted(
    checkout: Path, name: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "link.prototxt").symlink_to("../secret")
    (checkout / "there").symlink_to("..")
    (checkout / "solver.prototxt").write_text(SOLVER.format(name.format(checkout.parent)))
    assert main(command) in (0, 1, 2)
    told = "".join(capsys.readouterr())
    assert "hunter2" not in told
    if command[0] != "upgrade" and "diff" not in command[-2]:
        assert "outside the checkout" in told


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="there is no /proc")
@pytest.mark.parametrize("is_checkout", [True, False])
def test_the_environment_is_not_quoted(
    checkout: Path, is_checkout: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not is_checkout:
        (checkout / ".git").rmdir()
    (checkout / "solver.prototxt").write_text(SOLVER.format("/proc/self/environ"))
    (checkout / "link.prototxt").symlink_to("/proc/self/environ")
    assert main(["check", "."]) == 2
    told = "".join(capsys.readouterr())
    assert "PATH=" not in told
    assert 'solver.prototxt:1:1: warning: net "/proc/self/environ" is outside the checkout' in told
    assert "link.prototxt: is a link to a file that is outside" in told


def test_without_a_checkout_what_is_no_prototxt_is_not_read(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders above are looked in, and one of these may be the root: `net: "etc/passwd"`."""
    (checkout / ".git").rmdir()
    monkeypatch.chdir(checkout / "models")
    solver = checkout / "solver.prototxt"
    solver.write_text(SOLVER.format("secret"))
    assert main(["check", str(solver)]) == 0
    assert "hunter2" not in "".join(capsys.readouterr())
    solver.write_text(SOLVER.format("secret.prototxt"))
    assert main(["check", str(solver)]) == 1
    assert "hunter2" in capsys.readouterr().out


def test_a_user_may_name_any_file_and_allow_a_folder(checkout: Path) -> None:
    config = Config()
    config.cache = False
    (checkout / "link.prototxt").symlink_to("../secret")
    (checkout / "solver.prototxt").write_text(SOLVER.format("../secret.prototxt"))
    assert caffelint.check(["link.prototxt"], config).findings
    assert caffelint.check(["../secret.prototxt"], config).findings
    config.roots = [str(checkout.parent)]
    report = caffelint.check(["."], config)
    assert any("hunter2" in finding.message for finding in report.findings)
    assert not report.failures


def test_the_list_of_a_source_is_not_quoted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lists of images lie anywhere, and are read where a user asks for it; what one says is not shown."""
    for kind in ("image_data_param", "hdf5_data_param"):
        type_ = {"image_data_param": "ImageData", "hdf5_data_param": "HDF5Data"}[kind]
        net = f'layer {{ name: "d" type: "{type_}" top: "d" {kind} {{ source: "../secret" batch_size: 1 }} }}\n'
        (checkout / "net.prototxt").write_text(net)
        main(["summary", "net.prototxt", "--read-data"])
        told = "".join(capsys.readouterr())
        assert "names a missing file" in told
        assert "hunter2" not in told


def test_what_git_keeps_is_not_quoted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clone's configuration may hold the password of its remote."""
    (checkout / ".git" / "config").write_text(SECRET)
    (checkout / "link.prototxt").symlink_to(".git/config")
    (checkout / "solver.prototxt").write_text(SOLVER.format(".git/config"))
    assert main(["check", "."]) in (1, 2)
    assert "hunter2" not in "".join(capsys.readouterr())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux tells which file is open")
@pytest.mark.parametrize("pipe", [False, True])
def test_a_file_that_is_replaced_before_it_is_opened(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, pipe: bool
) -> None:
    net = checkout / "net.prototxt"
    net.write_text("layer { }")

    def size_of(path: str, reach: Reach | None) -> int:
        size = _size_of(path, reach)
        net.unlink()
        if pipe:
            os.mkfifo(net)
        else:
            net.symlink_to("../secret")
        return size

    monkeypatch.setattr("caffelint.lint.read._size_of", size_of)
    with pytest.raises(ReadError, match="changed while it was opened"):
        read(str(net), reach=Reach(str(checkout)))
