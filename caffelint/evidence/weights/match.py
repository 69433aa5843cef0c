"""Layers that were renamed, by the shapes of their blobs and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.weights.copying import Copied
from caffelint.caffe.weights.stored import StoredLayer

_SHARE = 0.25
"""Of the layers that find no weights so many have to be found by shape and order."""

_MOST = 2 * 10**7
"""What `SequenceMatcher` may have to do, which grows with the cube of how many layers have one shape: half a second."""
_Shapes = tuple[tuple[int, ...], ...]
"""Of the blobs of a layer."""


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
    pairs = list(pairs_of(stored, wanted))
    if len(pairs) < _SHARE * len(targets):
        return []  # some shape or other is the same in any two nets
    return [Renamed(sources[source], targets[target]) for source, target in pairs]


def pairs_of(stored: Sequence[_Shapes], wanted: Sequence[_Shapes]) -> Iterator[tuple[int, int]]:
    """Which are the same, by their places. Of very many layers, only those at the beginning and at the end."""
    often = Counter(wanted)
    least = min(len(stored), len(wanted))
    if sum(often[shapes] for shapes in stored) * least <= _MOST:
        for block in SequenceMatcher(None, stored, wanted, autojunk=False).get_matching_blocks():
            yield from ((block.a + step, block.b + step) for step in range(block.size))
        return
    begin = next((at for at in range(least) if stored[at] != wanted[at]), least)
    end = next((at for at in range(least - begin) if stored[-1 - at] != wanted[-1 - at]), least - begin)
    yield from ((at, at) for at in range(begin))
    yield from ((len(stored) - at, len(wanted) - at) for at in range(end, 0, -1))


def bare(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape without the ones that the old format has in front."""
    first = next((axis for axis, dim in enumerate(shape) if dim != 1), len(shape))
    return tuple(shape[first:])
