"""GitHub's workflow commands, as its runner reads them."""

from __future__ import annotations

import re
from collections.abc import Callable

from caffelint.lint.report import Report

Written = Callable[..., str]

_COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it: https://github.com/actions/runner, ActionCommand.TryParseV2."""
    match = _COMMAND.fullmatch(line)
    assert match, line
    properties = dict(pair.split("=", 1) for pair in match[2].split(","))

    def plain(text: str) -> str:
        for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, char)
        return text

    return match[1], {key: plain(value) for key, value in properties.items()}, plain(match[3])


def test_github(report: Report, written: Written) -> None:
    lines = written("github", report).splitlines()
    kinds = [parsed(line) for line in lines]
    assert [kind for kind, _, _ in kinds] == ["warning", "error", "error", "error", "error"]
    assert kinds[0][1] == {
        "file": "net/a b,c:d%.prototxt",
        "line": "12",
        "endLine": "14",
        "title": "L401 pooling-stride-exceeds-kernel",
    }
    assert kinds[1][1]["col"] == "1"
    assert kinds[1][1]["endColumn"] == "17", "the last column, not the one behind it"
    assert kinds[1][2].endswith("= nan\n`caffe train` ends after no iteration")
    assert "100 %25 of" in lines[2]
    assert kinds[4][2].startswith("caffelint failed")
    assert len(written("github", report, least="info").splitlines()) == 6
