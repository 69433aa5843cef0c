"""Fix all prototxt files below a folder in memory, and hold every fix against what fixes promise; nothing is written.

Of each step from one text to the next: bytes outside the edits stay, comments stay, the message differs only in
fields that the edits touch. Of the whole: a second run changes nothing, what was fixed is gone, no error appeared
where Caffe read the file before. Prints what does not hold, the figures by rule, and the diffs of some files.

    tools/fixcheck.py DIR [--unsafe] [--diffs N] [--sample N]
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from caffelint.fix.diff import diff
from caffelint.fix.guard import Guard
from caffelint.fix.mend import Mended, Mender
from caffelint.fix.pick import Offer
from caffelint.lint.config import Config
from caffelint.lint.engine import planned
from caffelint.lint.file import load
from caffelint.lint.plan import Job
from caffelint.lint.read import ReadError, read
from caffelint.text.edits import Edit

READING = frozenset(["syntax-error", "byte-order-mark", "unreadable-character", "merge-conflict-marker"])
"""Rules whose fixes change how the rest of the text is read: of them the bytes and comments are held alone."""
OF_COMMENTS = frozenset(["unused-suppression", "syntax-error", "byte-order-mark"])
"""Rules whose fixes may change comments."""


class Step(NamedTuple):
    """The texts before and after some fixes."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    made: list[Offer]


class Watched(Mender):
    """Mends, and remembers each step."""

    def __init__(self, config: Config, writable: Iterable[str], unsafe: bool):
        super().__init__(config, list(writable), unsafe=unsafe)
        self.steps: list[Step] = []

    def mend(self, job: Job, texts: dict[str, bytes]) -> Mended:
        self.steps = []
        return super().mend(job, texts)

    def _sound(self, job: Job, texts: dict[str, bytes], *rest: Any) -> Any:
        made, now, judged = super()._sound(job, texts, *rest)
        self.steps.append(Step(texts, now, made))
        return made, now, judged


class Held(NamedTuple):
    """What became of some files: how they were mended, what does not hold, and the errors that came to light.

    A fix that was dropped does no harm and is reported in `mended.notes`; rules that fight are wrong.
    """

    mended: Mended
    wrong: list[str]
    revealed: list[str]


def hold(job: Job, texts: dict[str, bytes], config: Config, unsafe: bool) -> Held:
    """Mend the files of a job, and say what does not hold."""
    mender = Watched(config, texts, unsafe)
    mended = mender.mend(job, texts)
    waits = [note for note in mended.notes if "has just written" in note or "another run" in note]
    waits += [note for note in mended.notes if "was left out: it would cause" in note]
    wrong = [f"note: {note}" for note in mended.notes if note not in waits]
    for step in mender.steps:
        wrong += _step(step)
    final = texts | mended.texts
    again = Watched(config, texts, unsafe).mend(job, final)
    if again.texts and not waits:
        wrong.append(f"a second run changes {', '.join(again.texts)}")
    left = {(finding.file, finding.name, finding.layer, finding.message) for finding in mended.outcome.findings}
    for step in mender.steps:
        for offer in step.made:
            finding = offer.finding
            if (finding.file, finding.name, finding.layer, finding.message) in left:
                wrong.append(f"{finding.file}: {finding.name} is still there: {finding.message}")
    guard = Guard(config)
    new = guard.judge(job, final).errors - guard.judge(job, texts).errors
    return Held(mended, wrong, [f"{file}: {name} {key}" for file, name, key in new])


def _step(step: Step) -> Iterator[str]:
    rules = {offer.finding.name for offer in step.made}
    for path, old in step.before.items():
        new = step.after[path]
        edits = sorted({edit for offer in step.made for edit in offer.edits.get(path, ())})
        inserted = _inserted(edits)
        if _outside(old, edits) != _outside(new, inserted):
            yield f"{path}: bytes outside the edits of {rules} changed"
            continue
        if not rules & OF_COMMENTS and (lost := _comments(old) - _comments(new)):
            yield f"{path}: {rules} lost comments: {list(lost)}"
        if rules & READING or old == new:
            continue
        touched = _names(old, path, edits) | _names(new, path, inserted)
        before, after = _leaves(old, path), _leaves(new, path)
        if foreign := {name for name, _ in (before - after) + (after - before) if not touched & set(name.split("."))}:
            yield f"{path}: {rules} changed {sorted(foreign)}, and touched {sorted(touched)}"


