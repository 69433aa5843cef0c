"""Which layer computes what another one reads, whatever only scales or bends it between the two."""

from __future__ import annotations

from caffelint.lint import TEST, Layer, Net


def source_of(layer: Layer, bottom: int) -> tuple[str, int] | None:
    """The layer that computes the values in the TEST phase, and the number of its top."""
    known = layer.net.once(_known_sources)
    passed = []
    found = None
    while (place := (layer.index, bottom)) not in known:
        passed.append(place)
        source = layer.maker(bottom, TEST)
        if source is None:
            break
        layer, bottom = source.layer, 0
        if len(layer.bottoms) != 1 or layer.kind.shaped_by or not layer.kind.keeps_channels:
            found = (layer.name, source.top)
            break
    else:
        found = known[place]
    known.update(dict.fromkeys(passed, found))
    return found


def _known_sources(net: Net) -> dict[tuple[int, int], tuple[str, int] | None]:
    """What `source_of` has found in a net, by the number of the layer and of its bottom."""
    return {}
