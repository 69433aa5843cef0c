"""Comments are found, and nothing that looks like one."""

from __future__ import annotations

import pytest

from caffelint.text.parser import parse


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("a: 1", []),
        ("# one\na: 1 # two", ["# one", "# two"]),
        ('a: \'#no\' # yes\r\nb: "\\"#no" #\n', ["# yes", "#"]),
        ('a: "open # no\n# yes', ["# yes"]),
        ("#é", ["#é"]),
        ("# a # b", ["# a # b"]),
    ],
)
def test_comments(text: str, comments: list[str]) -> None:
    document = parse(text.encode())
    assert [document.source.slice(*span) for span in document.comments()] == comments
