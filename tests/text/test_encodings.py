"""Byte-order marks, UTF-16 and what is no text."""

from __future__ import annotations

import gzip

import pytest

from caffelint.text.edits import apply_edits
from caffelint.text.parser import parse

TEXT = 'name: "n\u00e4t"\nlayer { name: "a" }\n'


def repaired(data: bytes) -> bytes:
    (problem,) = parse(data).problems
    assert problem.repair_is_safe
    return apply_edits(data, problem.repairs)


def test_utf8_mark_is_reported_and_the_rest_read() -> None:
    document = parse(b"\xef\xbb\xbf" + TEXT.encode())
    assert [problem.kind for problem in document.problems] == ["byte-order-mark"]
    assert [field.name for field in document.root.fields] == ["name", "layer"]
    assert repaired(b"\xef\xbb\xbf" + TEXT.encode()) == TEXT.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_wide_encoding_is_reported_once_and_repaired(encoding: str) -> None:
    data = TEXT.encode(encoding)
    document = parse(data)
    assert [problem.kind for problem in document.problems] == ["byte-order-mark"]
    assert document.root.fields == []
    assert repaired(data) == TEXT.encode()


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 4, gzip.compress(TEXT.encode() * 9, mtime=0), b"\0" * 64, b"\x08\x01\x12\x04conv\0\0\x80?"],
)
def test_binary_data_is_reported_once(data: bytes) -> None:
    document = parse(data)
    assert [problem.message for problem in document.problems] == [
        "this is binary data, not prototxt; is it a .caffemodel or another file of that name?"
    ]


def test_a_single_nul_does_not_make_a_text_binary() -> None:
    document = parse(b'name: "net"\0 layer { name: "a" }')
    assert [problem.kind for problem in document.problems] == ["unreadable-character"]
    assert [field.name for field in document.root.fields] == ["name", "layer"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("tail", [b"}\n", b"# appended by echo, with more words\n", b'layer { type: "ReLU" }\n# x\n'])
def test_what_has_parts_in_another_encoding_is_left_to_people(encoding: str, tail: bytes) -> None:
    """Read as one encoding, what `echo >>` has put behind would become letters of other scripts."""
    data = TEXT.encode(encoding) + tail
    problems = parse(data).problems
    assert problems
    assert not any(problem.repairs for problem in problems if problem.repair_is_safe)


def test_letters_of_any_script_in_comments_and_strings_are_kept() -> None:
    text = 'name: "\u7f51\u7edc\u5c42\u6b21"  # \u6570\u636e: "\u8f93\u5165"\nlayer { name: \'\u7279\u5f81\' }\n'
    assert repaired(text.encode("utf-16")) == text.encode()
