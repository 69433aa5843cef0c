"""What a loss may be meant to compare that gets one blob twice."""

from __future__ import annotations

from caffelint.lint import PHASES, Layer, Net, title


def other_blob(layer: Layer) -> str:
    """A blob that may be meant: one that nothing reads, else what another loss compares with the same blob."""
    unread = [top for index, top in layer.net.once(_unread)[layer.phases[0]][:2] if index < layer.index]
    if len(unread) == 1:
        return f', such as "{unread[0]}", which no layer reads'
    for name in layer.bottoms:
        one = layer.net.once(_compared)[layer.phases[0]].get(name)
        if one is not None and one.bottoms[0] not in layer.bottoms:
            return f', such as "{one.bottoms[0]}", which {title(one)} compares with "{name}"'
    return ""


def _unread(net: Net) -> dict[str, list[tuple[int, str]]]:
    """The tops of each phase that no layer reads, but for losses and measures, each with the number of its layer."""
    found = {}
    for phase in PHASES:
        layers = net.in_phase(phase)
        read = {name for one in layers for name in one.bottoms}
        others = [one for one in layers if not (one.kind.looks_like_a_loss or one.kind.looks_like_a_measure)]
        found[phase] = [(one.index, top) for one in others for top in one.tops if top not in read]
    return found


def _compared(net: Net) -> dict[str, dict[str, Layer]]:
    """Of each blob that a loss compares its first bottom with, the first such loss in each phase."""
    found: dict[str, dict[str, Layer]] = {}
    for phase in PHASES:
        of_phase = found.setdefault(phase, {})
        for one in net.in_phase(phase):
            if one.kind.looks_like_a_loss and len(one.bottoms) > 1 and one.bottoms[0] not in one.bottoms[1:]:
                for name in one.bottoms[1:]:
                    of_phase.setdefault(name, one)
    return found
