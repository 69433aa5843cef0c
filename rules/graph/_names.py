"""A name for a layer, as its net names others of its type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

from caffelint.lint import Layer, Net, compiled_later

_NUMBERED = compiled_later(r"([A-Za-z_-]*?)([_/-]?\d[\w/-]*)", re.ASCII)
"""A stem and what counts: `conv` and `4_1`."""
_LAST_NUMBER = compiled_later(r"(.*[_-])(\d{1,9})")


_MOST_ALIKE = 50
"""How many layers of a type are looked at to see how the net names them."""


class Names:
    """Gives names to layers of a net that no other layer of it has, each once."""

    def __init__(self, net: Net):
        self._taken = {layer.name for layer in net.layers}
        self._alike: dict[str, dict[str, Layer]] = {}
        for layer in net.layers:
            alike = self._alike.setdefault(layer.type, {})
            if len(alike) <= _MOST_ALIKE:
                alike.setdefault(layer.name, layer)
        self._numbers: dict[str, int] = {}

    def free(self, layer: Layer, other: Layer) -> str:
        """A name for `layer`, which shares its name with `other`."""
        name = next(name for name in self._choices(layer, other) if name and name not in self._taken)
        self._taken.add(name)
        return name

    def _choices(self, layer: Layer, other: Layer) -> Iterator[str]:
        others = (each for name, each in self._alike[layer.type].items() if name != layer.name)
        alike = list(islice(others, _MOST_ALIKE))
        stem = layer.name or layer.tops[0]
        if layer.type == other.type or not layer.bottoms:
            if numbered := _LAST_NUMBER.fullmatch(layer.name):
                yield from self._counted(numbered[1], int(numbered[2]) + 1)
            if 2 * sum(each.name in each.tops for each in alike) >= len(alike):
                yield from layer.tops[:1]
        else:
            counts = Counter(_as_alike(layer, alike))
            yield from sorted(counts, key=lambda name: (name not in layer.tops, -counts[name]))
            stem = f"{layer.kind.nickname or layer.type.lower()}_{stem}"
            yield stem
        yield from self._counted(f"{stem}_", 2)

    def _counted(self, stem: str, first: int) -> Iterator[str]:
        """The stem with numbers, continuing from the last that was asked for."""
        for number in count(max(first, self._numbers.get(stem, 0))):
            self._numbers[stem] = number
            yield f"{stem}{number}"


def _as_alike(layer: Layer, alike: list[Layer]) -> Iterator[str]:
    """What each layer of the type would make of this one's blobs: `drop_` before it, its number after `drop`."""
    for each in alike:
        for blob, own in ((each.bottoms[:1], layer.bottoms[:1]), (each.tops[:1], layer.tops[:1])):
            if not blob or not own or not blob[0]:
                continue
            before, found, after = each.name.partition(blob[0])
            if found and before + after:
                yield f"{before}{own[0]}{after}"
                continue
            name, read, written = (_NUMBERED.fullmatch(text) for text in (each.name, blob[0], own[0]))
            if name and read and written and name[2] == read[2] and name[1] and name[1] != read[1]:
                yield name[1] + written[2]
