"""The blob that a bottom nobody makes is likely to mean."""

from __future__ import annotations

from collections.abc import Collection

from caffelint.lint import TEST, TRAIN, Kind, Layer, NamedTuple, Net, Refused, file_name, near, quoted, title
from caffelint.lint.built import BVLC_TYPES

from ._left_over import compares_without_labels, remedy
from ._parts import input_advice

_KINDS = (Kind.UNKNOWN_BOTTOM, Kind.BOTTOM_USED_UP)
_FAR, _NEAR = 100, 10
_MOST_COMPARED = 3_000_000
"""Characters of names by those that they are compared with, which difflib takes time with the product of."""
_MOST_SIBLINGS = 20
_MOST_FAR = 50
"""So many wrong names of a net are compared with names far away, and all others with those nearby."""


def meant(net: Net, refused: Refused) -> str:
    """The one name above that is like it, or the unread top of a layer that is called so; empty where there is none.

    Of several that are equally near, it is one that nothing reads.
    """
    if not refused.layers or "maker" in refused.refusal.values:
        return ""
    from difflib import SequenceMatcher

    layer = refused.layers[0]
    is_early = any(one is refused for one in net.once(_early))
    made = _made_near(layer, _FAR if is_early else _NEAR)
    wrong = refused.refusal.values["blob"]
    unread = net.once(_unread_names)
    if (called := unread.get(wrong)) and called.layer.index < layer.index:
        return "" if called.top in layer.tops else called.top
    close = _near_in(net, wrong, made, 2)
    if len({SequenceMatcher(None, name, wrong).ratio() for name in close}) < len(close):
        tops = {one.top for one in unread.values()}
        close = [name for name in close if name in tops]
        if len(close) > 1:
            return ""
    return close[0] if close and not _differ_in_number(wrong, close[0]) else ""


def _near_in(net: Net, wrong: str, names: Collection[str], most: int = 1) -> list[str]:
    """Those that are most like a name, up to what may be compared in a net: of thousands of names, nobody means any."""
    compared = net.once(_compared)
    compared.append(len(wrong) * sum(map(len, names)))
    return near(wrong, names, most) if sum(compared) <= _MOST_COMPARED else []


def _compared(_net: Net) -> list[int]:
    """How much was compared so far."""
    return []


class _Unread(NamedTuple):
    layer: Layer
    top: str


def _unread_names(net: Net) -> dict[str, _Unread]:
    """By the names of layers, the only top of each that no layer reads."""
    read = {name for layer in net.layers for name in layer.bottoms}
    alone = (_Unread(layer, layer.tops[0]) for layer in net.layers if len(layer.tops) == 1)
    return {one.layer.name: one for one in alone if one.top not in read}


def _early(net: Net) -> tuple[Refused, ...]:
    return tuple(one for one in net.refused() if one.refusal.kind in _KINDS)[:_MOST_FAR]


def _made_near(layer: Layer, nearby: int) -> tuple[str, ...]:
    """Tops of layers above one.

    A name mostly means an input of the net or a blob nearby; comparing it with thousands would take long.
    """
    layers, read = layer.net.layers, layer.net.once(readings)
    above = [*layers[: min(layer.index, nearby)], *layers[max(layer.index - nearby, nearby) : layer.index]]
    return tuple(dict.fromkeys(top for other in above for top in other.tops if (layer.index, top) not in read))


def readings(net: Net) -> dict[tuple[int, str], list[int]]:
    """The numbers of the bottoms that have a name, by the index of their layer and that name."""
    found: dict[tuple[int, str], list[int]] = {}
    for layer in net.layers:
        for number, name in enumerate(layer.bottoms):
            found.setdefault((layer.index, name), []).append(number)
    return found


def _differ_in_number(one: str, other: str) -> bool:
    """`pool3` is not a typo of `pool2`."""
    differing = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    return len(one) == len(other) and all(a.isdigit() and b.isdigit() for a, b in differing)


def unread_like(net: Net, phase: str, wrong: str) -> tuple[Layer, str] | None:
    """The layer of a phase with a top that no layer of it reads and whose name is like another one."""
    unread = net.once(_unread).get(phase, {})
    close = _near_in(net, wrong, unread)
    return (unread[close[0]], close[0]) if close and not _differ_in_number(wrong, close[0]) else None


def unread_before(refused: Refused) -> str:
    """What the layer just above makes for nobody, or the only input if nobody reads it; else empty.

    A layer is mostly meant to read the one above it, and an input of another name is of no use.
    """
    layer = refused.layers[0] if len(refused.layers) == 1 else None
    if layer is None or not layer.index or "maker" in refused.refusal.values:
        return ""
    above = layer.net.layers[layer.index - 1]
    phase = (refused.phases or above.phases or (TRAIN,))[0]
    last = layer.net.once(_unread_at_last)[phase]
    if above.kind.is_data or not above.bottoms:
        if layer.tops[:1] == layer.bottoms[:1]:
            return ""  # what is missing is the layer that makes it
        return above.tops[0] if len(above.tops) == 1 and layer.index == 1 and above.tops[0] in last else ""
    if _is_looked_at(above):
        return ""  # made to be looked at
    return above.tops[-1] if above.tops and last.get(above.tops[-1]) is above else ""


