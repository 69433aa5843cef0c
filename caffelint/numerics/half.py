"""What float16 cannot hold of a net that stores blobs in it, as NVCaffe's FLOAT16 types ask."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Split
from caffelint.caffe.shapes import count
from caffelint.numerics.signal import Signal
from caffelint.numerics.start import Start
from caffelint.text.records import NamedTuple

FLOAT16 = 2
"""Of NVCaffe's enum Type."""
LARGEST, LEAST = 65504.0, 2.0**-24
"""What float16 holds: its largest number, and its smallest above 0. Below half of that, numbers become 0."""
_MANY = 10.0
"""Elements: a few may be by chance."""
_MOST = 0.5
"""The share of the gradients of a blob that may become 0."""
_KEPT = 2.0**-14
"""The least number that float16 holds with all its digits."""
_REACH = 10.0
"""Times their root mean square: the largest of gradients, few of which are large."""


class Overflow(NamedTuple):
    """The first blob with elements beyond the largest float16. size: its root mean square. beyond: how many there are.

    assumed: does it rest on a guess of the scale of the data?
    """

    layer: BuiltLayer
    size: float
    beyond: float
    assumed: bool


class Lost(NamedTuple):
    """Gradients of which most become 0. layers: those with weights that get them, from the data on. size: the least
    root mean square, share: of its elements that become 0. scale: of all gradients, which saves them; None where the
    largest ones would overflow.
    """

    layers: list[BuiltLayer]
    size: float
    share: float
    scale: float | None


def is_half(built: BuiltNet, layer: BuiltLayer, way: str) -> bool:
    """Does a layer store its tops (forward) or their gradients (backward) in float16 (Net::Init of NVCaffe)?"""
    own = layer.message
    if own is not None and own.HasField(f"{way}_type"):
        return bool(getattr(own, f"{way}_type") == FLOAT16)
    if way == "backward" and own is not None and own.HasField("transform_param"):
        return False
    return bool(getattr(built.message, f"default_{way}_type") == FLOAT16)


def overflow(built: BuiltNet, begin: Start) -> Overflow | None:
    """The first blob of which several elements are infinite in float16."""
    for layer in built.layers:
        if any(layer.loss_weights) or not is_half(built, layer, "forward"):
            continue
        for top in layer.tops:
            one = begin.signals.get(top)
            bounds = built.values[top]
            if one is not None and top.shape and max(-bounds.low, bounds.high) > LARGEST:
                beyond = _beyond(one) * count(top.shape)
                if beyond >= _MANY:
                    return Overflow(layer, one.size, beyond, one.assumed)
    return None


def _beyond(one: Signal) -> float:
    """The share of normal elements that are larger than the largest float16."""
    spread = math.sqrt(one.variance)
    if not spread:
        return float(abs(one.mean) > LARGEST)
    return sum(0.5 * math.erfc((LARGEST + side * one.mean) / (spread * math.sqrt(2))) for side in (-1, 1))


def lost(built: BuiltNet, begin: Start) -> Lost | None:
    """Gradients that become 0 in float16, of layers with weights."""
    scale = built.message.global_grad_scale
    if built.message.global_grad_scale_adaptive or not 0 < scale < math.inf:
        return None
    found = {layer: size * scale for layer, size in _gradients(built, begin)}
    gone = {layer: size for layer, size in found.items() if _rounded(size) > _MOST}
    if not gone:
        return None
    least = min(gone.values())
    by = 10.0 ** math.ceil(math.log10(_KEPT / least)) if least else math.inf
    saves = by * max(found.values()) * _REACH < LARGEST
    return Lost(list(gone), least, _rounded(least), scale * by if saves else None)


def _gradients(built: BuiltNet, begin: Start) -> Iterator[tuple[BuiltLayer, float]]:
    for layer in built.layers:
        learns = layer.has_weights and layer.params and any(param.lr_mult for param in layer.params)
        if learns and not isinstance(layer, Split) and is_half(built, layer, "backward"):
            one = begin.gradients.get(layer.tops[0])
            if one is not None and one.size:
                yield layer, one.size


def _rounded(size: float) -> float:
    """The share of normal gradients of this size that become 0."""
    return math.erf(LEAST / 2 / (size * math.sqrt(2))) if size else 1.0
