"""`check --add-ignores`: writes the comments that silence what is found now."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from caffelint.fix.mend import Mended
from caffelint.fix.run import Fixed, by_themselves, run
from caffelint.fix.write import leads_out
from caffelint.lint import baseline
from caffelint.lint.checker import Checker, Outcome, fingerprint
from caffelint.lint.config import Config
from caffelint.lint.engine import Progress, planned
from caffelint.lint.file import load
from caffelint.lint.finding import ERROR, rank
from caffelint.lint.plan import Job
from caffelint.lint.report import Applied, ReportedFinding
from caffelint.text.comments import find_comments
from caffelint.text.edits import Edit, apply_edits, with_line_ends_of
from caffelint.text.encodings import object_to
from caffelint.text.source import UTF8_MARK, Source

NOT_COMMENTS = frozenset(["unused-suppression"])
"""Findings about such comments themselves: another comment is no answer to them."""

_Identity = tuple[str, str, str]


class Ignorer:
    """Silences the findings of jobs, one job at a time, in the files of `writable`; `least` is the lowest severity.

    `errors` holds those of them that are errors; `besides` counts the findings that are not reported, as an info that
    is not shown, and that a comment silences because it names their rule.
    """

    def __init__(self, config: Config, writable: Collection[str], reason: str, least: str):
        self._config = config
        self._checker = Checker(config)
        self._writable = frozenset(writable)
        self._reason = reason
        self._least = rank(least)
        self.errors: set[Applied] = set()
        self.besides = 0
        self._baseline = baseline.read(Path(config.baseline)) if config.baseline else None

    def may_have_work(self, outcome: Outcome) -> bool:
        return bool(self._concerned(outcome))

    def mend(self, job: Job, texts: dict[str, bytes], found: Outcome) -> Mended:
        """Comments at the ends of lines; where one does not hold, one for the file; a new check tells."""
        before = found if found.of == fingerprint(texts) else self._judge(job, texts)
        now, outcome = texts, before
        wanted = self._concerned(outcome)
        stubborn: set[_Identity] = set()
        while True:
            now = texts | {path: self._silenced(path, texts[path], own, stubborn) for path, own in _by_file(wanted)}
            outcome = self._judge(job, now)
            left = {_identity(finding) for finding in self._concerned(outcome)}
            if left <= stubborn:
                break
            stubborn |= left
        notes = sorted(f"{file}: {name} cannot be silenced by a comment there" for file, name, _ in left)
        silenced = [(finding, _applied(finding)) for finding in wanted if _identity(finding) not in left]
        self.errors.update(made for finding, made in silenced if finding.severity == ERROR)
        applied = [made for _, made in silenced]
        self.besides += max(0, outcome.suppressed - before.suppressed - len(applied))
        changed = {path: data for path, data in now.items() if data != texts[path]}
        return Mended(changed, applied, outcome, notes)

    def _silenced(self, path: str, data: bytes, findings: list[ReportedFinding], stubborn: set[_Identity]) -> bytes:
        """A text with comments for its findings: at line ends, for the `stubborn` ones above all."""
        source = Source(data, path)
        if object_to(source, []) < 0:
            return data  # binary, or UTF-16
        edits = at_line_ends(source, [f for f in findings if _identity(f) not in stubborn], self._reason)
        edits += _for_the_file(source, [f for f in findings if _identity(f) in stubborn], self._reason)
        new = apply_edits(data, edits)
        return new if _same_message(data, new, path) else data

    def _judge(self, job: Job, texts: dict[str, bytes]) -> Outcome:
        self._checker.texts = texts
        return self._checker.job(job)

    def _concerned(self, outcome: Outcome) -> list[ReportedFinding]:
        findings: Iterable[ReportedFinding] = outcome.findings
        if self._baseline is not None and self._config.baseline:
            findings, _ = baseline.subtract(findings, self._baseline, Path(self._config.baseline))
        return [
            finding
            for finding in findings
            if finding.file in self._writable
            and finding.name not in NOT_COMMENTS
            and rank(finding.severity) >= self._least
        ]


def _identity(finding: ReportedFinding) -> _Identity:
    return finding.file, finding.name, finding.key


def _applied(finding: ReportedFinding) -> Applied:
    title = "silence it with a comment"
    return Applied(finding.file, finding.code, finding.name, finding.message, title, "safe", finding.line)


def _by_file(findings: Iterable[ReportedFinding]) -> Iterable[tuple[str, list[ReportedFinding]]]:
    found: dict[str, list[ReportedFinding]] = {}
    for finding in findings:
        found.setdefault(finding.file, []).append(finding)
    return found.items()


def at_line_ends(source: Source, findings: list[ReportedFinding], reason: str) -> list[Edit]:
    """A comment after the line that each finding begins on, one for all of that line.

    In a file without LF, where a comment would reach to the end of the file, an LF goes after it.
    """
    lines: dict[int, set[str]] = {}
    for finding in findings:
        for line in (finding.line or 1, *(line for _, line in finding.others)):
            lines.setdefault(line, set()).add(finding.name)
    ending = "" if "\n" in source.text or "\r" not in source.text else "\n"
    edits = []
    for line, names in lines.items():
        start, *rest = source.line_starts[line - 1 : line + 1]
        end = start + len(source.text[start : rest[0] if rest else None].rstrip("\r\n"))
        comment = f"# caffelint: ignore[{', '.join(sorted(names))}] {reason}".rstrip()
        edits.append(Edit(end, end, f"  {comment}{ending}"))
    return edits


def _for_the_file(source: Source, findings: list[ReportedFinding], reason: str) -> list[Edit]:
    """One comment at the start of the file."""
    if not findings:
        return []
    start = len(UTF8_MARK) if source.data.startswith(UTF8_MARK) else 0
    names = ", ".join(sorted({finding.name for finding in findings}))
    comment = f"# caffelint: ignore-file[{names}] {reason}".rstrip()
    return [Edit(start, start, with_line_ends_of(source.data, f"{comment}\n"))]


def _same_message(old: bytes, new: bytes, path: str) -> bool:
    """Whether Caffe reads the same from both, so that no comment has swallowed what follows it."""
    if _without_comments(old) == _without_comments(new):
        return True
    before, after = load(old, path), load(new, path)
    if before.bound is None or after.bound is None:
        return before.bound is after.bound
    written: bytes = before.bound.message.SerializePartialToString()
    return bool(written == after.bound.message.SerializePartialToString())


def _without_comments(data: bytes) -> list[str]:
    """The words of a text."""
    text = data.decode("latin-1")
    pieces, done = [], 0
    for start, end in find_comments(text):
        pieces.append(text[done:start])
        done = end
    return "".join((*pieces, text[done:])).split()


def add_ignores(
    paths: Iterable[str | os.PathLike[str]],
    config: Config,
    reason: str,
    *,
    least: str = "warning",
    write: bool = True,
    progress: Progress | None = None,
    changed: set[str] | None = None,
    texts: Mapping[str, bytes] | None = None,
    alone: bool = False,
) -> Fixed:
    """Write comments that silence all findings of severity `least` or above, with a `reason`, which may be empty.

    For the other parameters see `caffelint.fix.run.fix`.
    """
    texts, paths = dict(texts or {}), list(paths)
    found = by_themselves(texts) if alone else planned(paths, config, changed, texts)
    reported = {path for job in found.jobs for path in job.report}
    files = {path for path in reported.intersection(found.files) if not leads_out(path, paths)}
    ignorer = Ignorer(config, files, reason, least)
    result = run(found, config, texts, ignorer.may_have_work, ignorer.mend, write, progress)
    if errors := sum(made in ignorer.errors for made in result.report.applied):
        are = "1 of these is an error" if errors == 1 else f"{errors} of these are errors"
        result.notes.append(f"{are}; silenced or not, Caffe stops there or training fails")
    if ignorer.besides:
        more = "1 finding" if ignorer.besides == 1 else f"{ignorer.besides} findings"
        result.notes.append(f"these comments also silence {more} that would not be reported anyway")
    return result
