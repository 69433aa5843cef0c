"""What rules cost is counted while they run, and not while others do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caffelint.lint import timing
from caffelint.lint.registry import RuleInfo, find_rule
from caffelint.lint.run import RuleSet


class Slow:
    """Takes a second for each finding, two to begin, four to end."""

    def __init__(self, clock: list[float]):
        self.clock = clock

    def check(self, subject: str) -> Iterator[str]:
        self.clock[0] += 2
        for letter in subject:
            self.clock[0] += 1
            yield letter
        self.clock[0] += 4


@pytest.fixture
def info() -> RuleInfo:
    found = find_rule("high-base-lr")
    assert found
    return found


def test_only_the_time_in_a_rule_counts(info: RuleInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(timing, "perf_counter", lambda: clock[0])
    rules = RuleSet([info])
    rules._loaded[info.name] = Slow(clock)
    seconds: timing.Seconds = {}
    found = []
    for letter in timing.TimedRuleSet(rules, seconds).rule(info).check("abc"):
        found.append(letter)
        clock[0] += 100
    assert found == ["a", "b", "c"]
    assert seconds == {"S201 high-base-lr": 2 + 3 + 4}


def test_a_rule_that_fails_is_counted_too(info: RuleInfo) -> None:
    class Broken:
        def check(self, subject: str) -> list[str]:
            raise RuntimeError(subject)

    rules = RuleSet([info])
    rules._loaded[info.name] = Broken()
    seconds: timing.Seconds = {}
    with pytest.raises(RuntimeError):
        list(timing.TimedRuleSet(rules, seconds).rule(info).check("no"))
    assert list(seconds) == ["S201 high-base-lr"]
