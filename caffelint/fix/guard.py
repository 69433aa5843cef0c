"""What a fix must never do: bring an error that was not there."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import NamedTuple

from caffelint.fix.pick import Offer
from caffelint.lint.checker import Checker, Outcome, fingerprint
from caffelint.lint.config import Config
from caffelint.lint.finding import ERROR
from caffelint.lint.plan import Job
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.text.edits import Edit
from caffelint.text.parser import MOST_PROBLEMS

_NARROWING = ("select", "ignore", "extend_select", "severity", "per_file_ignores", "rules")
_UNREAD = frozenset(["byte-order-mark", "syntax-error"])
"""Where one of these is, caffelint may not have read the rest of the file as it is meant."""


_MOST_PROBLEMS = 20_000
"""More than is reported to people: what is not reported cannot be fixed in one go, and later looks like harm."""


class Judged(NamedTuple):
    """What the selected rules say of some texts, and the errors that all rules found.

    Errors are counted by file, rule and key, and once more by file, rule and message, and by the text they are found
    at: a fix that names a layer changes the keys of all that is in it, and messages that speak of it.
    """

    outcome: Outcome
    found: tuple[ReportedFinding, ...]
    errors: Counter[tuple[str, str, str]]
    messages: Counter[tuple[str, str, str]]
    texts: Counter[tuple[str, str, str]]

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

    def judge(self, job: Job, texts: dict[str, bytes], known: Outcome | None = None) -> Judged:
        """`known`: what a check for people found, in these texts or older ones."""
        self.checker.texts = texts
        outcome = known if known is not None and _is_whole(known, texts) else self.checker.job(job)
        every = outcome
        if self.everything:
            self.everything.texts = texts
            every = self.everything.job(job)
            outcome = outcome._replace(failures=tuple(dict.fromkeys((*outcome.failures, *every.failures))))
        errors = tuple(finding for finding in every.findings if finding.severity == ERROR)
        return Judged(
            outcome,
            errors,
            Counter((finding.file, finding.name, finding.key) for finding in errors),
            Counter((finding.file, finding.name, finding.message) for finding in errors),
            Counter((finding.file, finding.name, _text(finding)) for finding in errors),
        )


class Harm(NamedTuple):
    """Why texts must not become what some offers make of them, and the errors that speak against it, where known."""

    reason: str
    errors: tuple[ReportedFinding, ...] = ()


def objection(before: Judged, after: Judged, offers: Iterable[Offer]) -> Harm | None:
    """Why the texts must not become what these offers make of them; None where they may.

    Where Caffe refused a file for what is now mended, or nobody could read it, the error that it would have met next
    may come to light. Else there must be none that was not there, and never one more of reading the file.
    """
    if failed := after.outcome.failures[len(before.outcome.failures) :]:
        return Harm(failed[0].message)
    more = {error[:2] for error in after.messages - before.messages}
    more &= {error[:2] for error in after.texts - before.texts}
    new = Counter({error: count for error, count in (after.errors - before.errors).items() if error[:2] in more})
    if not new:
        return None
    mended = [offer.finding for offer in offers]
    if all(finding.name in _UNREAD for finding in mended):
        if all(finding.name == "byte-order-mark" for finding in mended):
            return None
        if _of_reading(after.errors) <= _of_reading(before.errors):
            return None
    elif all(finding.severity == ERROR or _reads(finding.name) for finding in mended) or (
        len(mended) == 1 and any(_reads(name) for _, name, _ in before.errors - after.errors)
    ):
        new = Counter({error: count for error, count in new.items() if _reads(error[1])})
        if not new:
            return None
    file, name, _ = min(new)
    errors = tuple(error for error in after.found if (error.file, error.name, error.key) in new)
    return Harm(f"it would cause {name} in {file}", errors)


def blamed(
    part: list[Offer], harm: Harm, texts: dict[str, bytes], made: Iterable[Offer]
) -> tuple[list[Offer], list[Offer]]:
    """A part cut in two, neither empty: what is the likelier to have done harm, and the rest.

    That is what wrote where an error is, else in its lines or its layer, else what is nearest to it. `texts` is what
    `made`, the part among them, made of the texts.
    """
    places = _places(part, texts, made)
    exact: set[int] = set()
    near: set[int] = set()
    for error in harm.errors:
        own = places.get(error.file, [])
        line, column = error.line or 1, error.column or 1
        end = error.end_line or line, error.end_column or column
        exact.update(number for _, number in own[bisect_left(own, ((line, column), -1)) : bisect_left(own, (end, -1))])
        at, until = bisect_left(own, ((line, 0), -1)), bisect_left(own, ((end[0] + 1, 0), -1))
        near.update(number for _, number in (own[at:until] or own[max(0, at - 1) : at + 1]))
    layers = {(error.file, error.layer) for error in harm.errors if error.layer}
    near.update(number for number, offer in enumerate(part) if (offer.finding.file, offer.finding.layer) in layers)
    several = len({offer.finding.name for offer in part}) > 1
    rule = {number for number, offer in enumerate(part) if several and offer.finding.name == part[0].finding.name}
    guilty = next((found for found in (exact, near, rule) if 0 < len(found) < len(part)), set(range(len(part) // 2)))
    return (
        [offer for number, offer in enumerate(part) if number in guilty],
        [offer for number, offer in enumerate(part) if number not in guilty],
    )


def _places(
    part: list[Offer], texts: dict[str, bytes], made: Iterable[Offer]
) -> dict[str, list[tuple[tuple[int, int], int]]]:
    """By file the line and column of each edit in the new text, with the number of its offer in the part, in order."""
    numbers = {id(offer): number for number, offer in enumerate(part)}
    edits: dict[str, list[tuple[Edit, int]]] = {}
    for offer in made:
        for file, own in offer.edits.items():
            edits.setdefault(file, []).extend((edit, numbers.get(id(offer), -1)) for edit in own)
    places: dict[str, list[tuple[tuple[int, int], int]]] = {}
    for file, pairs in edits.items():
        text, found = texts[file], places.setdefault(file, [])
        done, line, moved, last = 0, 1, 0, None
        for edit, number in sorted(pairs):
            start = edit.start + moved
            line += text.count(b"\n", done, start)
            done = max(done, start)
            if number >= 0:
                found.append(((line, start - text.rfind(b"\n", 0, start)), number))
            if edit != last:
                moved += len(edit.text.encode("utf-8", "surrogateescape")) - (edit.end - edit.start)
            last = edit
    return places


def _text(finding: ReportedFinding) -> str:
    """What a finding is about, up to the end of its line."""
    end = (finding.end_column or 0) - 1 if finding.end_line == finding.line else None
    return finding.source[0][(finding.column or 1) - 1 : end] if finding.source else ""


def _of_reading(errors: Counter[tuple[str, str, str]]) -> int:
    return sum(count for (_, name, _), count in errors.items() if _reads(name))


def reading_first(offers: list[Offer]) -> list[Offer]:
    """Without what changes a text that another one makes readable: what is in it is not known before."""
    unread = {file for offer in offers if offer.finding.name in _UNREAD for file in offer.edits}
    return [offer for offer in offers if _reads(offer.finding.name) or unread.isdisjoint(offer.edits)]


def _is_whole(known: Outcome, texts: dict[str, bytes]) -> bool:
    """Whether a check for people found, in just these texts, all that there is: of problems it reports no more."""
    return known.of == fingerprint(texts) and sum(_reads(one.name) for one in known.findings) < MOST_PROBLEMS


def _reads(name: str) -> bool:
    """Whether a rule is about reading the text, not about what is in it."""
    rule = find_rule(name)
    return rule is not None and rule.kind == "problem"
