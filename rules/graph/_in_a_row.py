"""Two layers with weights in a row, and what the two save or lose against one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from caffelint.lint import DISPLAY, Fix, Layer, NamedTuple, fix, layer_beside, quoted, unused_name
from caffelint.lint.built import Blob, BuiltLayer, BuiltNet


class _Sizes(NamedTuple):
    """What a layer sums up. taps: of the kernel; extent, step: along both sides; inputs: None where unknown."""

    inputs: int | None
    outputs: int
    axis: int
    taps: int = 1
    extent: tuple[int, int] = (1, 1)
    step: tuple[int, int] = (1, 1)


def is_idle(first: BuiltLayer, second: BuiltLayer) -> bool:
    """Does the first of two layers in a row add nothing?"""
    return _has_own_weights(first) and _has_own_weights(second) and not _saves(first, second)


def is_wide(first: BuiltLayer, second: BuiltLayer) -> bool:
    """Do two layers with windows follow each other, the first of which narrows nothing, as a bottleneck would?"""
    one, two = _sizes(first), _sizes(second)
    if one is None or two is None or not (_has_own_weights(first) and _has_own_weights(second)):
        return False
    # One that takes steps makes a map smaller, as a pooling would.
    return one.outputs >= max(one.inputs or 0, two.outputs) and min(one.taps, two.taps) > 1 and one.step == (1, 1)


def takes_steps(layer: BuiltLayer) -> bool:
    """Would the maps after it have another size without it?"""
    return any(window.stride > 1 for window in layer.written_windows() or ())


def _has_own_weights(layer: BuiltLayer) -> bool:
    """Are its weights its own, and learned?"""
    specs = layer.message.param
    return bool(layer.learns) and not any(spec.name for spec in specs) and all(spec.lr_mult for spec in specs[:1])


def _saves(first: BuiltLayer, second: BuiltLayer) -> bool:
    """Have two layers fewer weights than the one that computes the same, or less to say than that; or is it unknown?"""
    one, two = _sizes(first), _sizes(second)
    if one is None or two is None or first.type != second.type or one.axis != two.axis:
        return True
    if one.outputs < min(two.outputs, one.inputs or two.outputs):
        return True
    both = prod(a + (b - 1) * step for a, b, step in zip(one.extent, two.extent, one.step, strict=True))
    grows = one.outputs * one.taps - two.outputs * both
    if one.inputs is None:
        return grows < 0
    return one.inputs * grows + one.outputs * two.outputs * two.taps < 0


def _sizes(layer: BuiltLayer) -> _Sizes | None:
    if getattr(layer.parameters, "group", 1) != 1 or len(layer.bottoms) != 1:
        return None  # forks give weights as a second bottom
    outputs, axis = layer.parameters.num_output, layer.parameters.axis
    shape = layer.bottoms[0].shape
    windows = layer.written_windows()
    if windows is None:
        if layer.block != "inner_product_param":
            return None
        return _Sizes(prod(shape[axis:]) if shape else None, outputs, axis)
    tall, wide = windows
    if tall.kernel != wide.kernel:
        return None
    channels = shape[1] if shape and len(shape) == 4 else None
    taps, extent = tall.kernel * wide.kernel, (tall.extent, wide.extent)
    return _Sizes(channels, outputs, axis, taps, extent, (tall.stride, wide.stride))


def means_straight(net: BuiltNet, pairs: Sequence[tuple[BuiltLayer, BuiltLayer]]) -> bool:
    """May a net without activations be meant to have none? Something else in it bends, or one pair is a factorisation:
    a Dropout between shows that a hidden layer is meant.
    """
    drops = any(one.draws_at_random for first, _ in pairs for top in first.tops for one, _ in top.readers)
    return not _is_straight(net) or len(pairs) < 2 and not drops


def _is_straight(net: BuiltNet) -> bool:
    """Is what a net computes one weighted sum of its data, up to its losses?"""
    between = (layer for layer in net.layers if layer.bottoms and layer.index is not None and not _is_end(layer))
    return all(is_weighted_sum(layer) or _is_passed(layer) or _is_moved(layer) for layer in between)


def _is_end(layer: BuiltLayer) -> bool:
    return bool(layer.is_loss) or not any(top.readers for top in layer.tops)


def _is_moved(layer: BuiltLayer) -> bool:
    """Does it give its bottoms again, in one blob or in another shape, or learned vectors for indices?"""
    is_table = layer.has_weights and not layer.has_backward
    return bool(layer.known and not layer.fork and (layer.hands_on or layer.rearranges or is_table))


def is_weighted_sum(layer: BuiltLayer | type[BuiltLayer]) -> bool:
    return bool(layer.is_linear and layer.has_weights and not layer.upsamples and not layer.fork)


def bend(layer: BuiltLayer) -> str:
    """The type of the activation after a layer; empty where there is none."""
    blob = layer.tops[0] if layer.tops else None
    while blob is not None and len(blob.readers) == 1:
        reader = blob.readers[0][0]
        if reader.is_activation:
            return reader.type
        blob = reader.tops[0] if _is_passed(reader) and reader.tops else None
    return ""


def activated(layer: Layer, kind: str) -> tuple[Fix, ...]:
    """An activation in place after a layer that is part of the net in all states."""
    if layer.is_conditional:
        return ()
    name, top = (
        unused_name(f"{layer.name}_{kind.lower()}", [one.name for one in layer.net.layers]),
        quoted(layer.tops[0]),
    )
    fields = [("name", quoted(name)), ("type", quoted(kind)), ("bottom", top), ("top", top)]
    return fix(f'add a {kind} after "{layer.name}"', DISPLAY, layer_beside(layer, fields, before=False))


def before(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer with weights that a layer goes on from, with nothing between that bends and nobody else reading."""
    if len(layer.bottoms) != 1:
        return None
    blob: Blob = layer.bottoms[0]
    is_shaped = False
    while len(blob.readers) == 1 and blob.producer is not None and blob.producer.index is not None:
        maker = blob.producer
        if is_weighted_sum(maker):
            return maker if not is_shaped or _is_full(maker) and _is_full(layer) else None
        if _is_shaped(maker):
            is_shaped = True
        elif not _is_passed(maker):
            break
        blob = maker.bottoms[0]
    return None


def _is_full(layer: BuiltLayer) -> bool:
    """Does it sum up all that an item has, whatever its shape?"""
    return layer.block == "inner_product_param" and layer.parameters.axis == 1


def _is_shaped(layer: BuiltLayer) -> bool:
    """Does it give each item another shape, and nothing else?"""
    if not layer.hands_on or layer.keeps_channels or not len(layer.bottoms) == len(layer.tops) == 1:
        return False
    before, after = layer.bottoms[0].shape, layer.tops[0].shape
    return bool(before and after and before[0] == after[0])


def _is_passed(layer: BuiltLayer) -> bool:
    """Does a layer leave a weighted sum one, whatever it learns?"""
    if not layer.known or layer.fork or len(layer.bottoms) != 1 or len(layer.tops) != 1:
        return False
    moves = layer.hands_on and layer.keeps_channels
    return bool(moves or layer.is_linear and not layer.has_weights or layer.keeps_statistics)
