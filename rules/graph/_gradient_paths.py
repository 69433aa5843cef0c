"""Where gradients go in a net, and where none is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caffelint.lint import Net
from caffelint.lint.built import BuiltLayer, BuiltNet


def leads_elsewhere(one: BuiltNet, cut: BuiltLayer) -> set[BuiltLayer]:
    """The layers that a loss trains by a way that is not cut there."""
    found: set[BuiltLayer] = set()
    for layer in reversed(one.layers):
        readers = (reader for top in layer.tops for reader, _ in top.consumers if reader is not cut)
        if any(layer.loss_weights) or any(reader in found for reader in readers):
            found.add(layer)
    return found


def layers_below(one: BuiltNet, starts: Iterable[BuiltLayer]) -> Iterator[BuiltLayer]:
    """All layers that depend on what one of `starts` makes, in Caffe's order."""
    reached = {*starts}
    for layer in one.layers:
        if any(blob.producer in reached for blob in layer.bottoms):
            reached.add(layer)
            yield layer


def switched_off(net: Net, one: BuiltNet) -> set[BuiltLayer]:
    """Layers that lead to a loss with an explicit weight of 0."""
    off = {layer.index for layer in net.layers_having("loss_weight") if not any(layer.message.loss_weight)}
    found: set[BuiltLayer] = set()
    for layer in reversed(one.layers):
        if layer.index in off or any(reader in found for top in layer.tops for reader, _ in top.consumers):
            found.add(layer)
    return found


def silenced(one: BuiltNet) -> set[BuiltLayer]:
    """Layers of which all that they make ends in a Silence, or in a file: on purpose."""
    found: set[BuiltLayer] = set()
    for layer in reversed(one.layers):
        readers = [reader for top in layer.tops for reader, _ in top.consumers]
        if layer.known and not layer.is_loss and found.issuperset(readers) and (readers or not layer.tops):
            found.add(layer)
    return found


def dangling(one: BuiltNet) -> set[BuiltLayer]:
    """Layers that lead to a blob that nothing reads; `unused-blob` reports those."""
    found: set[BuiltLayer] = set()
    for layer in reversed(one.layers):
        readers = [[reader for reader, _ in top.consumers] for top in layer.tops]
        if any(not row or any(len(one.bottoms) == 1 and one in found for one in row) for row in readers):
            found.add(layer)
    return found
