"""Mends the files of one job: makes the fixes that rules offer and checks what comes of it, a few times at most."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from caffelint.fix.guard import Guard, Judged, blamed, objection, reading_first
from caffelint.fix.pick import Offer, apply, pick, place
from caffelint.fix.provided import PROVIDERS, asked_for
from caffelint.fix.written import Written
from caffelint.lint import baseline
from caffelint.lint.checker import Outcome
from caffelint.lint.config import Config
from caffelint.lint.discover import NamedNet, named_nets, relative
from caffelint.lint.finding import SAFE, rank
from caffelint.lint.plan import Job
from caffelint.lint.report import Applied, ReportedFinding
from caffelint.text.edits import Edit, with_line_ends_of

AS_ANSWERED = "as you answered"
"""Why a fix was not made that `agreed` said no to."""
READ_BYTES, LEAST_READINGS, MOST_READINGS = 400_000, 5, 40
"""How much is checked of one job until its fixes are made, as a size and as a number of checks."""
BROKEN = 3
"""Times as long it takes to read a text whose grammar is broken."""
FINDING_BYTES = 50
"""To find and word something takes as long as to read so much text."""
MOST_HARM = 3
"""Of so many fixes that did harm, the others of their rule are left out."""

_BROKEN = "syntax-error"
_OF_COMMENTS = frozenset(["byte-order-mark", _BROKEN, "unused-suppression"])
"""Rules whose fixes may change comments."""

NetsOf = Callable[[str, bytes], Sequence[NamedNet]]
Agreed = Callable[[Offer, dict[str, bytes]], bool]
"""Whether an offer is to be made, given the texts that it changes."""


class Mended(NamedTuple):
    """What became of a job: the new texts of the files that changed, the fixes made, what is left, what to tell."""

    texts: dict[str, bytes]
    applied: list[Applied]
    outcome: Outcome
    notes: list[str]


class Hurdle(NamedTuple):
    """Why a fix is left out. alike: as others of its rule are, or one of them may be to blame."""

    reason: str
    alike: bool = False


class Dropped(NamedTuple):
    """A fix that would do harm: the texts for which that is known, and what to tell."""

    texts: dict[str, bytes]
    note: str


class Mender:
    """Mends jobs, one at a time.

    A fix in another file than `writable` is not made, and the file put into `not_named`; nor one in a file that
    `hurdle` objects to, and the file and the reason put into `closed`.
    """

    def __init__(
        self,
        config: Config,
        writable: Collection[str],
        *,
        unsafe: bool = False,
        least: str = "info",
        agreed: Agreed | None = None,
        hurdle: Callable[[str], str] | None = None,
    ):
        self.guard = Guard(config)
        self.not_named: set[str] = set()
        self.closed: dict[str, str] = {}
        self._config = config
        self._nets_of: NetsOf = partial(_nets_of, config.roots)
        self._writable = frozenset(writable)
        self._unsafe = unsafe
        self._least = rank(least)
        self._agreed = agreed
        self._hurdle = cache(hurdle or _none)
        self._provided = asked_for(config, writable)
        self._baseline = baseline.read(Path(config.baseline)) if config.baseline else None
        self._declined: Counter[tuple[str, ...]] = Counter()
        self._left: set[tuple[object, ...]] = set()
        self._readings = 0
        self._dropped: dict[tuple[str, ...], Dropped] = {}
        self._harmful: Counter[str] = Counter()

    @property
    def notes(self) -> list[str]:
        """What a person should hear of the files at large."""
        return [note for provider in self._provided.values() for note in provider.notes]

    def may_have_work(self, outcome: Outcome) -> bool:
        """Whether an earlier check of a job shows anything to fix."""
        return any(
            finding.fix(self._unsafe) or finding.name in self._provided for finding in self._concerned(outcome.findings)
        )

    def left(self, findings: Iterable[ReportedFinding]) -> Counter[str]:
        """How many findings keep a fix that was to be made, by the reason why it was not; for after the mending."""
        reasons: Counter[str] = Counter()
        for finding in self._concerned(findings, self._left):
            fix = finding.fix(self._unsafe)
            if fix is None:
                continue
            files = {file for file, _ in fix.edits}
            if files & self.not_named:
                reason = "in files that were not named"
            elif not files.isdisjoint(self.closed):
                reason = "in files that cannot be written"
            else:
                reason = AS_ANSWERED if self._agreed else "for the reason below"
            reasons[reason] += 1
        return reasons

    def mend(self, job: Job, texts: dict[str, bytes], found: Outcome | None = None) -> Mended:
        """`texts` holds the files of the job that can be read; `found` is what an earlier check of them gave.

        Comes to an end whatever the rules do: no rule changes twice what was written in its place (`Written`), and the
        texts are checked a few times at most (`READ_BYTES`).
        """
        self._dropped = {}
        self._harmful = Counter()
        self._nets_of = cache(partial(_nets_of, self._config.roots))  # both before and after a fix are asked for
        now, judged = texts, self.guard.judge(job, texts, found)
        findings = judged.outcome.findings
        size = sum(map(len, texts.values())) * (BROKEN if any(one.name == _BROKEN for one in findings) else 1)
        work = size + FINDING_BYTES * len(findings)
        self._readings = min(MOST_READINGS, max(LEAST_READINGS, READ_BYTES // max(1, work)))
        applied: list[Applied] = []
        written = Written()
        left: list[Offer] = []
        while True:
            offers = []
            for offer in self._offers(judged.outcome, now):
                if hurdle := self._hindered(offer, now, written, judged):
                    self._drop(offer, now, hurdle)
                else:
                    offers.append(offer)
            first = reading_first(offers)
            batch = pick(first, now, partial(self._agree, now, self._declined.copy()))
            if not batch and len(first) < len(offers):
                batch = pick(offers, now, partial(self._agree, now, self._declined.copy()))
            if not batch and self._retry(now):
                continue
            if not batch or self._readings <= 0:
                left = batch
                break
            before = now
            made, now, judged = self._sound(job, now, judged, batch)
            written.add(made, before)
            job = _renewed(job, texts, now, self._nets_of)
            applied += (offer.applied for offer in made)
        notes = list(dict.fromkeys(dropped.note for dropped in self._dropped.values()))
        if left:
            more = f"the fixes of {', '.join(sorted({offer.finding.name for offer in left}))} wait for another run"
            notes.append(f"{left[0].finding.file}: {more}, as they came up last")
        changed = {path: data for path, data in now.items() if data != texts.get(path)}
        self._left.update(_at(one) for one in self._concerned(judged.outcome.findings) if one.fix(self._unsafe))
        return Mended(changed, applied if changed else [], judged.outcome, notes)

    def _hindered(self, offer: Offer, texts: dict[str, bytes], written: Written, judged: Judged) -> Hurdle | None:
        """Why an offer is not even tried in these texts; None where nothing is known against it."""
        rule = offer.finding.name
        if self._harmful[rule] >= MOST_HARM:
            return Hurdle(f"{MOST_HARM} like them would do harm", alike=True)
        if broken := offer.broken(texts):
            return Hurdle(broken + _please_report(offer, judged))
        if objected := written.objection(offer):
            return Hurdle(objected.reason + _please_report(offer, judged) * objected.fault)
        if rule not in _OF_COMMENTS and (comment := offer.comment_lost(texts)):
            return Hurdle(f"it would remove the comment {comment}")
        return None

    def _agree(self, texts: dict[str, bytes], declined: Counter[tuple[str, ...]], offer: Offer) -> bool:
        """Whether to make an offer; nobody is asked again about as many of its like as were `declined` before."""
        if offer.identity in self._dropped:
            return False
        if declined[offer.identity]:
            declined[offer.identity] -= 1
            return False
        if self._agreed and not self._agreed(offer, texts):
            self._declined[offer.identity] += 1
            return False
        return True

    def _retry(self, now: dict[str, bytes]) -> bool:
        """Give what was dropped another chance in texts that have changed since; whether there is anything."""
        again = [identity for identity, dropped in self._dropped.items() if dropped.texts != now]
        for identity in again:
            del self._dropped[identity]
        return bool(again)

    def _sound(
        self, job: Job, texts: dict[str, bytes], before: Judged, batch: list[Offer]
    ) -> tuple[list[Offer], dict[str, bytes], Judged]:
        """The offers of a batch that do no harm, and what they make of the texts; the others are dropped.

        Where many do harm together, those near the harm are tried apart from the others.
        """
        made: list[Offer] = []
        dropped: list[tuple[Offer, Hurdle]] = []
        now, judged = texts, before
        pending = [(batch, "")]
        while pending:
            part, reason = pending.pop()
            part = [offer for offer in part if self._harmful[offer.finding.name] < MOST_HARM]
            if not part:
                continue
            if self._readings <= 0:
                hurdle = Hurdle(f"one of many that were left out would do harm: {reason}", alike=True)
                dropped += ((offer, hurdle) for offer in part)
                continue
            self._readings -= 1
            then = apply(texts, [*made, *part])
            gc.collect(0)  # the nets of the last reading, which are kept from the collector while they are made
            after = self.guard.judge(_renewed(job, texts, then, self._nets_of), then)
            harm = objection(judged, after, part)
            if not harm:
                made += part
                now, judged = then, after
            elif len(part) > 1:
                near, far = blamed(part, harm, then, [*made, *part])
                pending += ((near, harm.reason), (far, harm.reason))
            else:
                self._harmful[part[0].finding.name] += 1
                dropped.append((part[0], Hurdle(harm.reason + _please_report(part[0], judged))))
        for offer, hurdle in sorted(dropped, key=lambda pair: place(pair[0])):
            self._drop(offer, now, hurdle)
        return made, now, judged

    def _drop(self, offer: Offer, texts: dict[str, bytes], hurdle: Hurdle) -> None:
        finding = offer.finding
        note = f"{finding.file}:{finding.line}: the fix of {finding.name} ({offer.title}) was left out: {hurdle.reason}"
        if hurdle.alike:
            note = f"{finding.file}: other fixes of {finding.name} were left out: {hurdle.reason}"
        self._dropped[offer.identity] = Dropped(texts, note)

    def _concerned(
        self, findings: Iterable[ReportedFinding], also: Collection[tuple[object, ...]] = ()
    ) -> Iterator[ReportedFinding]:
        """The findings that are shown, neither in the baseline nor below the level; and those asked for by name.

        `also`: what else is, by `_at`, since a report shows of several that are alike only the first.
        """
        if self._baseline is not None and self._config.baseline:
            findings, _ = baseline.subtract(findings, self._baseline, Path(self._config.baseline))
        return (
            finding
            for finding in findings
            if rank(finding.severity) >= self._least or finding.name in self._provided or also and _at(finding) in also
        )

    def _offers(self, outcome: Outcome, texts: dict[str, bytes]) -> Iterator[Offer]:
        """One for each finding with a fix that may be made and changes something."""
        for finding in self._concerned(outcome.findings):
            offer = self._provide(finding, texts) if finding.name in PROVIDERS else self._offer(finding, texts)
            if offer is not None and offer.changes(texts):
                yield offer

    def _offer(self, finding: ReportedFinding, texts: dict[str, bytes]) -> Offer | None:
        fix = finding.fix(self._unsafe)
        if fix is None:
            return None
        edits = fix.by_file()
        if not self._open(edits, texts):
            return None
        fitting = {
            file: tuple(edit._replace(text=with_line_ends_of(texts[file], edit.text)) for edit in own)
            for file, own in edits.items()
        }
        return Offer(finding, fix.title, fix.safety, fitting)

    def _open(self, files: Iterable[str], texts: dict[str, bytes]) -> bool:
        """Whether all of these files may be changed."""
        may = True
        for file in files:
            if file not in self._writable or file not in texts:
                self.not_named.add(file)
                may = False
            elif reason := self._hurdle(file):
                self.closed[file] = reason
                may = False
        return may

    def _provide(self, finding: ReportedFinding, texts: dict[str, bytes]) -> Offer | None:
        """What a provider makes of the file, if its rule was asked for by name."""
        if finding.name not in self._provided:
            return None
        file = finding.file
        if not self._open([file], texts):
            return None
        provider = self._provided[finding.name]
        text = provider.rewrite(texts[file], file).decode("utf-8", "surrogateescape")
        return Offer(finding, provider.title, SAFE, {file: (Edit(0, len(texts[file]), text),)})


def _please_report(offer: Offer, judged: Judged) -> str:
    """Said of a fix that no rule should offer; in a text that is not read as it is meant it is no wonder."""
    return "" if judged.unread(offer.finding.file) else "; please report it"


def _at(finding: ReportedFinding) -> tuple[object, ...]:
    return finding.file, finding.line, finding.column, finding.name


def _none(path: str) -> str:
    return ""


def _nets_of(roots: list[str], path: str, data: bytes) -> tuple[NamedNet, ...]:
    return tuple(named_nets(path, roots, data))


def _renewed(job: Job, before: dict[str, bytes], texts: dict[str, bytes], nets_of: NetsOf) -> Job:
    """The job with the nets that its solvers name by now."""
    nets = dict(job.nets)
    files = dict.fromkeys(job.files)
    same = {os.path.realpath(file): file for file in job.files}
    for path in job.files:
        if texts.get(path) == before.get(path):
            continue
        named = nets_of(path, texts[path])
        if named == nets_of(path, before[path]):
            continue
        found = tuple(
            net._replace(path=same.setdefault(os.path.realpath(net.path), relative(net.path))) if net.path else net
            for net in named
        )
        if found:
            nets[path] = found
            files.update(dict.fromkeys(net.path for net in found if net.path))
        else:
            nets.pop(path, None)
    return job._replace(files=tuple(files), nets=tuple(nets.items()))
