"""On a terminal, no line of any command is wider than the window; elsewhere, a line stays one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from seeds import NIGHTLY

from caffelint.cli.group import COMMANDS as COMMAND_NAMES
from caffelint.schema.messages import NetParameter

pty = pytest.importorskip("pty")
WIDTHS = (60, 80, 100, 120) if NIGHTLY else (60, 100)
LONG = "a_folder_with_a_long_name/another_folder_with_a_long_name/models_of_the_winter_of_2016"


def shown(arguments: list[str], width: int, cwd: Path, stdin: bytes = b"") -> str:
    """What a terminal of that width gets, stderr included."""
    import fcntl
    import struct
    import termios

    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [sys.executable, "-m", "caffelint", *arguments],
        stdin=subprocess.PIPE,
        stdout=inner,
        stderr=inner,
        cwd=cwd,
        env=environment,
    ) as process:
        os.close(inner)
        assert process.stdin
        process.stdin.write(stdin)
        process.stdin.close()
        parts = []
        try:
            while part := os.read(outer, 65536):
                parts.append(part)
        except OSError:  # how Linux reports the end
            pass
        finally:
            os.close(outer)
    return b"".join(parts).decode()


def columns(line: str) -> int:
    line = re.sub(r"\x1b\[[\d;]*[mK]", "", line)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(unicodedata.category(character) == "Mn" for character in line)


def too_wide(text: str, width: int) -> list[str]:
    return [line for line in re.split(r"[\r\n]+", text) if columns(line) > width]


@pytest.fixture(scope="module")
def project(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fixtures in folders with long names, and a layer with one."""
    folder = tmp_path_factory.mktemp("window")
    (folder / ".git").mkdir()
    for name in ("average_pooling", "slips", "infogain", "phases", "high_rate"):
        target = folder / LONG / name
        target.mkdir(parents=True)
        for file in (root / "fixtures/wrong" / name).glob("*.prototxt"):
            (target / file.name).write_bytes(file.read_bytes())
    net = (folder / LONG / "slips/train_val.prototxt").read_text()
    (folder / LONG / "slips/学习率.prototxt").write_text(net.replace("conv1", "inception_3a/" + "3x3_reduce_" * 20))
    log = (root / "docs/tutorials/nan/train.log").read_text()
    (folder / "train.log").write_text(log.replace("conv1", "inception_3a/" + "3x3_reduce_" * 20))
    weights = NetParameter()
    for name in ("conv1", "inception_3a/" + "3x3_reduce_" * 20):
        blob = weights.layer.add(name=name, type="Convolution").blobs.add()
        blob.shape.dim.extend((2, 4))
        blob.data.extend([0.5] * 8)
    (folder / "ip.caffemodel").write_bytes(weights.SerializeToString())
    (folder / "caffelint.toml").write_text(f'roots = ["{LONG}"]\nexclude = ["a", "b", "c"]\n')
    return folder


COMMANDS = [
    ["check", ".", "-v", "--preview", "--no-cache"],
    ["check", ".", "--group-by", "rule", "--no-cache"],
    ["check", ".", "--group-by", "file", "--no-cache"],
    ["check", ".", "--statistics", "--no-cache"],
    ["check", f"{LONG}/{LONG}/nothing.prototxt"],
    ["summary", f"{LONG}/average_pooling"],
    ["summary", f"{LONG}/infogain", "--phase", "train"],
    ["lr", f"{LONG}/average_pooling/solver.prototxt"],
    ["explain", "duplicate-top"],
    ["explain", "duplicate-bottom-or-top-of-a-layer-that-is-not"],
    ["rules"],
    ["dialects"],
    ["config"],
    ["env"],
    ["upgrade", "."],
    ["log", f"{LONG}/average_pooling/solver.prototxt"],
    ["data", f"{LONG}/average_pooling/solver.prototxt"],
    ["check", ".", "--timing", "--top", "1"],
    ["summary", f"{LONG}/phases", "--read-data"],
    ["lr", "--suggest", f"{LONG}/phases/solver.prototxt"],
    ["scales", f"{LONG}/phases/solver.prototxt"],
    ["scales", f"{LONG}/average_pooling"],
    ["scales", f"{LONG}/high_rate/solver.prototxt"],
    ["targets"],
    ["targets", "ncnn"],
    ["check", f"{LONG}/high_rate", "--target", "ncnn,opencv", "--no-cache"],
    ["deploy", f"{LONG}/high_rate/train_val.prototxt", "--check", f"{LONG}/slips/train_val.prototxt"],
    ["weights", f"{LONG}/phases/train_val.prototxt", "ip.caffemodel"],
    ["weights", "--stats", f"{LONG}/phases/train_val.prototxt", "ip.caffemodel"],
    ["log", "train.log"],
    ["patch", f"{LONG}/phases/train_val.prototxt", "--check-finite", "all", "-o", "patched.prototxt"],
    ["init"],
    ["trust", "."],
    ["clean"],
    ["test", "nowhere"],
    ["explain", "--all"],
    ["smoke", f"{LONG}/phases/nothing.prototxt"],
    ["--help"],
    *([name, "--help"] for name in COMMAND_NAMES),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_wider_than_the_window(
    project: Path, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for width in WIDTHS:
        text = shown(command, width, project)
        assert text.strip()
        assert "Traceback" not in text
        assert too_wide(text, width) == [], width


def test_elsewhere_a_line_stays_one(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "caffelint", "check", LONG, "--no-cache"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "60"},
    )
    heads = [line for line in done.stdout.splitlines() if re.match(r"\S+:\d+:\d+: (error|warning): ", line)]
    assert heads
    assert all(line.endswith("]") for line in heads)


def test_charts_are_ascii_where_the_terminal_has_no_blocks(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "caffelint", "lr", "fixtures/right/lenet/solver.prototxt"],
        cwd=root,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert b"#" in done.stdout
    assert b"\\u" not in done.stdout
