"""What Caffe makes of a net in a state, or why it would not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from caffelint.caffe.fork_fields import has_fork_fields
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.refusal import OF_SHAPES, Kind, Refusal
from caffelint.caffe.shapes import Shape, count
from caffelint.caffe.states import State
from caffelint.caffe.values import Values, value_facts
from caffelint.caffe.written import WrittenLayer

_LEAVING_WIRES = OF_SHAPES | {Kind.BOTTOM_COUNT}


class BuiltNet:
    """What Caffe makes of a net in one state.

    written: the layers of the text, whether the state keeps them or not.
    states: all states that have this build, since they keep the same layers; the state that was built comes first.
    layers: in Caffe's order, the splits that it inserts included (their `index` is None).
    blobs: last version of each blob by name, in Caffe's order. outputs: names of the blobs that nothing reads, sorted.
    excluded: the LayerParameter messages that this state leaves out, with their places in the net.
    assumed: shapes that were taken as likely, by blob name. refusals: Caffe's own first.
    memory: bytes that Caffe logs as "Memory required for data", None where unknown.
    """

    def __init__(self, message: Any, written: Sequence[WrittenLayer], states: Sequence[State]) -> None:
        self.message = message
        self.written = written
        self.name: str = message.name
        self.states = tuple(states)
        self.state = self.states[0]
        self.phase, self.stages, self.level = self.state
        self.layers: list[BuiltLayer] = []
        self.blobs: dict[str, Blob] = {}
        self.outputs: list[str] = []
        self.excluded: list[tuple[int, Any]] = []
        self.refusals: list[Refusal] = []
        self.memory: int | None = None
        self.assumed: dict[str, Shape] = {}

    @cached_property
    def is_sound(self) -> bool:
        """Does it load, with as many bottoms and tops of each layer as its type takes?

        A layer of a fork that is not known is not refused for having others.
        """
        return not self.refusals and all(
            layer.wanted_bottoms().fits(len(layer.bottoms)) and layer.wanted_tops().fits(len(layer.tops))
            for layer in self.layers
        )

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases of its states."""
        return tuple(dict.fromkeys(state.phase for state in self.states))

    @property
    def inputs(self) -> list[Blob]:
        """The blobs that layers without bottoms make, in Caffe's order."""
        return [blob for layer in self.layers if not layer.bottoms for blob in layer.tops]

    @cached_property
    def followers(self) -> dict[BuiltLayer, BuiltLayer]:
        """The layer that comes next in the text, of those that are built; the last one has none."""
        of_text = [layer for layer in self.layers if layer.index is not None]
        return dict(pairwise(of_text))

    def release(self) -> None:
        """Undo the circles between layers, blobs and parameters of a net that nobody needs any more.

        It is freed at once then; left to the garbage collector, nets cost a fifth of the time of a check.
        """
        for layer in self.layers:
            layer.bottoms.clear()
            layer.tops.clear()
            layer.params = ()

    @cached_property
    def values(self) -> dict[Blob, Values]:
        """What is known of the values in each version of each blob."""
        return value_facts(self)

    @cached_property
    def has_loss(self) -> bool:
        """Has a layer a loss weight other than 0?"""
        return any(any(layer.loss_weights) for layer in self.layers)

    @cached_property
    def may_be_scored(self) -> bool:
        """May a layer say how good the net is, or hand on what it predicts: to a file, or to what nobody knows?"""
        return self.has_loss or any(
            layer.looks_like_a_loss
            or layer.looks_like_a_measure
            or layer.writes
            or _holds_against_data(layer)
            or (_is_end(layer) and (not layer.known or layer.fork))
            for layer in self.layers
        )

    @cached_property
    def is_wired(self) -> bool:
        """Do its blobs connect its layers, and have its losses their weights, as if nothing were refused?

        A layer whose shapes do not fit, or that has a bottom too many, changes neither; a bottom that nothing makes, or
        a refused loss, does.
        """
        if not self.refusals:
            return True
        losses = {layer.index for layer in self.layers if not layer.known or layer.is_loss or layer.given_loss_weights}
        return all(one.kind in _LEAVING_WIRES and one.index not in losses for one in self.refusals)

    @property
    def loads(self) -> bool | None:
        """Would Caffe load it? None where that hangs on something unknown. Data files are taken to be there."""
        if self.refusals:
            return False
        return True if self.is_known else None

    @property
    def is_fork(self) -> bool:
        """Is it written for a fork of Caffe, by its types or fields? What Caffe 1.0 refuses such a fork may take."""
        return any(layer.fork or (not layer.known and layer.type != "Python") for layer in self.layers) or any(
            has_fork_fields(message) for message in self.message.layer
        )

    @property
    def is_known(self) -> bool:
        """Is nothing in it unknown: no shape, no parameter, no type?"""
        return self.memory is not None and all(layer.known and layer.params is not None for layer in self.layers)


def _is_end(layer: BuiltLayer) -> bool:
    return not any(top.consumers for top in layer.tops)


def _holds_against_data(layer: BuiltLayer) -> bool:
    """Does a layer without weights compute something of what others made and of what only data layers bring?

    A Crop takes only the size of the latter.
    """
    if layer.has_weights or layer.rearranges or len(layer.bottoms) < 2:
        return False
    makers = [blob.maker for blob in layer.bottoms]
    return len({bool(maker is None or maker.bottoms) for maker in makers}) > 1


def memory_of(layers: Sequence[BuiltLayer]) -> int | None:
    """The bytes of all tops; None where a shape is unknown."""
    values = 0
    for layer in layers:
        for blob in layer.tops:
            if blob.shape is None:
                return None
            values += count(blob.shape)
    return 4 * values
