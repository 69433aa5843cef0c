"""Words that are wider than a line are broken, and what is harmless within a word stays so at the start of a line."""

from __future__ import annotations

import pytest
from cost import follows

from caffelint.report.fit import Column, clauses, hanging, table, wrapped
from caffelint.report.words import columns

COMMANDS = ["-::error file=x::owned", "::error::owned", ":" * 200, "文::error::owned", "e\u0301::error::owned"]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_piece_of_a_word_commands_a_build_server(command: str) -> None:
    for before in range(12, 60):
        for width in (30, 31):
            lines = hanging("a" * before + command, width) + wrapped("a" * before + command, width, 7, 3)
            lines += table([Column("name")], [["a" * before + command]], width)
            assert len(lines) > 2
            assert not [line for line in lines if line.lstrip().startswith("::")]
            assert max(map(columns, lines)) <= width


def test_clauses() -> None:
    text = 'it breaks: Log "a; b. c" gives inf; with shift: 1 it learns: loss 2 to 1, in 9 runs. It is not the rate.'
    assert clauses(text, 200) == [text]
    assert clauses(text, 60) == [
        'it breaks: Log "a; b. c" gives inf;',
        "with shift: 1 it learns: loss 2 to 1, in 9 runs.",
        "It is not the rate.",
    ]
    for most in range(1, 120):
        assert " ".join(clauses(text, most)) == text
    assert clauses(text, 30)[:2] == ["it breaks:", 'Log "a; b. c" gives inf;']
    assert clauses("no end to it", 5) == ["no end to it"]


def test_a_text_of_many_marks_takes_linear_time() -> None:
    for texts in ("a; b. c: d, ", 'a"; "b. "c: d, '):
        assert follows(lambda count: clauses(texts * count + '"', 50), 500, 8_000)  # noqa: B023


@pytest.mark.parametrize("command", COMMANDS)
def test_no_clause_commands_a_build_server(command: str) -> None:
    for mark in ("; ", ". ", ": ", ", "):
        assert clauses(f"a{mark}{command}", 3) == [f"a{mark}{command}"] or not command.startswith(":")


@pytest.mark.parametrize(
    "word", ["a" * 100, "文" * 50, "e\u0301" * 100, "\x1b[1m" + "a" * 100 + "\x1b[0m", "ab/cd" * 20]
)
def test_a_long_word_is_broken_and_kept(word: str) -> None:
    for width in range(2, 40):
        lines = wrapped(word, width)
        assert "".join(lines) == word
        assert max(map(columns, lines)) <= width
        assert all(line.count("\x1b") == line.count("m") for line in lines)


@pytest.mark.parametrize("letter", ["a", "文", "\u0301", ":"])
def test_a_long_word_is_broken_in_time_with_its_length(letter: str) -> None:
    def shown(count: int) -> None:
        assert len(wrapped(letter * count, 12)) + len(table([Column("name"), Column("")], [[letter * count, ""]], 40))

    assert follows(shown, 2_000, 32_000)
