"""What each rule costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import Any

from caffelint.lint.finding import Finding
from caffelint.lint.registry import RuleInfo
from caffelint.lint.run import RuleSet

Seconds = dict[str, float]
"""By the code and name of a rule, as in `S101 poly-without-max-iter`."""


class TimedRuleSet(RuleSet):
    """Adds up in `seconds` what each rule takes; an analysis that rules share counts for the first that asks for it."""

    def __init__(self, rules: RuleSet, seconds: Seconds):
        self.__dict__.update(vars(rules))
        self._seconds = seconds

    def rule(self, info: RuleInfo) -> Any:
        return _Timed(super().rule(info), f"{info.code} {info.name}", self._seconds)


class _Timed:
    def __init__(self, rule: Any, name: str, seconds: Seconds):
        self._rule, self._name, self._seconds = rule, name, seconds

    def check(self, subject: Any) -> Iterator[Finding]:
        return self._timed(self._rule.check, subject)

    def report(self, *subjects: Any) -> Iterator[Finding]:
        return self._timed(self._rule.report, *subjects)

    def _timed(self, ask: Callable[..., Iterable[Finding]], *subjects: Any) -> Iterator[Finding]:
        """The findings; what happens between them is not the rule's."""
        findings: Iterator[Finding] | None = None
        while True:
            began = perf_counter()
            try:
                findings = findings or iter(ask(*subjects))
                finding = next(findings)
            except StopIteration:
                return
            finally:
                taken = perf_counter() - began
                self._seconds[self._name] = self._seconds.get(self._name, 0.0) + taken
            yield finding
