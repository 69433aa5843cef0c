"""`caffelint completion`, and what a shell is offered."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(caffelint: Any, shell: str) -> None:
    run = caffelint("completion", shell)
    assert run.status == 0
    assert "_CAFFELINT_COMPLETE" in run.out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("caffelint ex", "explain"),
        ("caffelint check --select poly-wi", "poly-without-max-iter"),
        ("caffelint check --select S102,poly-wi", "S102,poly-without-max-iter"),
        ("caffelint check --format sa", "sarif"),
        ("caffelint check --dialect nvc", "nvcaffe"),
        ("caffelint explain poly-wi", "poly-without-max-iter"),
    ],
)
def test_completing(caffelint: Any, monkeypatch: pytest.MonkeyPatch, words: str, wanted: str) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert f"plain,{wanted}" in caffelint().out.splitlines()
