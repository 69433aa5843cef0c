"""What only the layers of a stage make."""

from __future__ import annotations

from caffelint.lint import Layer, Net


def filled_in(net: Net) -> frozenset[str]:
    """What data layers of a stage make, whose sources are not given yet."""
    made = (layer for layer in _by_stage(net) if layer.kind.data_block and not layer.kind.data_source)
    return frozenset(top for layer in made for top in layer.tops)


def made_by_stage(net: Net) -> frozenset[str]:
    return frozenset(top for layer in _by_stage(net) for top in layer.tops)


def _by_stage(net: Net) -> list[Layer]:
    return [layer for layer in net.conditional if layer.depends_on_stage]
