"""`caffelint explain`"""

from __future__ import annotations

from typing import Any

import pytest

from caffelint.lint.registry import all_rules


@pytest.mark.parametrize("name", ["S101", "s101", "poly-without-max-iter", "Poly-Without-Max-Iter"])
def test_explain(caffelint: Any, name: str) -> None:
    run = caffelint("explain", name)
    assert run.status == 0
    assert run.out.startswith("S101 poly-without-max-iter  error, certain")
    assert "\nWhy is this bad?\n" in run.out
    assert "\n    base_lr: 0.01" in run.out
    assert "```" not in run.out
    assert "# caffelint: ignore[poly-without-max-iter]" in run.out


def test_explain_suggests(caffelint: Any) -> None:
    run = caffelint("explain", "poly-without-maxiter")
    assert run.status == 2
    assert run.err == 'caffelint: no such rule "poly-without-maxiter"; did you mean poly-without-max-iter?\n'


@pytest.mark.parametrize(("words", "name"), [("Batch", "batch-stats-in-testing"), ("87.33", "loss-at-87")])
def test_explain_lists_the_rules_about_a_word(caffelint: Any, words: str, name: str) -> None:
    run = caffelint("explain", words)
    assert run.status == 2
    assert run.err == f'caffelint: no rule is called "{words}"; about it:\n'
    assert f" {name}  " in run.out
    assert not caffelint("explain", words, "--format", "json").out


@pytest.mark.parametrize("info", all_rules(), ids=lambda info: info.name)
def test_every_rule_can_be_explained(caffelint: Any, info: Any) -> None:
    run = caffelint("explain", info.name)
    assert run.status == 0
    assert info.code in run.out
