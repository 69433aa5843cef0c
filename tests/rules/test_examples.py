"""Every rule's own examples hold: exact span, exact message, exact fixed text."""

from __future__ import annotations

import pytest

from caffelint.lint.examples import failures
from caffelint.lint.registry import RuleInfo, all_rules


@pytest.mark.parametrize("info", all_rules(), ids=lambda info: info.name)
def test_examples(info: RuleInfo) -> None:
    assert not failures(info.load())


@pytest.mark.parametrize("info", all_rules(), ids=lambda info: info.name)
def test_has_examples(info: RuleInfo) -> None:
    rule = info.load()
    assert rule.VALID, "a rule shows at least one text that it accepts"
    assert rule.INVALID, "a rule shows at least one text that it objects to"
