"""What a fix must never do: bring an error that was not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import NamedTuple

from caffelint.fix.pick import Offer
from caffelint.lint.checker import Checker, Outcome
from caffelint.lint.config import Config
from caffelint.lint.finding import ERROR
from caffelint.lint.plan import Job
from caffelint.lint.registry import find_rule

_NARROWING = ("select", "ignore", "extend_select", "severity", "per_file_ignores", "rules")
_UNREAD = frozenset(["byte-order-mark", "syntax-error"])
"""Where one of these is, caffelint may not have read the rest of the file as it is meant."""


_MOST_PROBLEMS = 20_000
"""More than people are told of: what is not told cannot be mended in one go, and comes to light like harm done."""


class Judged(NamedTuple):
    """What the selected rules say of some texts, and the errors that all rules find.

    Errors are counted by file, rule and key, and once more by file, rule and message: a fix that names a layer changes
    the keys of all that is in it.
    """

    outcome: Outcome
    errors: Counter[tuple[str, str, str]]
    messages: Counter[tuple[str, str, str]]

    def unread(self, file: str) -> bool:
        """Whether a file's text is broken, so that what a fix does to it is not foreseen."""
        return any(path == file and _reads(rule) for path, rule, _ in self.errors)


class Guard:
    """Judges texts by the selected rules, and by all others, as these know of damage that the selected do not see."""

    def __init__(self, config: Config):
        self.checker = Checker(config, most_problems=_MOST_PROBLEMS)
        self.everything: Checker | None = None
        if any(getattr(config, name) for name in _NARROWING):
            wide = copy(config)
            for name in _NARROWING:
                setattr(wide, name, type(getattr(config, name))())
            self.everything = Checker(wide, most_problems=_MOST_PROBLEMS)

    def judge(self, job: Job, texts: dict[str, bytes]) -> Judged:
        self.checker.texts = texts
        outcome = self.checker.job(job)
        every = outcome
        if self.everything:
            self.everything.texts = texts
            every = self.everything.job(job)
            outcome = outcome._replace(failures=tuple(dict.fromkeys((*outcome.failures, *every.failures))))
        errors = [finding for finding in every.findings if finding.severity == ERROR]
        return Judged(
            outcome,
            Counter((finding.file, finding.name, finding.key) for finding in errors),
            Counter((finding.file, finding.name, finding.message) for finding in errors),
        )


def objection(before: Judged, after: Judged, offers: Iterable[Offer]) -> str:
    """Why the texts must not become what these offers make of them; empty where they may.

    Where Caffe refused a file for what is now mended, or nobody could read it, the error that it would have met next
    may come to light. Else there must be none that was not there, and never one more of reading the file.
    """
    if failed := after.outcome.failures[len(before.outcome.failures) :]:
        return failed[0].message
    more = {error[:2] for error in after.messages - before.messages}
    new = Counter({error: count for error, count in (after.errors - before.errors).items() if error[:2] in more})
    if not new:
        return ""
    mended = [offer.finding for offer in offers]
    if all(finding.name in _UNREAD for finding in mended):
        if all(finding.name == "byte-order-mark" for finding in mended):
            return ""
        if _of_reading(after.errors) <= _of_reading(before.errors):
            return ""
    elif all(finding.severity == ERROR or _reads(finding.name) for finding in mended):
        new = Counter({error: count for error, count in new.items() if _reads(error[1])})
        if not new:
            return ""
    file, name, _ = min(new)
    return f"it brings {name} in {file}"


def _of_reading(errors: Counter[tuple[str, str, str]]) -> int:
    return sum(count for (_, name, _), count in errors.items() if _reads(name))


def _reads(name: str) -> bool:
    """Whether a rule is about reading the text, not about what is in it."""
    rule = find_rule(name)
    return rule is not None and rule.kind == "problem"
