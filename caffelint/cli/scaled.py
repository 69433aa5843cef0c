"""What `caffelint scales` and `caffelint lr --suggest` read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from caffelint.caffe.learning_rate import schedule
from caffelint.caffe.states import TRAIN, State
from caffelint.cli.errors import need_numpy
from caffelint.cli.settings import only_inputs
from caffelint.lint.joined import NotJoined, given_shapes, load_joined, rewritten, set_shapes
from caffelint.lint.what_if import NotWritten, what_if
from caffelint.numerics.scales import Rates, Scales, rates, scales
from caffelint.numerics.signal import bounded
from caffelint.numerics.start import Change
from caffelint.numerics.weights import Weights
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.net import Net
    from caffelint.evidence.data.evidence import DataEvidence
    from caffelint.lint.config import Config
    from caffelint.lint.file import File


_EMPTY = "leads to no record that can be read; caffelint data tells more"


class Asked(NamedTuple):
    path: str
    changes: tuple[str, ...] = ()
    measure: bool = False
    weights: str | None = None
    shapes: Mapping[str, tuple[int, ...]] = {}


class _Read(NamedTuple):
    built: BuiltNet
    solver: Any
    change: Change


def scaled(asked: Asked, config: Config) -> Scales:
    """The table. Raises `click.ClickException`."""
    built, solver, change = _read(asked, config)
    rate = schedule(solver).rate(0) if solver is not None else None
    return scales(built, solver, rate if rate is not None and 0 < rate < math.inf else None, change)


def suggested(asked: Asked, config: Config) -> list[Rates]:
    """The rates for each type of solver. Raises `click.ClickException`."""
    built, solver, change = _read(asked, config)
    return rates(built, solver, change)


def _read(asked: Asked, config: Config) -> _Read:
    path = asked.path
    try:
        files = load_joined(path, config)
        written = rewritten(files, what_if(list(asked.changes), list(files.values()))) if asked.changes else files
    except (NotJoined, NotWritten) as error:
        raise click.ClickException(str(error)) from error
    for name, file in written.items():
        if len(file.problems) > len(files[name].problems):
            raise click.ClickException(f"--what-if {' '.join(asked.changes)}: {file.problems[-1].message}")
    files = written
    file = files[path]
    set_shapes(file, given_shapes(config) | dict(asked.shapes))
    change = Change(signals=_measured(file, config)) if asked.measure else Change()
    net = file.net or (file.solver.train_net if file.solver else None)
    if net is None:
        what = "there is no net to train" if file.solver else "neither a solver nor a net"
        raise click.ClickException(f"{path}: {what}")
    state = next((state for _, one, state in file.solver.builds if one is net), None) if file.solver else None
    if asked.measure:
        net.input_shapes = _of_training(net)
    built = net.likely(state or State(TRAIN))
    if not built.is_sound:
        raise click.ClickException(f"{path}: the net does not load; see caffelint check")
    only_inputs(asked.shapes, [blob.name for blob in built.inputs])
    if asked.weights:
        change = change._replace(weights=_loaded(asked.weights, built))
    return _Read(built, file.solver.message if file.solver else None, change)


def _of_training(net: Net) -> dict[str, tuple[int, ...]]:
    """The shapes of data, with the batches of the net to train where that to test reads other ones."""
    batches = {top: layer.kind.batch_size for layer in net.in_phase(TRAIN) for top in layer.tops}
    shapes = net.input_shapes.items()
    return {top: (batches.get(top) or shape[0], *shape[1:]) if shape else shape for top, shape in shapes}


def _measured(file: File, config: Config) -> dict[str, Any]:
    from caffelint.cli.tell import tell
    from caffelint.evidence.data.look import look
    from caffelint.evidence.data.scan import Scan
    from caffelint.evidence.data.signals import SAMPLE, signals

    with Scan(sample=SAMPLE, keep=config.cache) as scan:
        data = look(file, scan, config.roots)
    found = signals(data.read)
    unread = _unread(data)
    if not found:
        raise click.ClickException(f"--data: {unread[0] if unread else 'no layer of phase TRAIN reads data'}")
    for reason in unread:
        tell(reason)
    return found


def _unread(data: DataEvidence) -> list[str]:
    """Why the sources of some layers were not read."""
    from caffelint.evidence.data.evidence import name_of

    reasons = {}
    for feed in data.feeds:
        scanned = data.scanned[feed.source] if feed.source is not None else None
        if TRAIN not in feed.phases or (scanned is not None and scanned.facts.records):
            continue
        why = feed.why if scanned is None or feed.source is None else scanned.error or scanned.facts.stopped or _EMPTY
        source = f'"{name_of(feed.source)}" ' if feed.source is not None else ""
        reasons[feed.layer.name] = f'what {feed.layer.type} "{feed.layer.name}" reads is not measured: {source}{why}'
    return list(reasons.values())


def _loaded(path: str, built: BuiltNet) -> dict[Any, Weights]:
    """Mean and variance of the weights of each layer that the file has."""
    from caffelint.caffe.weights.file import read_weights
    from caffelint.caffe.weights.stored import Unreadable

    need_numpy("weights")
    import numpy as np

    found = {}
    try:
        stored = {layer.name: layer for layer in read_weights(path).trained}
        for layer in built.layers:
            blob = stored[layer.name].blobs.get(0) if layer.name in stored and layer.has_weights else None
            if blob is not None and not blob.problem and blob.count:
                values = blob.values()
                with np.errstate(all="ignore"):  # of a model that diverged
                    values = values.astype("f4", copy=False)  # as Caffe keeps them
                    mean, variance = float(values.mean(dtype="f8")), float(values.var(dtype="f8"))
                found[layer] = Weights(bounded(mean), bounded(variance))
    except Unreadable as error:
        raise click.ClickException(f"{path}: {error}") from error
    return found