def only_unread(refused: Refused) -> str:
    """The one top above that no layer of the phase reads, if the bottom is the one name of the net that none makes.

    Else empty. A loss or a measure is made to be looked at, and reads no images; labels, and what a layer gives beside
    its first top, may be made for nobody.
    """
    net, layers = refused.net, refused.layers
    first, *others = net.once(_early) or (None,)
    if first is not refused or others or not layers or layers[0].in_place or "maker" in refused.refusal.values:
        return ""
    phase = (refused.phases or layers[0].phases or (TRAIN,))[0]
    early = [
        (top, layer)
        for top, layer in net.once(_unread_at_last)[phase].items()
        if layer.index < layers[0].index and not _is_looked_at(layer)
    ]
    if len(early) != 1:
        return ""
    top, layer = early[0]
    beside = top != layer.tops[0] and (layer.kind.is_data or layer.bottoms)
    if beside or not layer.bottoms and any(map(_is_looked_at, layers)):
        return ""
    return "" if _differ_in_number(refused.refusal.values["blob"], top) else top


def _is_looked_at(layer: Layer) -> bool:
    return layer.kind.looks_like_a_loss or layer.kind.looks_like_a_measure


def _unread_at_last(net: Net) -> dict[str, dict[str, Layer]]:
    """The layers whose tops no later layer of their phase reads, by phases and tops; one in place makes its anew."""
    found: dict[str, dict[str, Layer]] = {TRAIN: {}, TEST: {}}
    for phase, unread in found.items():
        for layer in net.in_phase(phase):
            for name in layer.bottoms:
                unread.pop(name, None)
            unread.update((name, layer) for name in layer.tops)
    return found


def _unread(net: Net) -> dict[str, dict[str, Layer]]:
    """The layers that make the tops which no layer of their phase reads, by phases and tops; of the first ones."""
    found: dict[str, dict[str, Layer]] = {}
    for phase in (TRAIN, TEST):
        layers = [layer for layer in net.layers if phase in layer.phases]
        read = {name for layer in layers for name in layer.bottoms}
        found[phase] = {top: layer for layer in layers[:_FAR] for top in layer.tops if top not in read}
    return found


def meant_or_lacking(net: Net, refused: Refused) -> tuple[str | None, str]:
    """The name that was meant, if one was, and what to do."""
    name = meant(net, refused)
    if not name and (lacking := input_advice(refused)):
        return None, lacking
    if compares_without_labels(refused):
        return None, remedy(refused.layers)
    if called := _called_so(net, refused):
        return None, f'layer "{called.name}" has top "{called.tops[0]}"; set top: "{called.name}" there'
    if name:
        return name, f'did you mean "{name}"?'
    if lost := _made_beside(refused):
        return None, lost
    if unread := unread_before(refused) or only_unread(refused):
        if type_ := _made_of(unread, refused.refusal.values["blob"]):
            return None, f'add the layers that make it of "{unread}", which nothing reads, with {type_} as the last'
        return None, f'did you mean "{unread}", which nothing reads?'
    return None, "correct the name, or add a layer that makes it"


def _called_so(net: Net, refused: Refused) -> Layer | None:
    """The layer above that is called as the missing blob is, and whose top is another layer's."""
    if not refused.layers or "maker" in refused.refusal.values:
        return None
    wrong, layer = refused.refusal.values["blob"], refused.layers[0]
    called, moved = net.once(_unread_names).get(wrong), net.once(_shifted).get(wrong)
    if called and called.top in layer.tops:
        moved = called.layer
    return moved if moved and moved.index < layer.index else None


def _shifted(net: Net) -> dict[str, Layer]:
    """By their names, the layers whose only top is called as another layer is, which does not make it."""
    names = {layer.name: layer for layer in net.layers}
    found = (layer for layer in net.layers if layer.bottoms and len(layer.tops) == 1 and layer.tops[0] != layer.name)
    return {one.name: one for one in found if (other := names.get(one.tops[0])) and one.tops[0] not in other.tops}


def _made_of(blob: str, wrong: str) -> str:
    """The type of layer that a name says to have made it of another blob: Flatten for `mbox_conf_flatten`."""
    word = wrong.removeprefix(blob).strip("_/-").lower() if wrong.startswith(blob) else ""
    return next((type_ for type_ in BVLC_TYPES if type_.lower() == word), "")


def _made_beside(refused: Refused) -> str:
    """What to add where a net beside has the same layer, which reads there what a layer that is missing here makes."""
    made = refused.net.once(_made_in_siblings)
    keys = ((layer.name, layer.type, refused.refusal.values["blob"]) for layer in refused.layers)
    maker = next((made[key] for key in keys if key in made), None)
    if maker is None:
        return ""
    return f"add {title(maker)} and what leads to it, as in {quoted(file_name(maker.net.path))}"


def _made_in_siblings(net: Net) -> dict[tuple[str, str, str], Layer]:
    """The makers in nets beside of what their layers read, by name and type of these and the blob; without those that
    the net has as well.
    """
    names = {layer.name for layer in net.layers}
    found: dict[tuple[str, str, str], Layer] = {}
    for other in net.siblings[:_MOST_SIBLINGS]:
        last: dict[str, Layer] = {}
        for layer in other.layers:
            if layer.name in names:
                for blob in layer.bottoms:
                    if blob in last and last[blob].name not in names:
                        found.setdefault((layer.name, layer.type, blob), last[blob])
            last.update((top, layer) for top in layer.tops if top not in layer.bottoms)
    return found
