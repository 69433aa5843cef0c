"""Reads a log of any length in chunks: one pattern over the bytes of each, never line by line.

Every message of glog follows "] ", which finds them at the speed of memchr; a log without such lines is read by the
same words at the start of a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from caffelint.evidence.log.endings import ending, is_end
from caffelint.evidence.log.growing import LONGEST_TEXT, NEXT_LINE, GrowingText
from caffelint.evidence.log.values import (
    LOSS,
    RATE,
    TEST,
    TRAIN,
    Line,
    Logged,
    Measured,
    Pass,
    Point,
    Series,
    Snapshot,
    Text,
    TrainingLog,
    iteration_of,
)

_NUMBER = re.compile(
    rb"\] {0,8}(?:\x1b\[\d{0,3}m)? {0,8}(?:Iteration (\d{1,18})(?:[ ,][^\n=\]]{0,120}?)??, (loss|lr) = "
    rb"([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|NaN|inf|1\.#[A-Z]+))(?=[\s,(;\x1b])"
    rb"|(Train|Test) net output #\d{1,9}: ([^\s=]+(?: [^\s=]+){0,4}) = "
    rb"([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|NaN|inf|1\.#[A-Z]+))(?=[\s,(;\x1b]))"
)
"""Numbers that are printed again and again; the words before "loss" are speeds, times and epochs of newer forks."""
_EVENT = re.compile(
    rb"\] (?! {0,8}(?:Train|Iteration \d{1,18}(?:, l| \()))"
    rb"(?:\[\d[\d.]{0,8}\] )?(?:\x1b\[\d{0,3}m)? {0,8}(?=[^ ])(?:Iteration \d{1,18}, Testing net|Test (?:score|loss)"
    rb"|Initializing (?:solver|net) from parameters|Snapshotting|Restoring previous solver|Resuming from"
    rb"|Finetuning from|(?:Copying|Ignoring) source layer|Creating [lL]ayer|Network initialization done"
    rb"|Optimization (?:Done|stopped early)|Data layer prefetch queue empty|Waiting for data|Top shape: \d"
    rb"|A total of \d"
    rb"|(?:\[debug_info\] )?\[(?:Forward|Backward|Update)\] [^\n:\]]{1,400}: "
    rb"(?:[^\n;:\]]{1,40}; diff: )?[-+]?(?:nan|inf|0|\d[\d.]*e\+\d+)[\s;])"
)
"""What else matters, of debug_info only lines that end in a conspicuous value. The commonest lines are ruled out first:
that halves the time of the search."""
_CONSPICUOUS = re.compile(rb" = [-+]?(?:[nNi]|1\.#|87\.33|\d[\d.]*e\+)")
"""A number that is not finite, huge, or the loss of a probability of 0."""
_TESTED = b"Test net output"
_PLAIN = re.compile(
    rb"^(?:\d{1,20} {1,4}[A-Z]{4,8}: [^\s:]{1,200} : line \d{1,9} : )?[ \t]{0,8}"
    rb"(?=Iteration \d|Train net output|Test net output|Snapshotting|Initializing |Test score)",
    re.M,
)
"""Lines without a prefix of glog: as pycaffe prints them, or with that of a logger of Windows or phones."""
_PREFIXED = re.compile(rb"^(?:\[[\d,]{1,9}\] ?)?[IWEF]\d{4}[^\n\]]{1,120}\] ", re.M)
_ITERATION = re.compile(rb"Iteration (\d{1,18})")
_TESTING = re.compile(rb"Iteration (\d{1,18}), Testing net \(#(\d{1,9})")
_SCORE = re.compile(rb"Test (?:score #(\d{1,9})|loss): ([-+\w.#]{1,60})\s")
_WEIGHT = re.compile(rb" \(\* ([-+\w.]{1,40}) = ")
_DEBUG = re.compile(
    r"\[(?P<way>Forward|Backward|Update)\] Layer (?P<names>[^\n:\]]+) (?:data|diff): (?P<value>[-+\w.]+)"
    r"(?:; diff: (?P<diff>[-+\w.]+))?"
)
_MEASURED = (", top ", ", bottom ", ", param ")
_SNAPSHOT = re.compile(r"(?P<state>solver ?state )?(?:to )?(?:binary proto |HDF5 )?(?:file )?(?P<path>[^ ].*)")
_NAME = re.compile(rb'layer \{\s{0,8}name: "([^"\n]{0,400})"')
_TIME = re.compile(rb"[IWEF](?:\d{4})?(\d\d)(\d\d) (\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)")
_MONTHS = (0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAY = 86400.0
_MOST_TEXT = 32 << 20
_MOST_OF_GLOG = 29_998
"""Bytes of a message, its prefix included, of which nothing was cut (kMaxLogMessageLen in logging.cc of glog)."""
_LONGEST_LINE = 1 << 20
_FAR = 20_000
"""Further from what is read of a line, nobody looks for its ends."""
_LONGEST_EVENT = 1000
_KEPT_LINE = 400
_DIGITS = 18
_MOST_RUNS = 1000
_MOST_SERIES = 2000
_MOST_PASSES = 6
_MOST_LINES = 200
_MOST_LAYERS = 20_000
_ALL = 100_000
"""So many numbers are looked at one by one; of a longer log, where that will do, a small part of each chunk."""
_QUIET = 64
_TAIL = 4096

Heard = Callable[[Logged, Series, Point], None]


class Reader:
    """Takes the bytes of a log as they come. heard: called with every number, of which then none is skipped."""

    def __init__(self, path: str, heard: Heard | None = None):
        self.log = TrainingLog(path)
        self.heard = heard
        self._rest = b""
        self._growing = GrowingText()
        self._cursor = 0, 1
        self._chunk = b""
        self._base = 1
        self._testing: int | None = None
        self._tested = 0
        self._day = -1.0
        self._pending: list[Measured] = []
        self._text_begun = False
        self._text_end = 0
        self._kept = 0
        self._of: Logged | None = None
        self._series: dict[tuple[bytes, bytes | None], Series] = {}

    def feed(self, data: bytes) -> None:
        """The next bytes; a line is read once its end is there, and a text once the line after it is."""
        if self._growing.begun:
            if not self._growing.may_end(data):
                return
            data = self._growing.taken()
        chunk = self._rest + data
        cut = chunk.rfind(b"\n") + 1
        if not cut and len(chunk) > _LONGEST_LINE:  # no line that Caffe writes
            self._rest = b""
            self.log.size += len(chunk)
            return
        self._rest = chunk[cut:]
        self._read(chunk[:cut])

    def end(self) -> TrainingLog:
        """All has come; of a last line that has no end, a number may be cut."""
        rest, self._rest = self._rest + self._growing.taken(), b""
        self._text_begun = True
        if rest:
            self._read(rest, whole=False)
        if self._pending:
            self._passed(None, self._testing is not None)
        self._base = self.log.lines + 1
        return self.log

    def _read(self, chunk: bytes, whole: bool = True) -> None:
        if b"from parameters" in chunk:
            cut = self._unfinished(chunk)
            if cut is not None:
                self._rest = chunk[cut:] + self._rest
                self._growing.begin(self._rest)
                chunk = chunk[:cut]
                if not cut:
                    return
        plain = b"Iteration " in chunk and not _PREFIXED.search(chunk)
        if plain:
            chunk = _PLAIN.sub(b"] ", chunk)
        self._chunk, self._cursor, self._text_end = chunk, (0, self._base), 0
        events = list(is_end(chunk))
        numbers = self._skimmed(chunk, events) if self.heard is None and self.log.numbers > _ALL else None
        if numbers is None:
            events += (one.start() for one in _EVENT.finditer(chunk))
            numbers = _NUMBER.finditer(chunk)
        self._in_order(numbers, events)
        newlines = chunk.count(b"\n")
        self._base += newlines
        self.log.lines += newlines + (not whole)
        self.log.size += len(chunk)

    def _skimmed(self, chunk: bytes, events: list[int]) -> Iterable[re.Match[bytes]] | None:
        """The numbers to read of a chunk of a long log, its events added to those; None where it is to be read whole:
        something that is not finite is new.
        """
        if _CONSPICUOUS.search(chunk) and not any(one.bad for one in self.log.runs[-1].series.values()):
            return None
        self.log.sampled = True
        begin = len(chunk) // _QUIET
        end = max(len(chunk) - _TAIL, begin)
        events += (one.start() for one in _EVENT.finditer(chunk))
        return chain(_NUMBER.finditer(chunk, 0, begin), _of_tests(chunk, begin, end), _NUMBER.finditer(chunk, end))

    def _in_order(self, numbers: Iterable[re.Match[bytes]], events: list[int]) -> None:
        events.sort(reverse=True)
        for one in numbers:
            while events and events[-1] <= one.start():
                self._event(events.pop())
            self._number(one)
        while events:
            self._event(events.pop())

    def _unfinished(self, chunk: bytes) -> int | None:
        """Where the line of a text begins whose end has not come yet."""
        at = chunk.rfind(b"from parameters")
        if self._text_begun or NEXT_LINE.search(chunk, at) or len(chunk) - at > LONGEST_TEXT:
            return None
        return chunk.rfind(b"\n", 0, at) + 1

    # Lines

    def _at(self, position: int) -> int:
        """The number of the line at a position; positions come in their order."""
        last, line = self._cursor
        if position >= last:
            line += self._chunk.count(b"\n", last, position)
            self._cursor = position, line
            return line
        return self._base + self._chunk.count(b"\n", 0, position)

    def _bounds(self, position: int) -> tuple[int, int]:
        far = max(0, position - _FAR)
        start = self._chunk.rfind(b"\n", far, position) + 1
        end = self._chunk.find(b"\n", position, position + _FAR)
        return start or far, min(len(self._chunk), position + _FAR) if end < 0 else end

    def _line(self, position: int) -> Line:
        start, end = self._bounds(position)
        text = self._chunk[start : min(end, start + _KEPT_LINE)].decode("utf-8", "replace").rstrip("\r")
        return Line(self._at(position), text.removeprefix("] "))

    def _seconds(self, position: int) -> float:
        """Since the run began; nan where the line carries no time."""
        start, _ = self._bounds(position)
        found = _TIME.search(self._chunk, start, start + 40)
        if found is None:
            return math.nan
        month, day, hour, minute, second = found.groups()
        days = _MONTHS[int(month) % len(_MONTHS)] + int(day)
        seconds = days * _DAY + int(hour) * 3600 + int(minute) * 60 + float(second)
        if seconds < self._day - _DAY / 2:  # another year
            seconds += 365 * _DAY * math.ceil((self._day - _DAY / 2 - seconds) / (365 * _DAY))
        self._day = seconds
        run = self._run(position)
        if math.isnan(run.first_seconds):
            run.first_seconds = seconds
        run.seconds = seconds - run.first_seconds
        return run.seconds

    def _run(self, position: int) -> Logged:
        if not self.log.runs:
            self.log.runs.append(Logged(self._at(position)))
        return self.log.runs[-1]

    def _begin(self, position: int) -> Logged:
        """A new run, unless nothing of the present one has been read."""
        run = self._run(position)
        if run.series or run.texts or run.ended or run.layers:
            if len(self.log.runs) >= _MOST_RUNS:
                del self.log.runs[_MOST_RUNS // 2]
            self.log.runs.append(Logged(self._at(position)))
            self._testing = None
            self._pending = []
        return self.log.runs[-1]

    # Numbers

    def _number(self, found: re.Match[bytes]) -> None:
        iterated, what, value, phase, name, given = found.groups()
        run = self.log.runs[-1] if self.log.runs else self._run(found.start())
        if what is not None:
            iteration = int(iterated)
            if what == b"loss":
                if run.iteration is not None and iteration < run.iteration and self._testing is None:
                    run = self._begin(found.start())
                self._testing = None
                if self._pending:
                    self._passed(iteration, False)
            run.iteration = iteration
            self._add(run, what, value, iteration, found)
        else:
            if phase == b"Test":
                name = b"%d %s" % (self._tested, name)
                if self._pending:
                    self._passed(self._testing, True)
            self._add(run, name, given, run.iteration or 0, found)

    def _new(self, run: Logged, key: bytes, found: re.Match[bytes]) -> Series | None:
        """A series of a name that was not read before; None where there are too many."""
        if len(run.series) >= _MOST_SERIES:
            return None
        if found[2] is not None:
            series = Series(TRAIN, LOSS if key == b"loss" else RATE)
        else:
            given = _WEIGHT.match(self._chunk, found.end())
            test = found[4] == b"Test"
            name = found[5].decode("utf-8", "replace")
            net = self._tested if test else 0
            series = Series(TEST if test else TRAIN, name, net, _value(given[1]) if given else None)
        run.series[series.phase, series.net, series.name] = series
        self._series[key, found[4]] = series
        return series

    def _add(self, run: Logged, key: bytes, text: bytes, iteration: int, found: re.Match[bytes]) -> None:
        if run is not self._of:
            self._of, self._series = run, {}
        series = self._series.get((key, found[4])) or self._new(run, key, found)
        if series is None:
            return
        value = _value(text)
        series.count = count = series.count + 1
        self.log.numbers += 1
        point = None
        if not -1e30 < value < 1e30:
            if series.bad is None:
                point = series.bad = self._point(iteration, value, found.start())
                run.conspicuous[series.phase, series.net, series.name] = series
        elif series.bad is None:
            series.good = iteration, value
        if 87.3355 < value < 87.3375:
            if series.clamped is None:
                point = series.clamped = point or self._point(iteration, value, found.start())
                run.conspicuous[series.phase, series.net, series.name] = series
        elif series.clamped is not None and value == value:
            series.clamped = None
        series.at = iteration
        if self.heard is not None or count == 1 or count % series.every == 0:
            point = point or self._point(iteration, value, found.start())
            if count == 1 or count % series.every == 0:
                series.keep(point)
            if self.heard is not None:
                self.heard(run, series, point)

    def _point(self, iteration: int, value: float, position: int) -> Point:
        line = Line(self._at(position)) if self.heard else self._line(position)
        return Point(iteration, value, line, self._seconds(position))

    # Everything else

    def _event(self, position: int) -> None:
        start, end = self._bounds(position)
        run = self._run(position)
        if position == start and self._ended(run, position):
            return
        raw = self._chunk[position : min(end, position + _LONGEST_EVENT)]
        message = raw[raw.find(b"] ") + 2 if b"] " in raw else 0 :].decode("utf-8", "replace").strip()
        if b"[Forward] " in raw or b"[Backward] " in raw or b"[Update] " in raw:
            self._debug(raw, position)
        elif b"from parameters" in raw:
            self._text(position, end, "solver" if b"Initializing solver" in raw else "net")
        else:
            self._told(message.removeprefix("\x1b[32m"), raw, run, position)

    def _ended(self, run: Logged, position: int) -> bool:
        """Whether the line that begins there tells of an end."""
        if len(run.ended) >= _MOST_LINES:
            return True
        found = ending(self._chunk, position, run, self._line(position))
        if found and not run.done:  # some builds crash when all is done
            run.ended.append(found)
        return found is not None

    def _told(self, message: str, raw: bytes, run: Logged, position: int) -> None:
        word, _, rest = message.partition(" ")
        if found := _TESTING.search(raw):
            if self._pending:
                self._passed(None, self._testing is not None)
            self._testing, self._tested = int(found[1]), int(found[2])
            run.iteration = self._testing
        elif score := _SCORE.search(raw + b"\n"):
            name = f"#{int(score[1])}" if score[1] else "loss"
            self._add_score(run, name, score[2], position)
        elif word == "Snapshotting":
            self._snapshot(run, rest, position)
        elif word in ("Restoring", "Resuming"):
            run.restored = message.rpartition(" from ")[2].strip(), self._line(position)
        elif word == "Finetuning":
            run = self._begin(position) if run.series else run
            if len(run.weights) < _MOST_LINES:
                run.weights.append((message.removeprefix("Finetuning from ").strip(), self._line(position)))
        elif message.startswith("Ignoring source layer "):
            # In a test it is a layer of the training net, whose weights the test net shares.
            if self._testing is None and len(run.ignored) < _MOST_LINES * 10:
                run.ignored.append((message.removeprefix("Ignoring source layer "), self._line(position)))
        elif message.startswith("Copying source layer "):
            if len(run.copied) < _MOST_LAYERS:
                run.copied.append(message.removeprefix("Copying source layer ").partition(" Type:")[0])
        elif message.lower().startswith("creating layer "):
            run.creating = message[len("creating layer ") :].partition("' of type")[0].strip("'")
            if word == "Creating" and message.startswith("Creating L") and len(run.layers) < _MOST_LAYERS:
                run.layers.append(run.creating)
        elif message.startswith("Top shape: "):
            run.shape(message.removeprefix("Top shape: "))
        elif message.startswith("A total of "):
            number = message.split()[3][:_DIGITS]
            run.images.setdefault(run.creating, int(number) if number.isdecimal() else 0)
        elif word == "Network":
            run.creating = ""
        elif word == "Optimization":
            run.stopped_early |= "stopped" in message
            run.done = True
            run.creating = ""
        elif message.startswith(("Data layer prefetch", "Waiting for data")):
            run.starvations += 1
            if len(run.starved) < _MOST_LINES:
                run.starved.append((run.iteration, self._line(position)))

    def _add_score(self, run: Logged, name: str, text: bytes, position: int) -> None:
        """The oldest Caffe numbers what a test net gives; `Test loss` is of all of its losses."""
        series = run.series.setdefault((TEST, self._tested, name), Series(TEST, name, self._tested))
        value = _value(text)
        point = Point(run.iteration or 0, value, self._line(position), self._seconds(position))
        series.count += 1
        self.log.numbers += 1
        if not math.isfinite(value):
            series.bad = series.bad or point
            run.conspicuous[series.phase, series.net, series.name] = series
        elif series.bad is None:
            series.good = point.iteration, value
        series.at = point.iteration
        series.keep(point)
        if self.heard:
            self.heard(run, series, point)

    def _snapshot(self, run: Logged, rest: str, position: int) -> None:
        found = _SNAPSHOT.match(rest)
        if found is None:
            return
        path = found["path"].strip()
        named = iteration_of(path)
        iteration = named if named is not None else run.iteration or 0
        run.snapshots.append(Snapshot(iteration, path, self._line(position), bool(found["state"])))
        if len(run.snapshots) > 10_000:
            del run.snapshots[1:5_000]

    def _text(self, position: int, end: int, kind: str) -> None:
        """Up to the next line of the log: glog writes a message at once."""
        run = self._begin(position) if kind == "solver" else self._run(position)
        if position < self._text_end:
            return
        closing = NEXT_LINE.search(self._chunk, end)
        self._text_end = stop = closing.start() + 1 if closing else len(self._chunk)
        data = self._chunk[end + 1 : stop].replace(b"\r\n", b"\n")
        if kind == "net" and _is_unrolled(data, run.creating):
            return
        printed = end - self._bounds(position)[0] + len(data)
        whole = data.count(b"{") == data.count(b"}") and data.endswith(b"\n") and printed < _MOST_OF_GLOG
        if data.strip() and len(run.texts) < 64 and not any(text.data == data for text in run.texts):
            run.texts.append(Text(kind, self._at(position) + 1, data, whole))
            self._keep_texts(len(data))

    def _keep_texts(self, size: int) -> None:
        """Of very many texts, keep those of the last run."""
        self._kept += size
        if self._kept > _MOST_TEXT:
            for run in self.log.runs[:-1]:
                run.texts = [one._replace(data=b"", whole=False) for one in run.texts]
            self._kept = sum(len(one.data) for one in self.log.runs[-1].texts)

    def _debug(self, raw: bytes, position: int) -> None:
        found = _DEBUG.search(raw.decode("utf-8", "replace"))
        if found is None or len(self._pending) >= _MOST_LINES:
            return
        layer, what, name = found["names"].rpartition(max(_MEASURED, key=found["names"].rfind))
        if not what:
            return
        line, what, name = self._line(position), what.strip(", "), name.removeprefix("blob ")
        for number in (found["value"], found["diff"]):
            value = _value(number.encode()) if number else 0.5
            if not 1e-30 < abs(value) < 1e6:
                self._pending.append(Measured(found["way"], layer, what, name, value, line))

    def _passed(self, iteration: int | None, testing: bool) -> None:
        """A pass is over. The first ones are kept, and the first that holds a value which is not finite."""
        run = self.log.runs[-1]
        one = Pass(iteration, testing, tuple(self._pending))
        self._pending = []
        if len(run.passes) < _MOST_PASSES or (one.first_bad() and not any(old.first_bad() for old in run.passes)):
            run.passes.append(one)


def _of_tests(chunk: bytes, begin: int, end: int) -> Iterator[re.Match[bytes]]:
    """The numbers of test nets between two positions."""
    at = chunk.find(_TESTED, begin, end)
    while at >= 0:
        start = chunk.rfind(b"]", begin, at)
        if start >= 0 and (found := _NUMBER.match(chunk, start)):
            yield found
        at = chunk.find(_TESTED, at + len(_TESTED), end)


def _is_unrolled(net: bytes, layer: str) -> bool:
    """Is it what a recurrent layer makes of itself? The names of its layers begin with its own (RecurrentLayer,
    LayerSetUp in recurrent_layer.cpp).
    """
    named = _NAME.search(net) if layer else None
    return named is not None and named[1].startswith(f"{layer}_".encode())


def _value(text: bytes) -> float:
    """As C, C++ and C# print it; -1.#IND and 1.#QNAN are what Windows prints."""
    try:
        return float(text)
    except ValueError:
        if b"#INF" in text:
            return -math.inf if text.startswith(b"-") else math.inf
        return math.nan
