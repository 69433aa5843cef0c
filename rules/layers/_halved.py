"""Where a map that layers are to halve again and again gets a size of its own."""

from __future__ import annotations

from caffelint.lint import NamedTuple
from caffelint.lint.built import BuiltLayer, pooled_size

_MAP_AXES = 4


class Odd(NamedTuple):
    """The layer after which the size of the map is not the size of the data by a whole number, and what it should be.

    `cure`: what in the layer brings that about; empty if that is not known.
    """

    layer: BuiltLayer
    side: int
    made: int
    meant: int
    cure: str


def first_odd(last: BuiltLayer, wanted: int) -> Odd | None:
    """The first such layer before another one, whose map would be as `wanted` if each had divided its own exactly."""
    steps: list[tuple[BuiltLayer, int, int, int]] = []
    blob, whole = last.bottoms[0], wanted
    while blob.producer is not None and blob.producer.bottoms:
        layer, before = blob.producer, blob.producer.bottoms[0]
        if before.shape is None or blob.shape is None or len(before.shape) != _MAP_AXES or len(blob.shape) != _MAP_AXES:
            return None
        side, made = before.shape[2], blob.shape[2]
        times = round(side / made) if made > 0 else 0
        if times < 1 or before.shape[2] != before.shape[3]:
            return None
        whole *= times
        steps.append((layer, side, made, times))
        blob = before
    if blob.shape is None or len(blob.shape) != _MAP_AXES or blob.shape[2] != whole:
        return None
    for layer, side, made, times in reversed(steps):
        if made * times != side:
            return Odd(layer, side, made, side // times, _cure(layer, side, side // times))
    return None


def _cure(layer: BuiltLayer, side: int, meant: int) -> str:
    """Caffe rounds the size of a pooled map up, where others round it down: with padding it is one too large."""
    if layer.type != "Pooling":
        return ""
    param = layer.parameters
    if not param.pad or not param.kernel_size or param.HasField("pad_h") or param.HasField("stride_h"):
        return ""
    return "pad: 0" if pooled_size(side, param.kernel_size, param.stride, 0, padded=False) == meant else ""
