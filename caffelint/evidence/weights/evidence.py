"""Weights as rules see them: the files, the nets that are to take them, what fits, and places to point at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer, layer_class
from caffelint.caffe.net import Net
from caffelint.caffe.place import Place
from caffelint.caffe.solver import Solver
from caffelint.caffe.weights.copying import Copied, Misfit, Misfits, copied
from caffelint.caffe.weights.restoring import Restored, restored
from caffelint.caffe.weights.stored import State, StoredBlob, StoredLayer, Unreadable, Weights
from caffelint.evidence.weights.match import Renamed, renamed
from caffelint.evidence.weights.statistics import Statistics, statistics
from caffelint.text.parser import Document
from caffelint.text.source import Source
from caffelint.text.tree import MESSAGE, Field


class Fit:
    """A file and one build of a net: what the net takes, with what is only likely where shapes depend on the data.

    likely: the same for likely shapes of the data, None where all shapes are known.
    """

    def __init__(self, weights: Weights, net: Net, built: BuiltNet) -> None:
        self.weights = weights
        self.net = net
        self.built = built
        self.exact = copied(weights, built)
        self.likely: Copied | None = None
        if any(layer.params is None for layer in built.layers):
            self.likely = copied(weights, net.likely(built.state))

    @property
    def phases(self) -> tuple[str, ...]:
        return self.built.phases

    @property
    def misfits(self) -> list[tuple[Misfit, bool]]:
        """What does not fit, and whether that is certain."""
        known = [(misfit, True) for misfit in self.exact.misfits]
        unknown = {layer.name for layer in self.exact.unknown}
        others = self.likely.misfits if self.likely else ()
        return known + [(one, False) for one in others if one.target.name in unknown and _holds_anyway(one)]

    @property
    def taken(self) -> Copied:
        return self.likely or self.exact

    @property
    def is_known(self) -> bool:
        """Is it known of every layer whether it has parameters?"""
        known = (layer.params is not None or layer.has_parameters is not None for layer in self.built.layers)
        return all(known) or (self.likely is not None and not self.likely.unknown)

    @property
    def unknown(self) -> list[BuiltLayer]:
        """Layers of which the file holds weights, but of which nobody knows what shape they take."""
        return self.taken.unknown

    @property
    def starved(self) -> list[BuiltLayer]:
        """The layers with parameters of which the file has nothing."""
        return self.taken.missing

    @cached_property
    def fed(self) -> list[BuiltLayer]:
        """The layers that do get weights."""
        fed = {copy.param.layer.name: copy.param.layer for copy in self.taken.copies}
        return list(fed.values())

    @cached_property
    def fed_names(self) -> frozenset[str]:
        return frozenset(layer.name for layer in self.fed)

    @cached_property
    def renamed(self) -> list[Renamed]:
        return renamed(self.taken)

    def trained_as(self) -> Iterator[tuple[BuiltLayer, BuiltLayer]]:
        """Each layer of the net with that of its name and type in the net that the file holds."""
        here = {layer.name: layer for layer in self.built.layers if layer.index is not None}
        for stored in self.weights.layers:
            layer, message = here.get(stored.name), stored.message
            if layer is not None and message is not None and layer.type == stored.type:
                kind = layer_class(stored.type)
                bottoms, tops = list(message.bottom), list(message.top)
                yield layer, kind(message, stored.name, stored.type, None, self.built.phase, bottoms, tops)

    def at(self, layer: BuiltLayer, *path: str | int) -> Place:
        """The place of a layer, or of a field of it, in the text of the net."""
        return self.net.layers[layer.index].at(*path) if layer.index is not None else self.net.at()


class Measured(NamedTuple):
    """A blob of a file with what its values are like.

    kind: what is known of the layer's type, UnknownLayer for a file in HDF5 that no net goes with. fit, target: of the
    first net that has such a layer, None without one.
    """

    weights: Weights
    layer: StoredLayer
    number: int
    blob: StoredBlob
    statistics: Statistics
    kind: type[BuiltLayer]
    fit: Fit | None
    target: BuiltLayer | None

    @property
    def type(self) -> str:
        return self.target.type if self.target else self.layer.type

    @property
    def title(self) -> str:
        """The layer as the subject of a message."""
        return f'{self.type or "layer"} "{self.layer.name}"'


def _holds_anyway(misfit: Misfit) -> bool:
    """Is it there whatever the shape of the data?"""
    if misfit.kind is not Misfits.SHAPE or misfit.stored is None or misfit.wanted is None:
        return misfit.kind is Misfits.BLOB_COUNT
    return _differ_anyway(misfit.stored, misfit.wanted)


def _differ_anyway(stored: Sequence[int], wanted: Sequence[int]) -> bool:
    """Of the axes of weights the second follows from what the layer reads."""
    if len(stored) != len(wanted):
        return False
    return any(axis != 1 and one != other for axis, (one, other) in enumerate(zip(stored, wanted, strict=True)))


class WeightsEvidence:
    """models: the files of weights, in the order in which they are loaded. nets: all that take them, each once.

    solver: the one that the nets belong to, if it was given. state: what training is to go on from. unread: files of
    which values could not be read, and why.
    """

    def __init__(
        self,
        models: Sequence[Weights],
        nets: Sequence[Net] = (),
        solver: Solver | None = None,
        state: State | None = None,
    ) -> None:
        self.models = list(models)
        self.nets = list(nets)
        self.solver = solver
        self.state = state
        self.unread: list[tuple[str, str]] = []

    def restored(self) -> Restored | None:
        """What the solver makes of the state; None without the two, or without a net to train."""
        if self.solver is None or self.state is None:
            return None
        train = next(((net, state) for build, net, state in self.solver.builds if build.test is None), None)
        if train is None:
            return None
        net, state = train
        (built,) = net.build([state])
        found = restored(self.state, built, self.solver.type)
        if found.wanted is not None:
            return found
        likely = restored(self.state, net.likely(state), self.solver.type)
        stale = [one for one in likely.stale if _differ_anyway(one.blob.shape, one.param.shape)]
        return likely._replace(stale=stale, certain=False)

    def layer_at(self, layer: BuiltLayer) -> Place | None:
        """The place of a layer in the text of the net to train."""
        net = self.solver.train_net if self.solver else None
        return net.layers[layer.index].at() if net is not None and layer.index is not None else None

    @cached_property
    def fits(self) -> list[Fit]:
        """Each file with each build of each net, in Caffe's order."""
        return [Fit(weights, net, built) for weights in self.models for net in self.nets for built in net.states()]

    def loads(self, net: Net) -> Iterator[list[Fit]]:
        """For each build of a net, all files that are loaded into it, in order."""
        for built in net.states() if self.models else ():
            yield [fit for fit in self.fits if fit.built is built]

    def is_fed_elsewhere(self, fit: Fit, layer: str) -> bool:
        """Does another file have weights for this layer of the same net?"""
        return any(layer in other.fed_names for other in self.fits if other.built is fit.built and other is not fit)

    def of_model(self, weights: Weights) -> Iterator[Fit]:
        return (fit for fit in self.fits if fit.weights is weights)

    @cached_property
    def measured(self) -> list[Measured]:
        """The values of all blobs that a net takes, or of all where there is no net; nothing without numpy."""
        if find_spec("numpy") is None:
            return []
        return [one for weights in self.models for layer in weights.trained for one in self._measured(weights, layer)]

    def _measured(self, weights: Weights, layer: StoredLayer) -> Iterator[Measured]:
        fit, target = self._taker(layer)
        if target is None and self.nets:
            return
        kind = type(target) if target is not None else layer_class(layer.type)
        for number, blob in layer.blobs.items():
            try:
                found = None if blob.problem else statistics(blob)
            except Unreadable as error:
                self.unread.append((weights.path, str(error)))
                continue
            if found is not None:
                yield Measured(weights, layer, number, blob, found, kind, fit, target)

    def _taker(self, layer: StoredLayer) -> tuple[Fit | None, BuiltLayer | None]:
        taken = (self._takers[id(blob)] for blob in layer.blobs.values() if id(blob) in self._takers)
        _, fit, target = min(taken, key=itemgetter(0), default=(0, None, None))
        return fit, target

    @cached_property
    def _takers(self) -> dict[int, tuple[int, Fit, BuiltLayer]]:
        """Which layer of which net is the first to take a blob, by the blob's id, with its turn among all copies."""
        turns = count()
        found: dict[int, tuple[int, Fit, BuiltLayer]] = {}
        for fit in self.fits:
            for copy in fit.taken.copies:
                found.setdefault(id(copy.blob), (next(turns), fit, copy.param.layer))
        return found

    def at_blob(self, one: Measured) -> Place:
        """The layer in the text of the net, or the blob in the file where no net has it."""
        if one.fit is not None and one.target is not None:
            return one.fit.at(one.target)
        return self.at(one.weights, one.layer.name, one.number)

    def at(self, weights: Weights | State, layer: str = "", blob: int | None = None) -> Place:
        """A file of weights, a layer or a blob in it, by name."""
        name = layer if blob is None else f"{layer}/{blob}"
        source = Name(name.encode("utf-8", "surrogateescape"), weights.path)
        root = Field("", 0, 0, len(source.data), MESSAGE, "", [])
        path = () if blob is None else (f"blobs[{blob}]",)
        return Place(Document(source, root, [], 0), 0, len(source.data), layer, path)


class Name(Source):
    """The name of something in a file that has no lines."""

    has_lines = False
