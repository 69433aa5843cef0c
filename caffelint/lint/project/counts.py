"""How many bottoms and tops the layer classes of a project take, from the text of their headers."""

from __future__ import annotations

from collections.abc import Mapping

from caffelint.schema.project import TakenCounts
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_CLASS = compiled_later(r"\bclass (\w+) ?: ?public (\w+) ?<")
_COUNT = compiled_later(
    r"\b(ExactNum|Min|Max)(Bottom|Top)Blobs ?\( ?\) ?const(?: override)? ?\{ ?return (-?\d{1,3}) ?; ?\}"
)
_NAMED = compiled_later(r"\b(?:ExactNum|Min|Max)(?:Bottom|Top)Blobs ?\(")
_AUTO = compiled_later(r"\bAutoTopBlobs ?\( ?\) ?const(?: override)? ?\{ ?return true ?; ?\}")
_BASE = "Layer"
_DEEPEST = 10


class LayerClass(NamedTuple):
    """A class that is derived from another one, and the counts that it tells; None if it computes them."""

    base: str
    counts: Mapping[str, int] | None


def layer_classes(text: str) -> dict[str, LayerClass]:
    """The classes of a header, which has no comments (layer.hpp ExactNumBottomBlobs and others)."""
    text = " ".join(text.split())
    heads = list(_CLASS.finditer(text))
    found = {}
    for number, head in enumerate(heads):
        body = text[head.end() : heads[number + 1].start() if number + 1 < len(heads) else len(text)]
        told = _COUNT.findall(body)
        counts = {kind + side: int(value) for kind, side, value in told}
        if _AUTO.search(body):
            counts["Auto"] = 1
        known = len(told) == len(_NAMED.findall(body))
        found[head[1]] = LayerClass(head[2], counts if known else None)
    return found


def taken_counts(type_: str, classes: Mapping[str, LayerClass]) -> TakenCounts | None:
    """What a layer type takes; None if that is not told by its class and those that it derives from."""
    counts: dict[str, int] = {}
    name = f"{type_}Layer"
    for _ in range(_DEEPEST):
        if name == _BASE:
            least_tops, most_tops = _range(counts, "Top")
            return TakenCounts(*_range(counts, "Bottom"), 0 if counts.get("Auto") else least_tops, most_tops)
        class_ = classes.get(name)
        if class_ is None or class_.counts is None:
            return None
        counts = {**class_.counts, **counts}
        name = class_.base
    return None


def _range(counts: Mapping[str, int], side: str) -> tuple[int, int]:
    exact = counts.get(f"ExactNum{side}", -1)
    if exact >= 0:
        return exact, exact
    return max(0, counts.get(f"Min{side}", 0)), counts.get(f"Max{side}", -1)