def _inserted(edits: list[Edit]) -> list[Edit]:
    """The edits as they stand in the new text."""
    moved, found = 0, []
    for edit in edits:
        length = len(edit.text.encode("utf-8", "surrogateescape"))
        found.append(Edit(edit.start + moved, edit.start + moved + length, ""))
        moved += length - (edit.end - edit.start)
    return found


def _outside(data: bytes, edits: list[Edit]) -> list[bytes]:
    places = [0, *(place for edit in edits for place in (edit.start, edit.end)), len(data)]
    return [data[start:end] for start, end in zip(places[::2], places[1::2], strict=True)]


def _comments(data: bytes) -> Counter[str]:
    document = load(data).document
    return Counter(document.source.text[start:end].rstrip() for start, end in document.comments())


def _names(data: bytes, path: str, edits: list[Edit]) -> set[str]:
    """The names of the fields that edits touch, of a block where they touch its name."""
    found = set()
    for field in load(data, path).document.root.walk():
        end = field.value_start if field.fields else field.end + 1
        if field.name and any(edit.start < end and field.start < edit.end + (not field.fields) for edit in edits):
            found.add(field.name)
    return found


def _leaves(data: bytes, path: str) -> Counter[tuple[str, str]]:
    """The names and values of all that is set in a file's message."""
    bound = load(data, path).bound
    return Counter(_flat(bound.message, "")) if bound else Counter()


def _flat(message: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        name = f"{prefix}{field.name}"
        for each in [value] if isinstance(value, str | bytes | int | float) or hasattr(value, "ListFields") else value:
            if hasattr(each, "ListFields"):
                yield from _flat(each, f"{name}.")
            else:
                yield name, repr(each)


def texts_of(job: Job) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in job.files:
        try:
            found[path] = read(path)
        except ReadError:
            continue
    return found


def _show(old: Mapping[str, bytes], mended: Mended) -> None:
    for path, new in mended.texts.items():
        sys.stdout.write(diff(path, old[path], new).decode("utf-8", "replace"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--unsafe", action="store_true", help="apply unsafe fixes, too")
    parser.add_argument("--diffs", type=int, default=0, metavar="N", help="show the diffs of N changed files")
    parser.add_argument("--sample", type=int, metavar="N", help="look at N of the jobs alone")
    parser.add_argument("--select", action="append", default=[], help="run these rules alone")
    arguments = parser.parse_args()
    config = Config()
    config.cache, config.select = False, arguments.select
    jobs = planned([arguments.folder], config, None, {}).jobs
    chosen = random.Random(1)
    if arguments.sample:
        jobs = chosen.sample(jobs, min(arguments.sample, len(jobs)))
    counts: Counter[str] = Counter()
    applied: Counter[tuple[str, str]] = Counter()
    changed: list[tuple[dict[str, bytes], Mended]] = []
    started = time.monotonic()
    for job in jobs:
        texts = texts_of(job)
        counts["files"] += len(texts)
        if not Mender(config, texts, unsafe=arguments.unsafe).mend(job, texts).texts:
            continue
        held = hold(job, texts, config, arguments.unsafe)
        counts["changed files"] += len(held.mended.texts)
        applied.update((made.name, made.safety) for made in held.mended.applied)
        changed.append((texts, held.mended))
        for line in held.mended.notes:
            counts["notes"] += 1
            print(f"note: {line}")
        for line in held.wrong:
            counts["what does not hold"] += 1
            print(f"WRONG {line}")
        for line in held.revealed:
            counts["errors that came to light"] += 1
            print(f"came to light: {line}")
    for texts, mended in chosen.sample(changed, min(arguments.diffs, len(changed))):
        _show(texts, mended)
    for (name, safety), number in applied.most_common():
        print(f"{number:6} {safety:7} {name}")
    print(", ".join(f"{number} {name}" for name, number in counts.items()), f"in {time.monotonic() - started:.0f} s")
    return int(bool(counts["what does not hold"]))


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    sys.exit(main())
