"""A name for a layer, as its net names others of its type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from caffelint.lint import Layer

_USUAL = {
    "BatchNorm": "bn",
    "Convolution": "conv",
    "Dropout": "drop",
    "Eltwise": "elt",
    "InnerProduct": "fc",
    "LRN": "norm",
    "Pooling": "pool",
}
"""What people call a layer of a type; others by the type in small letters."""

_NUMBERED = re.compile(r"([A-Za-z_-]*?)([_/-]?\d[\w/-]*)", re.ASCII)
"""A stem and what counts: `conv` and `4_1`."""
_LAST_NUMBER = re.compile(r"(.*[_-])(\d+)")


def free_name(layer: Layer, other: Layer) -> str:
    """A name that no layer of the net has, for `layer`, which shares its name with `other`."""
    taken = {each.name for each in layer.net.layers}
    return next(name for name in _choices(layer, other, len(taken)) if name and name not in taken)


def _choices(layer: Layer, other: Layer, taken: int) -> Iterator[str]:
    alike = [each for each in layer.net.layers if each.type == layer.type and each.name != layer.name]
    stem = layer.name or layer.tops[0]
    if layer.type == other.type or not layer.bottoms:
        if numbered := _LAST_NUMBER.fullmatch(layer.name):
            last = int(numbered[2])
            yield from (f"{numbered[1]}{number}" for number in range(last + 1, last + taken + 2))
        if 2 * sum(each.name in each.tops for each in alike) >= len(alike):
            yield from layer.tops[:1]
    else:
        counts = Counter(_as_alike(layer, alike))
        yield from sorted(counts, key=lambda name: (name not in layer.tops, -counts[name]))
        stem = f"{_USUAL.get(layer.type, layer.type.lower())}_{stem}"
        yield stem
    yield from (f"{stem}_{number}" for number in range(2, taken + 3))


def _as_alike(layer: Layer, alike: list[Layer]) -> Iterator[str]:
    """What each layer of the type would make of this one's blobs: `drop_` before it, its number behind `drop`."""
    for each in alike:
        for blob, own in ((each.bottoms[:1], layer.bottoms[:1]), (each.tops[:1], layer.tops[:1])):
            if not blob or not own or not blob[0]:
                continue
            before, found, behind = each.name.partition(blob[0])
            if found and before + behind:
                yield f"{before}{own[0]}{behind}"
                continue
            name, read, written = (_NUMBERED.fullmatch(text) for text in (each.name, blob[0], own[0]))
            if name and read and written and name[2] == read[2] and name[1] and name[1] != read[1]:
                yield name[1] + written[2]
