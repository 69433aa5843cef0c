"""A safe copy of a project: a solver that stops, tests and snapshots on request, and nets whose data exists.

No file of the user is written to. The texts are changed as little as possible, and no line of a net moves: a message
of Caffe about line 12 of the copy is about line 12 of the original.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.learning_rate import schedule
from caffelint.caffe.net import Net
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.solver import Solver
from caffelint.lint.discover import relative
from caffelint.smoke.aside import Aside, quoted
from caffelint.smoke.fed import NOTHING, Fed
from caffelint.smoke.flow import is_of_data
from caffelint.smoke.gpu import asks_for_gpu
from caffelint.smoke.inputs import plan_inputs
from caffelint.smoke.job import LABELS, REAL, RECORDED, SYNTHETIC, TRAINS, Input, Job, JobNet, Pair, Target
from caffelint.smoke.kept import python_path
from caffelint.smoke.project import PlannedNet, Project
from caffelint.smoke.still import without_dropout
from caffelint.text.edits import Edit, apply_edits
from caffelint.text.tree import Field

NEVER = 2147483647
SEED = 1
"""Where neither the solver nor anybody else gives one."""
_REPLACED = (
    "base_lr",
    "debug_info",
    "device_id",
    "display",
    "random_seed",
    "snapshot",
    "snapshot_after_train",
    "snapshot_format",
    "snapshot_prefix",
    "solver_mode",
    "test_initialization",
    "test_interval",
)
_TESTS = ("test_interval", "test_iter", "test_net", "test_net_param", "test_state")
_NETS = ("net", "train_net", "net_param", "train_net_param", "test_net_param", "test_net")
_SYNTHETIC_TESTS, _REAL_TESTS = 4, 10
ENGINE = "caffelint_engine"
"""The package of what runner.py imports, in the folder of the job."""
RUNNER = (
    "caffe/__init__.py",
    "synthetic.py",
    "answers.py",
    "targets.py",
    "neighbours.py",
    "coded.py",
    "crossed.py",
    "overlaid.py",
    "pairs.py",
    "stepped.py",
    "marked.py",
    "followed.py",
    "stacks.py",
    "own_code.py",
    "arrays.py",
    "gradients.py",
    "pulls.py",
    "mined.py",
    "caffe/losses.py",
    "loaded.py",
    "caffe/cpu_only.py",
    "caffe/net_numbers.py",
    "caffe/modes.py",
    "caffe/serving.py",
    "caffe/tracing.py",
)
"""The files of the caffe engine but for runner.py: copied into the folder of the job, where a container sees them."""


@dataclass(frozen=True)
class Wishes:
    """The options of the run, from the command line. base_lr, seed: replace the solver's own, None to keep these.

    unread: types of data layers that the engine does not read. mode, folder: as in `Job`; all but training
    leaves the TEST nets out. still: is chance taken out of the nets? recorded: shape, and start of the files' names, of
    what the TRAIN net's layers without bottoms make, by top. skips: as in `Job`. own_weights: where none are given, is
    it to start from those that the solver or a script names? weights_by: the place of the script that does.
    as_needed: may there be more iterations than these, where the solver needs them?
    """

    iterations: int = 50
    seed: int | None = None
    device: str = "cpu"
    weights: str = ""
    watch: tuple[str, ...] = ()
    data: str = "auto"
    timeout: float = 600.0
    statistics_every: int = 10
    base_lr: float | None = None
    roots: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    mode: str = TRAINS
    folder: str = ""
    batches: int = 1
    still: bool = False
    recorded: Mapping[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    skips: tuple[int, ...] = ()
    own_weights: bool = True
    weights_by: str = ""
    as_needed: bool = False


@dataclass(frozen=True)
class Prepared:
    """A job in its folder. built: the nets in the order of the job, as Caffe would build the copies.

    named: the name in the user's nets of each path that replaces one in the copies.
    """

    job: Job
    path: str
    planned: list[PlannedNet]
    built: list[BuiltNet]
    notes: list[str] = field(default_factory=list)
    named: Mapping[str, str] = field(default_factory=dict)
    fed: Fed = NOTHING

    def changed(self, name: str = "job.json", **values: Any) -> Prepared:
        """A copy with other values in the job, which is written to a file of this name."""
        job = replace(self.job, **values)
        path = Path(self.path).with_name(name)
        path.write_text(job.to_json(), "utf-8")
        return replace(self, job=job, path=str(path))


def prepare(project: Project, wishes: Wishes, folder: Path) -> Prepared:
    """Write the copies and the job into `folder`. Raises Unplanned and NoProject."""
    planned = project.nets()
    if wishes.mode != TRAINS:
        planned = planned[:1]
    inputs: list[Input] = []
    built: list[BuiltNet] = []
    notes: list[str] = []
    nets: list[JobNet] = []
    fed = NOTHING
    for number, one in enumerate(planned):
        plan = plan_inputs(number, one.job, one.net, wishes.data, wishes.roots, wishes.unread)
        inputs += _recorded(plan.built, wishes) if wishes.recorded and number == 0 else plan.inputs
        built.append(plan.built)
        fed = fed.joined(plan.fed)
        notes += [note for note in plan.notes if note not in notes]
        nets.append(one.job)
    aside = Aside(folder)
    copies = _write_nets(planned, built, inputs, aside, wishes.still)
    tests = _SYNTHETIC_TESTS if any(item.source == SYNTHETIC for item in inputs) else _REAL_TESTS
    nets = [
        net._replace(path=copies[id(one.net)], iterations=min(net.iterations, tests))
        for net, one in zip(nets, planned, strict=True)
    ]
    solver = folder / "solver.prototxt"
    solver.write_bytes(_solver(project, copies, wishes))
    message = project.solver.message
    rates = schedule(_with_rate(message, wishes.base_lr))
    names = {layer.name for layer in built[0].layers} | set(built[0].blobs)
    notes += [
        f'--watch "{name}": the TRAIN net has no such blob or layer' for name in wishes.watch if name not in names
    ]
    if wishes.weights_by:
        notes.append(f'starts from "{wishes.weights}", as {wishes.weights_by} does; --weights "" starts from fillers')
    for path, place in project.layer_folders.items():
        notes.append(f'looks for Python layers in "{relative(path)}", too, which {place} puts on Python\'s path')
    checked = tuple(dict.fromkeys(os.path.dirname(os.path.abspath(file)) for file in project.files))
    job = Job(
        solver=str(solver),
        nets=tuple(nets),
        inputs=tuple(inputs),
        iterations=wishes.iterations,
        seed=seed_of(project.solver, wishes.seed),
        device=wishes.device,
        weights=os.path.abspath(wishes.weights) if wishes.weights else "",
        watch=(*wishes.watch, *(item.top for item in inputs if item.net == 0 and item.values == LABELS)),
        rates=() if rates.problem else tuple(rates.rate(index) for index in range(wishes.iterations)),
        statistics_every=wishes.statistics_every,
        timeout=wishes.timeout,
        batches=wishes.batches,
        mode=wishes.mode,
        folder=wishes.folder,
        checked=checked,
        python_path=(*python_path(), *project.layer_folders),
        wants_gpu=wishes.device == "cpu" and bool(asks_for_gpu(project.solver, built[0])),
        targets=_targets(built[0]) if wishes.mode == TRAINS else (),
        pairs=_pairs(built[0]) if wishes.mode == TRAINS else (),
        sequences=_sequences(built[0]) if wishes.mode == TRAINS else (),
        marks=_marks(built[0]) if wishes.mode == TRAINS else (),
        passes=message.iter_size,
        skips=wishes.skips,
    )
    here = Path(__file__).parent
    (folder / ENGINE).mkdir(exist_ok=True)
    for name in RUNNER:
        shutil.copyfile(here / name, folder / ENGINE / Path(name).name)
    shutil.copyfile(here / "caffe" / "runner.py", folder / "runner.py")
    return Prepared(job, str(folder / "job.json"), planned, built, notes, aside.named, fed).changed()


def _targets(built: BuiltNet) -> tuple[Target, ...]:
    """What the losses of a net compare with, where that follows from the data alone and stays as it is."""
    found: dict[str, Target] = {}
    changed = {top.previous for layer in built.layers for top in layer.tops if top.previous is not None}
    for layer in built.layers:
        number = 2 if layer.compares_records else 1
        if not any(layer.loss_weights) or len(layer.bottoms) <= number:
            continue
        blob = layer.bottoms[number].original
        if blob.producer is None or blob in changed or not is_of_data(blob):
            continue
        classes = bool(layer.compares_records or layer.reads_classes(1))
        loss = layer.message.loss_param
        ignored = loss.ignore_label if loss.HasField("ignore_label") else None
        found[blob.name] = Target(blob.name, classes, ignored, "" if layer.compares_records else _told_by(built, layer))
    return tuple(found.values())


def _sequences(built: BuiltNet) -> tuple[tuple[str, str], ...]:
    """What recurrent layers read of the data, as it is or as layers of one bottom make something of it, with the labels
    of the first loss, which may be those of its steps."""
    losses = (one for one in built.layers if any(one.loss_weights) and len(one.bottoms) > 1)
    labels = next((one.bottoms[1].original for one in losses if one.reads_classes(1)), None)
    target = labels.name if labels is not None and labels.producer and not labels.producer.bottoms else ""
    found: dict[str, str] = {}
    for layer in built.layers:
        blob = layer.bottoms[0].original if layer.is_recurrent and layer.bottoms else None
        while blob is not None and blob.producer is not None and len(blob.producer.bottoms) == 1 and blob.need_backward:
            blob = blob.producer.bottoms[0].original
        if blob is not None and not blob.need_backward:
            found.setdefault(blob.name, target)
    return tuple(found.items())


def _marks(built: BuiltNet) -> tuple[str, ...]:
    """What tells recurrent layers where sequences begin, as they read it."""
    blobs = (one.bottoms[1].original for one in built.layers if one.is_recurrent and len(one.bottoms) > 1)
    return tuple(dict.fromkeys(blob.name for blob in blobs if not blob.need_backward))


def _pairs(built: BuiltNet) -> tuple[Pair, ...]:
    """What losses compare with each other, as data layers bring it: neither made by weights nor changed in place."""
    found = []
    changed = {top.previous for layer in built.layers for top in layer.tops if top.previous is not None}
    for layer in built.layers:
        of_three = len(layer.bottoms) == 3 and any(layer.loss_weights)
        if not of_three or not all(blob.need_backward for blob in layer.bottoms[:2]):
            continue
        blobs = [_before_weights(blob) for blob in layer.bottoms]
        if any(blob is None or blob in changed for blob in blobs) or len({*blobs}) < len(blobs):
            continue
        left, right, third = (blob.original.name for blob in blobs if blob is not None)
        if layer.type == "ContrastiveLoss":
            found.append(Pair(layer.name, left, right, label=third))
        elif layer.bottoms[2].need_backward:
            found.append(Pair(layer.name, left, right, other=third))
    return tuple(found)


def _before_weights(blob: Blob) -> Blob | None:
    """The last blob on the way here that follows from the data alone; None where ways meet before."""
    while blob.need_backward or (blob.producer is not None and blob.producer.params):
        if blob.producer is None or len(blob.producer.bottoms) != 1:
            return None
        blob = blob.producer.bottoms[0]
    return blob.original if blob.producer is not None else None


def _told_by(built: BuiltNet, loss: BuiltLayer) -> str:
    """The blob of data that the scores of a loss depend on; "" for none or several, and where items are steps."""
    if any(layer.is_recurrent for layer in built.layers):
        return ""
    brings = [layer for layer in loss.bottoms[0].depends_on if not layer.bottoms and layer.tops]
    return brings[0].tops[0].name if len(brings) == 1 else ""


def _recorded(built: BuiltNet, wishes: Wishes) -> list[Input]:
    """Inputs that hold what was recorded, for all layers without bottoms."""
    return [
        Input(0, layer.name, blob.name, layer.type, SYNTHETIC, shape, RECORDED, file=file)
        for layer in built.layers
        if not layer.bottoms
        for blob in layer.tops
        if blob.name in wishes.recorded
        for shape, file in [wishes.recorded[blob.name]]
    ]


def _with_rate(message: Any, base_lr: float | None) -> Any:
    if base_lr is None:
        return message
    changed = type(message)()
    changed.CopyFrom(message)
    changed.base_lr = base_lr
    return changed


def _write_nets(
    planned: Sequence[PlannedNet],
    built: Sequence[BuiltNet],
    inputs: Sequence[Input],
    aside: Aside,
    still: bool = False,
) -> dict[int, str]:
    """The copies of the nets, by the id of each: one for a net that serves both phases."""
    copies: dict[int, str] = {}
    for one in planned:
        if id(one.net) in copies:
            continue
        serves = {number for number, other in enumerate(planned) if other.net is one.net}
        made: dict[int, list[Input]] = {}
        for item in inputs:
            if item.net in serves and item.source == SYNTHETIC and item.kind != "Input":
                tops = made.setdefault(_index(built[item.net], item), [])
                if item.top not in [other.top for other in tops]:
                    tops.append(item)
        real = {item.layer for item in inputs if item.net in serves and item.source == REAL}
        path = aside.folder / f"net{len(copies)}.prototxt"
        path.write_bytes(_net(one.net, made, still, aside, real))
        copies[id(one.net)] = str(path)
    return copies


def _index(built: BuiltNet, item: Input) -> int:
    """Of the layer that an input is of: those of TRAIN and TEST share a name, and may differ in their batch."""
    made = (layer for layer in built.layers for top in layer.tops if (layer.name, top.name) == (item.layer, item.top))
    return next(layer.index for layer in made if layer.index is not None)


def _net(net: Net, tops: Mapping[int, Sequence[Input]], still: bool, aside: Aside, real: set[str]) -> bytes:
    """The text of a net in which layers that bring synthetic data are of type Input. still: Dropout keeps all values.

    tops: those that are made, by the number of their layer. real: names of the layers that read their own data.
    """
    if tops and not len(net.written.layer):
        return _current(net, tops, still, aside, real)
    data = net.document.source.data
    start, end = 0, len(data)
    inline = net.bound.node(net.written)
    if inline is not None and inline.name:
        start, end = inline.value_start + 1, inline.end - 1
    edits = [Edit(one.start - start, one.end - start, one.text) for one in without_dropout(net.layers) if still]
    for layer in net.layers:
        replaced = tops.get(layer.index)
        if replaced and layer.node is not None:
            edits.append(_input_layer(layer.node, data, replaced, start))
        elif layer.node is not None:
            own = aside.edits(layer, layer.name in real)
            edits += [Edit(one.start - start, one.end - start, one.text) for one in own]
    lines_before = data.count(b"\n", 0, start)
    return b"\n" * lines_before + apply_edits(data[start:end], edits)


def _input_layer(node: Field, data: bytes, tops: Sequence[Input], start: int) -> Edit:
    parts = [data[rule.start : rule.end].decode("utf-8", "replace") for rule in node.fields if rule.name in _RULES]
    text = " ".join(
        [f'name: {quoted(tops[0].layer)} type: "Input"', *(f"top: {quoted(item.top)}" for item in tops), *parts]
    )
    shapes = " ".join("shape { " + " ".join(f"dim: {dim}" for dim in item.shape) + " }" for item in tops)
    text = f"{text} input_param {{ {shapes} }}"
    name = "layer " if node.start != node.value_start else ""
    missing = data.count(b"\n", node.start, node.end) - text.count("\n")
    return Edit(node.start - start, node.end - start, f"{name}{{ {text}{' ' + chr(10) * missing if missing else ''} }}")


_RULES = ("include", "exclude")


def _current(net: Net, tops: Mapping[int, Sequence[Input]], still: bool, aside: Aside, real: set[str]) -> bytes:
    """A net of an older format, in the current one: the older formats have no Input layer."""
    from google.protobuf import text_format

    message: Any = type(net.message)()
    message.CopyFrom(net.message)
    for index, layer in enumerate(message.layer):
        if still and layer.type == "Dropout":
            layer.dropout_param.dropout_ratio = 0
        aside.lead(layer, layer.name in real)
        if index in tops:
            kept = [rule for rules in (layer.include, layer.exclude) for rule in rules], list(layer.top)
            made = type(layer)(name=layer.name, type="Input", top=kept[1], include=layer.include, exclude=layer.exclude)
            for item in tops[index]:
                made.input_param.shape.add().dim.extend(item.shape)
            layer.CopyFrom(made)
    return text_format.MessageToString(message).encode()


def seed_of(solver: Solver, given: int | None) -> int:
    """What is drawn from: the seed that is given, else that of the solver, so that a run is the one of its users."""
    own = solver.message.random_seed
    return given if given is not None else own if 0 <= own < 2**31 else SEED


def _solver(project: Project, copies: Mapping[int, str], wishes: Wishes) -> bytes:
    """The text of the solver with the copies of its nets, without what would write files or test in between."""
    solver = project.solver
    document = solver.document
    data = document.source.data
    replaced = set(_REPLACED)
    if wishes.base_lr is None:
        replaced.discard("base_lr")
    if wishes.mode != TRAINS:
        replaced.update(_TESTS)
    if wishes.weights or project.own_weights:
        replaced.add("weights")  # the engine loads them, or an experiment does without
    paths = {
        field: [copies[id(use.net)] for use in solver.nets if use.field == field and id(use.net) in copies]
        for field in _NETS
    }
    edits = [_without(node, data) for node in document.root.fields if node.name in replaced or node.name in _NETS]
    lines = []
    for name, found in paths.items():
        lines += [f"{name.removesuffix('_param')}: {quoted(path)}" for path in found]
    if solver.message.test_interval > 0 and wishes.mode == TRAINS:
        lines.append(f"test_interval: {NEVER}")
    lines += ["test_initialization: false", "display: 1", "snapshot: 0", "snapshot_after_train: false"]
    lines += [
        f"random_seed: {seed_of(solver, wishes.seed)}",
        f"solver_mode: {'CPU' if wishes.device == 'cpu' else 'GPU'}",
    ]
    if wishes.device != "cpu":
        lines.append(f"device_id: {wishes.device.rpartition(':')[2]}")
    if wishes.base_lr is not None:
        lines.append(f"base_lr: {wishes.base_lr!r}")
    return apply_edits(data, edits) + ("\n" + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _without(node: Field, data: bytes) -> Edit:
    """Remove a field and the separator after it, but keep its line ends."""
    end = node.end
    while data[end : end + 1] in (b";", b","):
        end += 1
    return Edit(node.start, end, "\n" * data.count(b"\n", node.start, end))
