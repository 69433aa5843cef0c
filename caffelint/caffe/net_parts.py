"""The parts of a built net that are not layers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from caffelint.caffe.shapes import PartialShape, Shape

if TYPE_CHECKING:
    from caffelint.caffe.layers.base import BuiltLayer


_FARTHEST = 100
"""Layers that are passed on the way up, one by one for each that asks: no net has as many in a row."""


class Blob:
    """One version of a blob: an in-place layer makes a new version of the blob that it overwrites.

    name: as Caffe names it, splits included. shape: None where unknown. producer: the layer that writes this version,
    as its top number `top`; None for a blob that nothing makes. partial: where the shape is unknown, the sizes that are
    known of it; None if not even the number of axes is. previous: the version that this one overwrites.
    consumers: (layer, bottom number) of those that read this version. version: 0, then one more for each overwriting.
    """

    __slots__ = ("consumers", "name", "need_backward", "partial", "previous", "producer", "shape", "top", "version")

    def __init__(self, name: str, producer: BuiltLayer | None, top: int, previous: Blob | None = None) -> None:
        self.name = name
        self.producer = producer
        self.top = top
        self.previous = previous
        self.shape: Shape | None = None
        self.partial: PartialShape | None = None
        self.consumers: list[tuple[BuiltLayer, int]] = []
        self.version: int = 0 if previous is None else previous.version + 1
        self.need_backward = False

    @property
    def original(self) -> Blob:
        """The blob that this one is a copy of, above the splits that Caffe inserts; mostly itself."""
        blob = self
        while blob.producer is not None and blob.producer.index is None and blob.producer.bottoms:
            blob = blob.producer.bottoms[0]
        return blob

    @property
    def maker(self) -> BuiltLayer | None:
        """The layer of the text that makes this version, above the splits that Caffe inserts."""
        return self.original.producer

    def maker_beyond(self, passed: Callable[[BuiltLayer], bool | None]) -> BuiltLayer | None:
        """The nearest layer of the text above, along first bottoms, that is none of those to be passed."""
        maker = self.maker
        for _ in range(_FARTHEST):
            if maker is None or not maker.bottoms or not passed(maker):
                return maker
            maker = maker.bottoms[0].maker
        return None

    @property
    def depends_on(self) -> list[BuiltLayer]:
        """All layers that it depends on, inserted splits among them, the nearest first."""
        return makers_of([self])

    @property
    def readers(self) -> list[tuple[BuiltLayer, int]]:
        """The layers of the text that read this version, each with the number of its bottom; below inserted splits."""
        found = []
        for layer, number in self.consumers:
            if layer.index is None:
                found += [reader for top in layer.tops for reader in top.readers]
            else:
                found.append((layer, number))
        return found

    def __repr__(self) -> str:
        return f"<Blob {self.name!r} version {self.version}, {self.shape}>"


def makers_of(blobs: Iterable[Blob]) -> list[BuiltLayer]:
    """All layers that one of these depends on, inserted splits among them, the nearest first."""
    found: dict[BuiltLayer, None] = {}
    pending = deque(blob.producer for blob in blobs)
    while pending:
        layer = pending.popleft()
        if layer is not None and layer not in found:
            found[layer] = None
            pending += [one.producer for one in layer.bottoms]
    return list(found)


class Param:
    """One parameter blob of a layer.

    name: of its `param` block, "" without. owner: the parameter whose blob it shares, None where it has its own.
    lr_mult, decay_mult: of its own `param` block, or Caffe's default. lr_of, decay_of: of an owner, the parameter
    whose `param` block gives that value, None where it is the default.
    """

    __slots__ = ("decay_mult", "decay_of", "index", "layer", "lr_mult", "lr_of", "name", "owner", "shape")

    def __init__(
        self, layer: BuiltLayer, index: int, shape: Shape, name: str, lr_mult: float, decay_mult: float
    ) -> None:
        self.layer = layer
        self.index = index
        self.shape = shape
        self.name = name
        self.lr_mult = lr_mult
        self.decay_mult = decay_mult
        self.lr_of: Param | None = None
        self.decay_of: Param | None = None
        self.owner: Param | None = None
