"""The number of outputs with which predictions fit what a loss compares them with."""

from __future__ import annotations

from math import prod

from caffelint.lint import Kind, Refused, title


def fitting_outputs(refused: Refused) -> str:
    """What to set, where one bottom of a loss is made by an InnerProduct and the other by none; else empty."""
    if refused.refusal.kind is not Kind.SHAPES_DIFFER or len(refused.layers) != 1:
        return ""
    layer, net = refused.layers[0], refused.net
    built = next((one for state in net.states() for one in state.layers if one.index == layer.index), None)
    if built is None or not layer.kind.compares_maps or len(built.bottoms) < 2:
        return ""
    makers = [blob.maker_beyond(lambda one: one.keeps_channels and not one.shaped_by) for blob in built.bottoms[:2]]
    scores = [number for number, maker in enumerate(makers) if maker is not None and maker.type == "InnerProduct"]
    maker = makers[scores[0]] if len(scores) == 1 else None
    targets = built.bottoms[1 - scores[0]].shape if maker is not None else None
    if maker is None or maker.index is None or not targets or maker.parameters.axis != 1:
        return ""
    wanted, given = prod(targets[1:]), maker.parameters.num_output
    remedy = f"set num_output: {wanted} in {title(net.layers[maker.index])}, or give {given} targets for each item"
    return remedy if wanted != given else ""
