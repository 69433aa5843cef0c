"""The layer of a training net that one of another name in a test net stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caffelint.lint import Layer, compiled_later, near

from ._sources import source_of

_COMMENTED = compiled_later(r"#[^#\n\"']{0,200}\bname[ \t]*:[ \t]*[\"']([^\"'\n]{1,100})")


def stands_for(layer: Layer, left: Sequence[Layer]) -> str:
    """The layer of the training net that a layer stands for: of those of its type that read what it reads, the one of
    such a name, or the only one that makes as many outputs; empty for none."""
    alike = {one.name: one for one in left if one.type == layer.type and _reads_the_same(one, layer)}
    same = [name for name, one in alike.items() if _outputs(one) == _outputs(layer)]
    return next(iter(near(layer.name, list(alike))), same[0] if len(same) == 1 else "")


def before(layer: Layer, left: Mapping[str, Layer]) -> str:
    """The name of the training net that a layer has as a comment, and what that reads there, if it is another blob."""
    source, node = layer.net.document.source, layer.node
    for found in _COMMENTED.finditer(source.text, node.start, node.end) if node else ():
        one = left.get(found[1])
        if one is not None and one.type == layer.type:
            reads = "".join(f' and bottom: "{blob}"' for blob in one.bottoms if blob not in layer.bottoms)
            return f'name: "{found[1]}" (line {source.line_number(found.start(1))}){reads}'
    return ""


def _outputs(layer: Layer) -> object:
    return getattr(layer.kind.parameters, "num_output", None)


def _reads_the_same(one: Layer, other: Layer) -> bool:
    return _reads(one) == _reads(other) != "" or (len(one.bottoms) == 1 and one.bottoms == other.bottoms)


def _reads(layer: Layer) -> object:
    """What the only bottom of a layer comes from, or its name where no layer gives it in testing; empty for others."""
    return (source_of(layer, 0) or layer.bottoms[0]) if len(layer.bottoms) == 1 else ""
