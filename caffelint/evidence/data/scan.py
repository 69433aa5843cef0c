"""Reads sources whole, or a sample of them: in parts, by several processes, each part kept so that it is read once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.evidence.data.values import Facts, facts_of
from caffelint.lint import cache
from caffelint.lint.data_source import state_of
from caffelint.search_path import search_path
from caffelint.text.writing import temporary_folder

if TYPE_CHECKING:
    from caffelint.evidence.data.samples import Sample

_START = "import sys; sys.path[:] = {}; from caffelint.evidence.data.child import main; main()"
_MOST_JOBS = 64
_EARLY = 2
"""Processes that start before it is known how many are needed."""
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    # Memory of one batch is used again for the next, instead of given back to the system page by page.
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}
_TOLD = {"records", "bytes"}
"""What a child says before it answers."""

Heard = Callable[["Done"], None]


class Source(NamedTuple):
    """What to read. kind: lmdb, leveldb, images, windows or hdf5. options: of `records.Options`, as JSON."""

    kind: str
    path: str
    options: str

    @property
    def known_by_its_state(self) -> bool:
        """Does the state of the source show any change in what it holds? That of a list of images does not."""
        return self.kind in ("lmdb", "leveldb")


@dataclass
class Scanned:
    """facts: what was seen. parts: files of the digests of all records, in their order. error: why there is nothing.

    is_sample: were some of the records left out?
    """

    facts: Facts = field(default_factory=Facts)
    parts: list[Path] = field(default_factory=list)
    error: str = ""
    missing: str = ""
    is_sample: bool = False


class Done(NamedTuple):
    """How far the reading of all sources is. total: parts, or records where their number is known."""

    done: int
    total: int
    bytes: int


class _Part(NamedTuple):
    source: Source
    part: Any
    limit: int
    name: str
    digests: Path


class Scan:
    """Reads sources. jobs: processes at once. sample: how many records of each source; 0 for all. keep: results?

    whole: of a source of so many bytes at most all records are read, too. seconds: after so many no more is read, as
    one image may be named again and again; 0 for no end.
    """

    def __init__(
        self,
        jobs: int = 0,
        sample: int = 0,
        keep: bool = True,
        heard: Heard | None = None,
        whole: int = 0,
        seconds: float = 0,
    ):
        self.jobs = min(jobs or os.cpu_count() or 1, _MOST_JOBS)
        self.sample = sample
        self.whole = whole
        self.keep = keep
        self._heard = heard
        self._folder = temporary_folder()
        self._idle: SimpleQueue[_Child] = SimpleQueue()
        self._children: list[_Child] = []
        self._lock = threading.Lock()
        self._ended = False
        self._timer = threading.Timer(seconds, self.end) if seconds else None
        self._read: dict[str, tuple[int, int]] = {}
        self._done = 0, 0
        """Records and bytes that were read."""
        self._totals: dict[Source, int] = {}
        self._sampled: set[Source] = set()
        self._known: dict[Source, Scanned] = {}

    def __enter__(self) -> Scan:
        for _ in range(min(self.jobs, _EARLY)):
            self._idle.put(self._started())
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._timer:
            self._timer.cancel()
        self.end()
        self._folder.cleanup()

    @property
    def is_ended(self) -> bool:
        return self._ended

    def end(self) -> None:
        """Read no more; whoever waits for a part gets none."""
        with self._lock:
            self._ended = True
        for child in self._children:
            child.end()

    def read(self, sources: Sequence[Source]) -> dict[Source, Scanned]:
        """What is in each of them; what was read before is not read again."""
        found = {source: Scanned() for source in sources if source not in self._known}
        parts = [part for source in found for part in self._planned(source, found[source])]
        executor = ThreadPoolExecutor(self.jobs)
        try:
            for part, answer in zip(parts, executor.map(self._part, parts), strict=True):
                self._join(found[part.source], part, answer)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
        if self._ended:
            return self._known | found
        self._sampled |= {source for source, scanned in found.items() if scanned.is_sample}
        for source, scanned in found.items():
            scanned.facts.total = self._totals.get(source) or (0 if scanned.is_sample else scanned.facts.records)
        self._forget(part for part in parts if not part.source.known_by_its_state)
        for source, scanned in found.items():
            if self.keep and not self.sample and not scanned.error and source.known_by_its_state:
                cache.store_value(_whole(source), {"facts": scanned.facts.as_json()})
        self._known |= found
        return {source: self._known[source] for source in sources}

    def name(self, source: Source, number: int) -> str:
        """What a record is called, by its number among those that were read."""
        if source in self._sampled:
            return f"record {number} of the sample"
        answer = self._ask({**_question(source), "number": number})
        return str(answer.get("name", f"record {number}"))

    def samples(self, source: Source, transform: str, phase: str, count: int, named: Sequence[str]) -> list[Sample]:
        """Records as the net sees them: some that are evenly spread, and those that are named."""
        from caffelint.evidence.data.samples import loaded, question_of

        out = str(Path(self._folder.name, "samples.npz"))
        question = question_of(source.options, transform, phase, count, named, out)
        answer = self._ask({**_question(source), **question})
        return loaded(out, answer) if "samples" in answer else []

    def _planned(self, source: Source, scanned: Scanned) -> list[_Part]:
        sample = self.sample
        answer = self._ask({**_question(source), "part": None, "sample": sample})
        total, size = answer.get("total", 0), answer.get("bytes", self.whole + 1)
        if 0 < total <= sample or total and size <= self.whole:
            sample = 0
            answer = self._ask({**_question(source), "part": None, "sample": sample})
        if "error" in answer:
            scanned.error, scanned.missing = answer["error"], answer.get("missing", "")
            return []
        self._totals[source] = answer["total"]
        parts = answer["parts"]
        limit = -(-sample // len(parts)) if sample else 0
        if sample and len(parts) > sample:
            parts = [parts[number * len(parts) // sample] for number in range(sample)]
            scanned.is_sample = True
        state = repr((state_of(source.path), sample)).encode(errors="surrogateescape")
        found = []
        for part in parts:
            name = cache.key(b"data", [("part", state), ("question", repr((source, part, limit)).encode())])
            folder = cache.folder() / name[:2] if self.keep else Path(self._folder.name)
            found.append(_Part(source, part, limit, name, folder / f"{name}.digests"))
        return found

    def _part(self, part: _Part) -> dict[str, Any]:
        kept = cache.load_value(part.name) if self.keep and part.digests.is_file() else None
        if isinstance(kept, dict) and "facts" in kept:
            self._tell(part.name, kept["facts"]["records"], kept["facts"]["bytes"])
            return kept
        if self.keep:
            part.digests.parent.mkdir(parents=True, exist_ok=True)
        question = {**_question(part.source), "part": part.part, "limit": part.limit, "digests": str(part.digests)}
        answer = self._ask(question, lambda told: self._tell(part.name, told["records"], told["bytes"]))
        if "facts" in answer:
            self._tell(part.name, answer["facts"]["records"], answer["facts"]["bytes"])
            if self.keep:
                cache.store_value(part.name, answer)
        return answer

    def _join(self, scanned: Scanned, part: _Part, answer: Mapping[str, Any]) -> None:
        if "facts" in answer:
            facts = facts_of(answer["facts"])
            for top in facts.tops.values():
                top.inside = top.changes
            scanned.facts.join(facts)
            scanned.is_sample |= bool(part.limit) and answer["facts"]["records"] >= part.limit
            scanned.parts.append(part.digests)
        elif "missing" in answer:
            scanned.error, scanned.missing = answer["error"], answer["missing"]
        else:
            scanned.facts.stopped = scanned.facts.stopped or answer["error"]

    def _ask(self, question: Mapping[str, Any], heard: Callable[[Any], None] | None = None) -> dict[str, Any]:
        try:
            child = self._idle.get_nowait()
        except Empty:
            child = self._started()
        if self._ended:
            child.end()
            return {"error": "was not read to its end"}
        answer = child.ask(question, heard)
        if child.lives:
            self._idle.put(child)
        return answer

    def _started(self) -> _Child:
        child = _Child()
        with self._lock:
            self._children.append(child)
        return child

    def _tell(self, name: str, records: int, size: int) -> None:
        with self._lock:
            before = self._read.get(name, (0, 0))
            self._read[name] = records, size
            self._done = self._done[0] + records - before[0], self._done[1] + size - before[1]
            if self._heard is not None:
                self._heard(Done(self._done[0], sum(self._totals.values()), self._done[1]))

    def _forget(self, parts: Any) -> None:
        for part in parts:
            if self.keep:
                (cache.folder() / part.name[:2] / part.name).unlink(missing_ok=True)


def kept(source: Source) -> Scanned | None:
    """What an earlier run read of the whole source, if it has not changed since; without digests."""
    found = cache.load_value(_whole(source)) if source.known_by_its_state else None
    try:
        return Scanned(facts_of(found["facts"])) if found else None
    except (TypeError, ValueError, LookupError):
        return None


def _whole(source: Source) -> str:
    """The name under which what is in a source is kept."""
    state = repr(state_of(source.path)).encode(errors="surrogateescape")
    return cache.key(b"data", [("whole", state), ("source", repr(source).encode(errors="surrogateescape"))])


class _Child:
    """A process that reads."""

    def __init__(self) -> None:
        environment = {**os.environ, **_ENVIRONMENT}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(repr(search_path()))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: Mapping[str, Any], heard: Callable[[Any], None] | None = None) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                answer: dict[str, Any] = json.loads(line)
                if not answer.keys() <= _TOLD:
                    return answer
                if heard is not None:
                    heard(answer)
        except (OSError, ValueError):
            pass
        return {"error": f"is damaged: reading it {_ending(self._process.wait())}"}

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue


def _ending(status: int) -> str:
    if status < 0:
        try:
            return f"ended with {signal.Signals(-status).name}"
        except ValueError:
            pass
    return f"ended with exit status {status}"


def _question(source: Source) -> dict[str, Any]:
    return {"kind": source.kind, "path": source.path, "options": json.loads(source.options)}
