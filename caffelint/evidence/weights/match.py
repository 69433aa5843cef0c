"""Layers that were renamed, by the shapes of their blobs and their order."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.weights.copying import Copied
from caffelint.caffe.weights.stored import StoredLayer

_SHARE = 0.25
"""Of the layers that find no weights so many have to be found by shape and order."""


class Renamed(NamedTuple):
    """A layer of a net, and one of another name in the file that has blobs of the same shapes at the same place."""

    source: StoredLayer
    target: BuiltLayer


def renamed(found: Copied) -> list[Renamed]:
    """Pairs of layers that find no weights and of layers that nothing takes, in the order of both."""
    sources = [layer for layer in found.ignored if layer.blobs]
    targets = [layer for layer in found.missing if layer.params]
    stored = [tuple(bare(blob.shape) for blob in layer.blobs.values()) for layer in sources]
    wanted = [tuple(bare(param.shape) for param in layer.params or ()) for layer in targets]
    blocks = SequenceMatcher(None, stored, wanted, autojunk=False).get_matching_blocks()
    pairs = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    if len(pairs) < _SHARE * len(targets):
        return []  # some shape or other is the same in any two nets
    return [Renamed(sources[source], targets[target]) for source, target in pairs]


def bare(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape without the ones that the old format has in front."""
    first = next((axis for axis, dim in enumerate(shape) if dim != 1), len(shape))
    return tuple(shape[first:])
