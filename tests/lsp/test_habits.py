"""What completion has seen of a text."""

from __future__ import annotations

from caffelint.lint.file import load
from caffelint.lsp.habits import Habits


def test_blocks_may_be_nested_deeper_than_python_calls() -> None:
    habits = Habits(load(b" " + b"layer { name: 'a' " * 3000).document.root, 0)
    assert habits.fields["layer"]["name"] == 3000
