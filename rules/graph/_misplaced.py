"""Which name was meant where a top or a blob in place is another layer's."""

from __future__ import annotations

from caffelint.lint import UNSAFE, Edits, Fix, Layer, NamedTuple, Net, Refused, fix, quoted, write

_LONGEST = 10
"""Layers whose tops are shifted."""


class Above(NamedTuple):
    """blob: what the layer just above makes. layers: those that are to read it, the first of them in place."""

    blob: str
    layers: list[Layer]


def meant_in_place(refused: Refused) -> Above | None:
    """What a layer should work on in place rather than a blob that others read: what the layer above joins for nobody.

    A layer that is called so is of that blob as well, `scale_conv2` of `conv2`.
    """
    layer, wrong = refused.layers[0], refused.refusal.values["blob"]
    if len(refused.layers) > 1 or len(layer.bottoms) > 1 or len(layer.tops) > 1 or not layer.index:
        return None
    above, readers = layer.net.layers[layer.index - 1], layer.net.once(_readers)
    if not above.bottoms or len(above.tops) != 1 or above.tops[0] == wrong or above.kind.looks_like_a_loss:
        return None
    blob = above.tops[0]
    if len(above.bottoms) > 1 and readers.get(blob, [above])[-1].index < layer.index:
        return Above(blob, [layer, *(other for other in readers[wrong] if other.index > layer.index)])
    return Above(blob, [layer]) if layer.name.endswith((f"_{blob}", f"/{blob}")) else None


def _readers(net: Net) -> dict[str, list[Layer]]:
    found: dict[str, list[Layer]] = {}
    for layer in net.layers:
        for name in layer.bottoms:
            found.setdefault(name, []).append(layer)
    return found


def reading(above: Above, wrong: str) -> tuple[Fix, ...]:
    """The fix that lets them read it."""
    edits: list[Edits] = [
        write(layer, "bottom", index, value=quoted(above.blob))
        for layer in above.layers
        for index, name in enumerate(layer.bottoms)
        if name == wrong
    ]
    edits.append(write(above.layers[0], "top", 0, value=quoted(above.blob)))
    return fix(f'set bottom and top: "{above.blob}"', UNSAFE, *edits)


def shifted(refused: Refused) -> list[Layer]:
    """The layers above whose tops are not called as they are, where the layer that makes one anew is: `ip2` makes
    `feat`, which layer `feat` makes, and `ip1` makes `ip2`. Empty where that is not so.
    """
    layer, blob = refused.layers[0], refused.refusal.values["blob"]
    found: list[Layer] = []
    if len(refused.layers) > 1 or layer.name != blob or layer.kind.is_data:
        return []
    above = layer.net.layers[: layer.index]
    while len(found) < _LONGEST and (
        made := next((one for one in reversed(above) if blob in one.tops and blob not in one.bottoms), None)
    ):
        if made.name == blob or not made.bottoms or len(made.tops) > 1 or made in found:
            return []
        found.append(made)
        blob = made.name
    return found


def as_called(layers: list[Layer]) -> tuple[Fix, ...]:
    """The fix that gives each layer the top that it is called after."""
    return fix("name tops as their layers", UNSAFE, *(write(one, "top", 0, value=quoted(one.name)) for one in layers))
