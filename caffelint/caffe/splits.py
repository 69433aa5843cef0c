"""The Split layers that Caffe inserts: insert_splits.cpp."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Split


def insert_splits(layers: list[BuiltLayer], phase: str, refuse: Callable[[BuiltLayer, int], None]) -> list[BuiltLayer]:
    """A Split after each top with several readers, a loss counted as one (InsertSplits).

    `refuse` is called for each bottom that nothing makes: the layer and the number of the bottom. Changes bottom_names
    and given_loss_weights to what they are after splits.
    """
    last_maker: dict[str, int] = {}
    readers: list[int] = []
    losses: dict[int, float] = {}
    sources: list[list[int]] = []
    shared = False
    for layer in layers:
        source = []
        for name in layer.bottom_names:
            top = last_maker.get(name, -1)
            source.append(top)
            if top < 0:
                refuse(layer, len(source) - 1)
            elif readers[top]:
                readers[top] += 1
                shared = True
            else:
                readers[top] = 1
        sources.append(source)
        for name in layer.top_names:
            last_maker[name] = len(readers)
            readers.append(0)
        weights = layer.given_loss_weights
        if weights:
            for name, weight in zip(layer.top_names, weights, strict=False):
                top = last_maker[name]
                losses[top] = weight
                if weight:
                    readers[top] += 1
                    shared = shared or readers[top] > 1
    return _with_splits(layers, phase, sources, readers, losses) if shared or losses else layers


def _with_splits(
    layers: list[BuiltLayer], phase: str, sources: list[list[int]], readers: list[int], losses: dict[int, float]
) -> list[BuiltLayer]:
    """`readers` counts the readers of each top, `sources` numbers the tops that each layer reads."""
    result = []
    made: dict[int, str] = {}
    used: dict[int, int] = {}
    top = 0
    for layer, source in zip(layers, sources, strict=False):
        result.append(layer)
        for index, maker in enumerate(source):
            if maker >= 0 and readers[maker] > 1:
                number = used.get(maker, 0)
                used[maker] = number + 1
                layer.bottom_names[index] = f"{made[maker]}_split_{number}"
        for index, name in enumerate(layer.top_names):
            if readers[top] > 1:
                stem = made[top] = f"{name}_{layer.name}_{index}"
                tops = [f"{stem}_split_{number}" for number in range(readers[top])]
                split = Split(None, f"{stem}_split", "Split", None, phase, [name], tops)
                weight = losses.get(top)
                if weight:
                    split.given_loss_weights = [weight] + [0.0] * (readers[top] - 1)
                    layer.given_loss_weights = ()
                    used[top] = 1
                result.append(split)
            top += 1
    return result


def makers(layers: Iterable[tuple[str, Iterable[str], Iterable[str]]]) -> dict[str, str]:
    """The first layer that makes each blob, by name, of layers with their bottoms and tops.

    One in place makes none: somebody else has to make its blob before.
    """
    found: dict[str, str] = {}
    for name, bottoms, tops in layers:
        for top in set(tops).difference(bottoms):
            found.setdefault(top, name)
    return found
