"""What a log says, as values: runs, their outputs, the texts they print, and what ended them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.caffe.shapes import MAX_AXES, Shape

TRAIN, TEST = "train", "test"
LOSS, RATE = "", "lr"
"""Names of what is printed beside the outputs: the smoothed loss, the learning rate."""
FORWARD, BACKWARD, UPDATE = "Forward", "Backward", "Update"
CLAMPED = 87.3365
"""-log(FLT_MIN), as Caffe prints it: the loss of a probability of 0."""
CHECK, TEXT, MEMORY, CUDA, GPU = "check", "text", "memory", "cuda", "gpu"
DATA, COPY, STATE, DISK, KILLED, RAISED, SIGNAL = "data", "weights", "state", "disk", "killed", "raised", "signal"
AT_EXIT = "at exit"
"""What ends a run: a failed check, a text that protobuf cannot read, too little memory, an error of CUDA, no GPU that
can be used, data that cannot be read, weights or a state that do not fit, a snapshot that cannot be written, another
process, an exception of Python, a signal, the GPU that is let go of after the end."""
_NUMBERED = re.compile(r"_iter_(\d{1,18})(?:\.|$)")
_KEPT = 2048
_LONGEST = 200
_MOST = 20_000


class Line(NamedTuple):
    """A line of the log: its 1-based number and its text, "" where that is not kept."""

    number: int
    text: str = ""


class Point(NamedTuple):
    """A number of the log. seconds: since the run began, nan where its lines carry no time."""

    iteration: int
    value: float
    line: Line
    seconds: float = math.nan


class Series:
    """The numbers printed under one name: all of them while they are few, then every 2nd, every 4th and so on.

    count: all that were read. at: the iteration of the last. good: iteration and value of the last before the first bad
    one. bad: the first that is nan, inf
    or larger than a loss can be. clamped: the first of the last unbroken stretch at 87.3365. weight: the loss weight,
    None for what is no loss.
    """

    def __init__(self, phase: str, name: str, net: int = 0, weight: float | None = None):
        self.phase = phase
        self.name = name
        self.net = net
        self.weight = weight
        self.points: list[Point] = []
        self.count = 0
        self.every = 1
        self.bad: Point | None = None
        self.good: tuple[int, float] | None = None
        self.clamped: Point | None = None
        self.at = 0

    def keep(self, point: Point) -> None:
        if len(self.points) >= _KEPT:
            del self.points[1::2]
            self.every *= 2
        self.points.append(point)

    @property
    def values(self) -> list[float]:
        return [point.value for point in self.points]

    @property
    def finite(self) -> list[Point]:
        return [point for point in self.points if math.isfinite(point.value)]


class Text(NamedTuple):
    """A prototxt that Caffe printed: `kind` "solver" or "net"; `line` of the log that holds its first line.

    whole: False where it breaks off, as glog does after 30,000 bytes.
    """

    kind: str
    line: int
    data: bytes
    whole: bool


def iteration_of(path: str) -> int | None:
    """That of a snapshot, as its name says it (Solver::SnapshotFilename)."""
    found = _NUMBERED.search(path)
    return int(found[1]) if found else None


class Snapshot(NamedTuple):
    """iteration: as the name says it, else the last one printed."""

    iteration: int
    path: str
    line: Line
    is_state: bool


class Measured(NamedTuple):
    """A line of `debug_info`: the mean of absolute values. what: "top", "bottom", "param". name: blob or number."""

    way: str
    layer: str
    what: str
    name: str
    value: float
    line: Line


class Pass(NamedTuple):
    """The conspicuous lines of one pass with `debug_info`: nan, inf, 0 and 1e6 or more, in the order of the log.

    iteration: None where the run ended before it was printed. testing: the pass of a test net.
    """

    iteration: int | None
    testing: bool
    lines: tuple[Measured, ...]

    def first_bad(self) -> Measured | None:
        return next((one for one in self.lines if not math.isfinite(one.value)), None)


class Ended(NamedTuple):
    """Why a run ended. kind: one of the above.

    at: file and line of Caffe. layer: the layer that was made last, "" if the net had been loaded.
    """

    kind: str
    message: str
    at: str
    layer: str
    line: Line


class Logged:
    """One run of Caffe, from the solver's text on, or from the first line of a log that begins later.

    images: how many a layer reads, by its name, of the training net first. conspicuous: the series that were ever bad
    or clamped.
    """

    def __init__(self, line: int):
        self.line = line
        self.texts: list[Text] = []
        self.series: dict[tuple[str, int, str], Series] = {}
        self.conspicuous: dict[tuple[str, int, str], Series] = {}
        self.snapshots: list[Snapshot] = []
        self.passes: list[Pass] = []
        self.ended: list[Ended] = []
        self.ignored: list[tuple[str, Line]] = []
        self.copied: list[str] = []
        self.weights: list[tuple[str, Line]] = []
        self.restored: tuple[str, Line] | None = None
        self.layers: list[str] = []
        self.shapes: dict[str, list[Shape]] = {}
        self.images: dict[str, int] = {}
        self.creating = ""
        self.starved: list[tuple[int | None, Line]] = []
        self.starvations = 0
        self.done = False
        self.stopped_early = False
        self.iteration: int | None = None
        self.first_seconds = math.nan
        self.seconds = math.nan

    def shape(self, printed: str) -> None:
        """Add the shape of a top of the layer that is being made: `64 3 28 28 (150528)`. Of layers of one name, that of
        the training net comes first."""
        sizes = tuple(int(size) for size in printed[:_LONGEST].partition("(")[0].split() if size.isdecimal())
        if not self.creating or not 0 < math.prod(sizes) < 1 << 31 or len(sizes) > MAX_AXES:
            return
        if len(self.shapes) < _MOST or self.creating in self.shapes:
            tops = self.shapes.setdefault(self.creating, [])
            if len(tops) < _MOST:
                tops.append(sizes)

    def of(self, phase: str, name: str, net: int = 0) -> Series | None:
        return self.series.get((phase, net, name))

    @property
    def loss(self) -> Series | None:
        """The smoothed loss; the first loss that the train net prints where there is no other."""
        found = self.of(TRAIN, LOSS)
        if found is not None:
            return found
        return next((one for one in self.outputs(TRAIN) if one.weight), None)

    @property
    def resumed_at(self) -> int:
        """The iteration of the state that it went on from; 0 where nothing tells it."""
        return (iteration_of(self.restored[0]) if self.restored else None) or 0

    @property
    def rate(self) -> Series | None:
        return self.of(TRAIN, RATE)

    def outputs(self, phase: str) -> Iterator[Series]:
        """What the nets print under a name of its own."""
        for one in self.series.values():
            if one.phase == phase and one.name not in (LOSS, RATE):
                yield one

    def rate_at(self, iteration: int) -> Point | None:
        """The rate that was printed last up to an iteration."""
        found = self.rate
        before = [point for point in found.points if point.iteration <= iteration] if found else []
        return before[-1] if before else None

    def text(self, kind: str) -> Text | None:
        return next((text for text in self.texts if text.kind == kind), None)


class TrainingLog:
    """A log as it was read. lines, size: how long it is. skipped: numbers that were not looked at one by one."""

    def __init__(self, path: str):
        self.path = path
        self.runs: list[Logged] = []
        self.lines = 0
        self.size = 0
        self.numbers = 0
        self.sampled = False

    @property
    def run(self) -> Logged | None:
        """The last run."""
        return self.runs[-1] if self.runs else None
