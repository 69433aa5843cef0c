"""What is given and is no file, or no ordinary one, is named and not waited for."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

import caffelint
from caffelint.lint import read as module
from caffelint.lint.config import Config
from caffelint.lint.discover import named_nets
from caffelint.lint.read import ReadError, read
from caffelint.lint.role import names_a_net


@pytest.fixture
def config() -> Config:
    config = Config()
    config.cache = False
    return config


@pytest.mark.skipif(os.name != "posix", reason="pipes have names on POSIX alone")
def test_a_pipe_is_not_waited_for(config: Config, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.prototxt"
    os.mkfifo(pipe)
    report = caffelint.check([pipe], config)
    assert [failure.file for failure in report.failures] == [str(pipe)]
    assert "is a pipe or a device" in report.failures[0].message
    assert (report.exit_status(), report.files) == (2, 0)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no endless device")
def test_a_device_is_not_read_to_its_end(config: Config) -> None:
    assert "is a pipe or a device" in caffelint.check(["/dev/zero"], config).failures[0].message


def test_a_file_too_large_is_named(config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST", 3)
    (tmp_path / "net.prototxt").write_text("name: 1")
    assert "larger than" in caffelint.check([tmp_path], config).failures[0].message


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").mkdir()
    with pytest.raises(ReadError, match="cannot be read: "):
        read(str(tmp_path / "net.prototxt"))
    assert caffelint.check([tmp_path]).files == 0


@pytest.mark.parametrize(
    "text",
    [
        'net: "n"',
        '\ufeffnet: "n"',
        "max_iter: 1 net:'n'",
        'train_state { stage: "a" }train_net: "n"',
        'test_net: ["n", "m"]',
        'net: # the one of the paper\n "n"',
        'net # the one of the paper\n : "n"',
    ],
)
def test_solvers_are_known_by_the_net_that_they_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "solver.prototxt"
    path.write_text(text, "utf-8")
    assert named_nets(str(path))[0].name == "n"
    assert names_a_net(str(path))


def test_a_fixs_title_shows_no_whole_file() -> None:
    text = 'name: "a"\nlayer { name: "b" }\n'
    for encoding in ("utf-16", "utf-8-sig"):
        findings = caffelint.check_text(text.encode(encoding), kind="net").findings
        titles = [fix.title for one in findings for fix in one.fixes if one.name == "byte-order-mark"]
        assert titles == ["save as UTF-8 without byte-order mark"]
    findings = caffelint.check_text('net: "%s' % ("x" * 70), kind="solver").findings
    titles = [fix.title for finding in findings for fix in finding.fixes if finding.code == "P001"]
    assert titles == ["put it in quotes"]


@pytest.mark.parametrize(("most", "size", "asked"), [(1 << 28, 6, [7]), (1 << 28, 2, [3, (1 << 28) - 3]), (4, 6, [4])])
def test_a_file_gets_room_for_its_own_size_and_is_read_to_its_end(most: int, size: int, asked: list[int]) -> None:
    class Stream(io.BytesIO):
        rooms: list[int] = []

        def read(self, room: int | None = -1, /) -> bytes:
            self.rooms.append(room or 0)
            return super().read(room)

    Stream.rooms.clear()
    assert module._first(Stream(b"layers"), most, size) == b"layers"[:most]  # it has grown where its size was 2
    assert Stream.rooms == asked
