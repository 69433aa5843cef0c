"""What an engine reports of a run: one JSON object a line on stdout, its kind under `event`.

Numbers may be nan or infinite: they are written as Python's json does (NaN, Infinity, -Infinity). An engine keeps
stdout for events alone: what layers or libraries print goes to stderr (`claim_stdout`). Events that say why a run
ended: `done`, `non_finite`, `refused`, `python_layer`, `out_of_memory` from an engine, and `timed_out`, `crashed` from
its parent. `done` comes last if the child ended by itself and was not refused, also after `non_finite`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from caffelint.smoke.alike import ALIKE, Alike
from caffelint.smoke.pulled import DOINGS, Doing
from caffelint.smoke.scanned import Scanned

FORWARD, BACKWARD, UPDATE, RATE = "forward", "backward", "update", "rate"
BLOB, PARAM = "blob", "param"
DATA, DIFF, CHANGE = "data", "diff", "update"
LACKS, UNKNOWN, NO_GPU = "lacks", "unknown", "no gpu"
"""Of `Refused`: the engine lacks what the net uses, no fault of the net; no such type or field; no use of the GPU."""
WEIGHTS, BLOBS, GRADIENTS, BUFFERS = "weights", "blobs", "gradients", "buffers"
"""Of `OutOfMemory`."""
NOT_FINITE, EXTREME, LABEL = "not finite", "extreme", "label"
"""Of `BadRecord`."""


class Loaded(NamedTuple):
    """A net was built. layers, blobs: how many, Caffe's splits included. parameters: learnable numbers in it.

    shapes: of the blobs that layers without bottoms make.
    """

    net: int
    phase: str
    layers: int
    blobs: int
    parameters: int
    shapes: Mapping[str, Sequence[int]] = {}


class Creating(NamedTuple):
    """This layer of a net is set up next, which may end the process; layer "" at the start of a net."""

    net: int
    layer: str


class Iteration(NamedTuple):
    """An iteration is over; `loss` is that of its forward pass, before the update.

    rate: the one that was used; 0 at iteration -1. loss: the sum of loss_weight * value over all tops with a
    loss_weight, the mean over iter_size passes where the engine has it, else that of the last. losses: the value of
    each such top, unweighted, and of the net's other outputs with one value, by blob name.
    """

    iteration: int
    rate: float
    loss: float
    losses: Mapping[str, float]


class Statistics(NamedTuple):
    """Numbers of a blob or a parameter at an iteration.

    kind: `blob` (name: the blob's) or `param` (name: its index in the layer, as text). layer: the one that writes the
    blob's last version, or owns the parameter; for a shared parameter its owner. part: `data`, `diff` (the gradient) or
    `update` (what the iteration took off the parameter). std: root mean square about the mean. zeros: share of exact
    zeros. tiny: share of values so small that they are no normal float32; 0 where a value is above 1e-30. min and max
    are of the finite values; nan if there is none. same: are there several items along the first axis, and are all of
    them equal but for rounding?
    """

    iteration: int
    layer: str
    kind: str
    name: str
    part: str
    min: float
    max: float
    mean: float
    std: float
    zeros: float
    tiny: float = 0.0
    same: bool = False


class LossGradient(NamedTuple):
    """Of several losses, one alone, before any update. loss: its top. sizes: the length of the gradient, loss weight
    included, that it gives the first parameter of each layer.
    """

    loss: str
    sizes: Mapping[str, float]


class NonFinite(NamedTuple):
    """The first value that is nan or infinite, in Caffe's order of computing; the run ends with it.

    where: `forward` (a blob's data), `backward` (a blob's or parameter's diff), `update` (gradients are finite and a
    parameter is not, after the update) or `rate` (the rate itself; no layer). net: index into `Job.nets`.
    layer: the layer, as the user's net names it, that wrote the value. kind, name: as in `Statistics`. nan, inf,
    size: how many of its values are nan, infinite, and how many there are. min, max: of the finite ones.
    inputs: least and greatest value, and count of those that are not finite, of what the layer read, by blob name: its
    bottoms' data, in backward its tops' diffs as `NAME diff`. For evidence such as "log of -0.2".
    rate: of the iteration; the run before it used finite ones.
    rows: the first of those along a blob's first axis that hold such a value. batch: which batch of its data the net
    had read, counted from 0; -1 if that is not known. said, file, line: of a Python layer, what numpy says of the
    computation that gives it, and where that is in the user's code.
    """

    iteration: int
    net: int
    where: str
    layer: str
    kind: str
    name: str
    nan: int
    inf: int
    size: int
    min: float
    max: float
    rate: float
    inputs: Mapping[str, tuple[float, float, int]]
    rows: Sequence[int] = ()
    batch: int = -1
    said: str = ""
    file: str = ""
    line: int = 0


class Tested(NamedTuple):
    """A TEST net ran on what was trained: mean of each output over its passes, and the loss as in `Iteration`.

    same_batch: whether it saw the batch that the TRAIN net was trained on (synthetic data of one shape).
    seconds: of the passes, 0 if not known.
    """

    net: int
    iterations: int
    loss: float
    outputs: Mapping[str, float]
    same_batch: bool
    seconds: float = 0.0


class Refused(NamedTuple):
    """The engine does not take the solver, a net or the weights: `message` is its own, `layer` "" where it names none.

    during: `load`, `weights`, or `run` where a check failed only when values came in. net: -1 for none.
    kind: LACKS, UNKNOWN, NO_GPU, or "". line: of the copy of the net, of the solver where net is -1, which are those of
    the user's own texts; 0 for none. field: of the solver, that it is about.
    """

    net: int
    layer: str
    message: str
    during: str
    kind: str = ""
    line: int = 0
    field: str = ""


class BadWeights(NamedTuple):
    """A parameter that was loaded holds what no training gives: values that are not finite, or variances below 0.

    param: its number in the layer. bad: how many of its `size` values. negative: are they variances?
    """

    layer: str
    param: int
    bad: int
    size: int
    negative: bool


class WithoutGpu(NamedTuple):
    """The run is on the CPU, and with what it runs on, no GPU could be used. why: in words."""

    why: str


class PythonLayer(NamedTuple):
    """A Python layer raised: the last line of the traceback, and the place in the layer's own file."""

    layer: str
    message: str
    file: str
    line: int


class Spent(NamedTuple):
    """The seconds that a Python layer of the user took so far, of `whole`. idle: those of them in which its thread
    neither computed nor waited for a CPU. calls: of forward. file, line: where its code was in a long one, "" and 0
    where that is not known.
    """

    layer: str
    calls: int
    seconds: float
    idle: float
    whole: float
    file: str = ""
    line: int = 0


class Warned(NamedTuple):
    """Numpy, or another, gave a RuntimeWarning for a line of the user's own code, as of a division by 0."""

    said: str
    file: str
    line: int


class Running(NamedTuple):
    """With `Job.trace`: this layer runs next. where: `forward`, `backward`, or `update` without a layer."""

    net: int
    layer: str
    where: str
    iteration: int


class OutOfMemory(NamedTuple):
    """message: the library's own. most: what takes most, as WEIGHTS or BLOBS; "" where not known."""

    message: str
    device: str
    most: str = ""


class TimedOut(NamedTuple):
    """The child was ended after so many seconds.

    file, line, function: of the user's own code, where it was found most often, "" if it was not; calls: what that
    called, "" for nothing. found: how often, of so many looks. cpu: cores that it took at the end, -1 if not known.
    raised: what ended a thread of the user's own before, raised_in, raised_at: file and line of that.
    """

    seconds: float
    file: str = ""
    line: int = 0
    function: str = ""
    calls: str = ""
    found: int = 0
    looks: int = 0
    cpu: float = -1.0
    raised: str = ""
    raised_in: str = ""
    raised_at: int = 0


class Crashed(NamedTuple):
    """The child ended without sending an event. status: exit status, or minus the signal; text: end of its stderr.

    said: its last line that is not from a log. unseen: did the command not find the job at all?
    """

    status: int
    text: str
    said: str = ""
    unseen: bool = False


class RateFound(NamedTuple):
    """The result of a search for the rate (find_lr.py); from the command, not from an engine.

    largest: the largest base_lr at which the run stayed finite, 0 if none did. suggested: one at which the net learns,
    0 if there is none. trials: each rate, whether the run stayed finite, and its last loss. idle: why the net learns
    nothing at the solver's own rate, or at any where none is suggested; "" if it learns.
    """

    largest: float
    suggested: float
    runs: int
    trials: Sequence[tuple[float, bool, float]] = ()
    idle: str = ""


class Compared(NamedTuple):
    """The comparison of two runs from the same weights and data (compare.py); from the command, not from an engine.

    first, second: names of the runs. stage: where they first differ: `forward`, `backward` (a blob's diff), `gradient`
    (a parameter's), `update` (a parameter after an iteration), or "" if they agree. layer, name: what differs there;
    of a blob's diff the layer that wrote it. distance: largest difference by the largest value; noise: the same between
    two of the first run, of which one starts from weights changed by `nudge` of each. before: the largest distance of
    all that was computed before. shown: one value in both. chaos: the iteration from which such a change grows so large
    that nothing can be told, -1 for none. rows: (stage, iteration, number compared, largest distance, where, noise).
    """

    first: str
    second: str
    stage: str
    iteration: int
    layer: str
    name: str
    distance: float
    noise: float
    before: float
    shown: tuple[float, float]
    chaos: int
    nudge: float
    rows: Sequence[tuple[str, int, int, float, str, float]]


class Gradient(NamedTuple):
    """The gradient of a bottom or parameter by a layer's backward, and the slope of its forward (gradients.py).

    kind: `blob` or `param`; name: the blob's, or the parameter's number. checked: values that were; wrong: of these;
    kinks: left out because forward has a kink there. at, analytic, numeric: place and figures of the worst. factor:
    analytic by numeric if one for all, else nan. stale: does it depend on the old content of the diff? kept: does it
    change from pass to pass? zero: are all gradients 0? flat: are all slopes? overwritten: is it right unless in place?
    skipped: why nothing was checked. file, line: what sets it. also: those at `also_at`, of another ratio; about: the
    other bottom, or "0", if mirrored there.
    """

    layer: str
    kind: str
    name: str
    checked: int
    wrong: int
    kinks: int
    at: Sequence[int]
    analytic: float
    numeric: float
    factor: float
    stale: bool
    zero: bool
    skipped: str
    file: str = ""
    line: int = 0
    kept: bool = False
    also: Sequence[float] = ()
    also_at: Sequence[int] = ()
    about: str = ""
    flat: bool = False
    overwritten: bool = False

    @property
    def is_wrong(self) -> bool:
        return bool(self.wrong or self.stale or self.kept)


class BadRecord(NamedTuple):
    """A record that is not as the others are. kind: NOT_FINITE, EXTREME or LABEL. min, max: of the finite values of a
    top; nan, inf: how many are that; below: of these -inf. usual: the largest value of most records."""

    name: str
    kind: str
    top: str
    min: float
    max: float
    nan: int
    inf: int
    usual: float
    below: int = 0


class Batch(NamedTuple):
    """The records of a batch that a data layer read when something went wrong (diagnosis/batches.py), of no engine.

    number: of the batch as in `NonFinite`; iteration: of `caffe train` that reads the first of `bad`. Both are -1 where
    the order is not known, as with shuffle; then all records were looked at. names: of all its records, in order. read:
    how many records were looked at. bad: those that are not as the others are, of the batch, or else read before it.
    later: how many more there are. holding: the batches that hold them.
    """

    net: int
    layer: str
    number: int
    iteration: int
    names: Sequence[str]
    read: int
    bad: Sequence[BadRecord]
    later: int
    holding: Sequence[int] = ()


class Waiting(NamedTuple):
    """With mode `serve`: the job is done, and others can be given."""


class Trying(NamedTuple):
    """With mode `serve`: the events of the job of this number among the others come next."""

    number: int


class Note(NamedTuple):
    """Something to show: where the engine differs from Caffe, versions, which data it reads."""

    message: str


class Done(NamedTuple):
    """The run is over. iterations: how many were completed. seconds: of these alone, loading left out."""

    iterations: int
    seconds: float
    peak_memory: int = 0


Event = (
    Loaded
    | Creating
    | Iteration
    | Statistics
    | LossGradient
    | NonFinite
    | Alike
    | Doing
    | Tested
    | Refused
    | BadWeights
    | WithoutGpu
    | PythonLayer
    | Spent
    | Warned
    | Running
    | OutOfMemory
    | TimedOut
    | Crashed
    | RateFound
    | Compared
    | Gradient
    | Batch
    | Scanned
    | Waiting
    | Trying
    | Note
    | Done
)

KINDS: dict[str, Any] = {
    "loaded": Loaded,
    "creating": Creating,
    "iteration": Iteration,
    "statistics": Statistics,
    "loss_gradient": LossGradient,
    "non_finite": NonFinite,
    **ALIKE,
    "test": Tested,
    "refused": Refused,
    "bad_weights": BadWeights,
    "without_gpu": WithoutGpu,
    "python_layer": PythonLayer,
    "spent": Spent,
    "warned": Warned,
    "running": Running,
    "out_of_memory": OutOfMemory,
    "timed_out": TimedOut,
    "crashed": Crashed,
    "rate_found": RateFound,
    "compared": Compared,
    "gradient": Gradient,
    **DOINGS,
    "batch": Batch,
    "scanned": Scanned,
    "waiting": Waiting,
    "trying": Trying,
    "note": Note,
    "done": Done,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


def to_line(event: Event) -> str:
    """The event as one line of JSON, without the line's end."""
    return json.dumps({"event": _NAMES[type(event)], **event._asdict()})


def from_line(line: str | bytes) -> Event | None:
    """The event of a line; None for anything else, as what a layer prints, and for an event of an unknown kind."""
    if line.lstrip()[:1] not in ("{", b"{"):
        return None
    try:
        values = json.loads(line)
        kind = KINDS[values.pop("event")]
        known = {name: values[name] for name in values if name in kind._fields}
        event: Event = kind(**known)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return event


def claim_stdout() -> TextIO:
    """Keep stdout for events: gives a stream to it, and sends what else is written there to stderr."""
    sys.stdout.flush()
    events = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    return events


def emit(event: Event, stream: TextIO) -> None:
    stream.write(to_line(event) + "\n")
    stream.flush()
