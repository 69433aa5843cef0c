"""What an engine is asked to do: plain values that go to a file as JSON and come back the same.

An engine is a child process that takes the path of such a file, prints events (events.py) and exits. A job
leads to no file of the user except the data that real inputs name: solver and nets are prepared copies (prepare.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

TRAIN, TEST = "TRAIN", "TEST"
REAL, SYNTHETIC = "real", "synthetic"
UNIFORM, LABELS, CONSTANT, BOXES, RECORDED = "uniform", "labels", "constant", "boxes", "recorded"
TRAINS, RECORDS, MEASURES, CHECKS, SERVES, SCANS = "train", "record", "measure", "gradients", "serve", "scan"
FOLLOWS = "follow"

MORE = "more.json"
"""The file, in the folder of the copies, that names other jobs."""


class JobNet(NamedTuple):
    """A net to build. The first of a job is the TRAIN net, those after it the solver's TEST nets, in Caffe's order.

    path: absolute, of the prepared copy; one copy may serve several nets. phase, stages, level: the state that it is
    built in. iterations: forward passes of a TEST net at the end; 0 for the TRAIN net.
    """

    path: str
    phase: str
    stages: tuple[str, ...] = ()
    level: int = 0
    iterations: int = 0


class Input(NamedTuple):
    """One top of a layer without bottoms that brings data into a net: what it holds, and its source.

    net: index into `Job.nets`. layer: the layer's name as the user wrote it. top: blob name. kind: the layer's type in
    the user's net (`Data`, `HDF5Data`, ...): in the prepared copy a synthetic input is a layer of type `Input`, of the
    same name, tops and shapes; a real one is left as it is. shape: of the top; may be empty for a real input.

    values says how a synthetic batch is made (synthetic.py):
    - `uniform`: evenly spread in [low, high]; whole numbers where `whole`; then for each channel (axis 1) c
      (x - mean[c]) * scale; an empty `mean` is 0, one of one value serves all channels.
    - `labels`: whole numbers from low to high, each equally often; `ignore` never occurs (None: nothing is ignored).
    - `constant`: all are `low`.
    - `boxes`: rows of ground truth for SSD's MultiBoxLoss (1x1xNx8): item, label in [low, high], instance, four
      corners in [0, 1], difficult 0.
    - `recorded`: the contents of the files `file` + NUMBER + `.npy`.
    """

    net: int
    layer: str
    top: str
    kind: str
    source: str
    shape: tuple[int, ...]
    values: str = UNIFORM
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    mean: tuple[float, ...] = ()
    scale: float = 1.0
    ignore: int | None = None
    file: str = ""


class Target(NamedTuple):
    """A blob that a data layer of the TRAIN net makes and a loss compares with. classes, ignored: as in targets.py.

    data: the blob that is to tell it, as in neighbours.py; "" for none.
    """

    name: str
    classes: bool
    ignored: int | None = None
    data: str = ""


class Pair(NamedTuple):
    """What a loss draws together, or apart, as data layers bring it. name: of the loss. left, right: blobs.

    label: the blob that calls pairs alike, of a ContrastiveLoss. other: the blob that is to be farther from `left` than
    `right` is, of a loss of three.
    """

    name: str
    left: str
    right: str
    label: str = ""
    other: str = ""


class Way(NamedTuple):
    """What layers make of data on the way to a loss, of which it is asked whether its targets can still be told.

    name, classes: of the targets, as in `Target`. maker, number: the layer and the number of its top that bring them.
    axes: how many of their first axes number the records. steps: may the first axis of other blobs be time?
    layers, tops: each a layer and the number of its top, in the order of the net; the last one is what the loss reads.
    brings: those of the layers that bring the data.
    """

    name: str
    classes: bool
    maker: str
    number: int
    axes: int
    steps: bool
    layers: tuple[str, ...]
    tops: tuple[int, ...]
    brings: tuple[str, ...]


class Check(NamedTuple):
    """A layer of the TRAIN net whose gradient is to be checked.

    tops: for each its loss weight, None where a gradient comes from what reads it, 0 where none comes. bottoms, params:
    numbers of those to which a gradient flows; None for all that there are. names: of all bottoms. code: module and
    class of a Python layer. gradient: else only what it leads its scores to is looked at.
    """

    layer: str
    kind: str
    tops: tuple[float | None, ...]
    bottoms: tuple[int, ...]
    params: tuple[int, ...] | None
    names: tuple[str, ...]
    code: str = ""
    gradient: bool = True


@dataclass(frozen=True)
class Job:
    """One run. Paths are absolute.

    The run is always: load all nets; one forward and backward pass of the TRAIN net that updates nothing (its events
    have iteration -1 and rate 0); `iterations` iterations as the solver has them, base_lr to rates, from iteration 0;
    the TEST nets on what was trained. It ends at the first non-finite value. Synthetic inputs hold batch number
    `iteration % batches` of synthetic.py, batch 0 in the pass at rate 0, and with iter_size above 1 the same batch in
    all parts of an iteration.

    solver: the prepared solver; its max_iter and all else that rates depend on are the user's own; it names the nets by
    absolute paths. rates: the rate of each iteration as caffelint computes it, () where the policy is unknown.
    device: `cpu` or `cuda:N`. weights: a .caffemodel to start from, or "". watch: names of blobs (last version) and
    layers whose statistics are wanted at every iteration. statistics_every: those of all blobs and parameters are
    emitted at iterations -1 and 0, then every so many and at the last; 0 for never.
    mode: `train` is the run above. `record` writes the weights at the start and some batches into `folder`, `measure`
    what a pass and the iterations compute there, for `--compare`; `gradients` does `checks`; `follow` runs forward
    with the weights as they start, and asks `ways`; `scan` runs
    `iterations` batches forward only, and goes on after a value that is not finite; `serve` does the job `main`,
    then says `waiting` until a file `more` names others, each of which follows an event `trying`; all in processes
    of their own, which begin with the engine loaded.
    checked: folders of the user's solver and nets; nothing but Python layers is imported from there. python_path: the
    folders in PYTHONPATH, and those that scripts of the project put on Python's path, for Python layers alone.
    passes: iter_size, the batches of an iteration. skips: batches of the TRAIN net that are read and not used, counted
    from 0, that of the pass at rate 0.
    wants_gpu: the solver, or a layer, asks for a GPU, and the run is on the CPU: say if there is none (`without_gpu`).
    targets: what to add up for the event `targets`. pairs: what to measure for the event `pairs`.
    sequences: blobs of which it is asked whether they go on from step to step (event `stepped`), each with the labels
    of its steps, or "". marks: blobs that tell recurrent layers where sequences begin (event `marked`).
    trace: announce each layer before it runs (event `running`), so that an abort, a hang or a crash is known by its
    layer; slow. timeout: seconds; a child that still runs a good while later ends itself, 0 for never.
    """

    solver: str
    nets: tuple[JobNet, ...]
    inputs: tuple[Input, ...] = ()
    iterations: int = 50
    seed: int = 1
    device: str = "cpu"
    weights: str = ""
    watch: tuple[str, ...] = ()
    rates: tuple[float, ...] = ()
    batches: int = 1
    statistics_every: int = 10
    trace: bool = False
    timeout: float = 0.0
    mode: str = TRAINS
    folder: str = ""
    checks: tuple[Check, ...] = ()
    main: str = ""
    more: str = ""
    checked: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()
    passes: int = 1
    skips: tuple[int, ...] = ()
    targets: tuple[Target, ...] = ()
    pairs: tuple[Pair, ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    marks: tuple[str, ...] = ()
    wants_gpu: bool = False
    ways: tuple[Way, ...] = ()

    def to_json(self) -> str:
        """Rates may be nan or inf: written as Python's json does, NaN and Infinity."""
        lists: dict[str, Any] = {"nets": self.nets, "inputs": self.inputs, "checks": self.checks}
        lists |= {"targets": self.targets, "pairs": self.pairs, "ways": self.ways}
        return json.dumps(asdict(self) | {name: [one._asdict() for one in every] for name, every in lists.items()})

    @staticmethod
    def from_json(text: str) -> Job:
        values = json.loads(text)
        values["nets"] = tuple(_named(JobNet, net) for net in values["nets"])
        values["inputs"] = tuple(_named(Input, item) for item in values["inputs"])
        values["targets"] = tuple(_named(Target, item) for item in values.get("targets", ()))
        values["pairs"] = tuple(_named(Pair, item) for item in values.get("pairs", ()))
        values["ways"] = tuple(_named(Way, item) for item in values.get("ways", ()))
        values["checks"] = tuple(_named(Check, item) for item in values.get("checks", ()))
        return Job(**_tuples(values))


def _named(kind: Any, values: Mapping[str, Any]) -> Any:
    return kind(**_tuples(values))


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
