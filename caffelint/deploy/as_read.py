"""The net that a target makes out of what it reads otherwise: does it still hold together?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from caffelint.caffe.net import Net
from caffelint.caffe.states import TEST, State

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.schema.messages import LayerParameter

Reading = dict[str, Any]
"""Values of fields of a layer's block; None for one that is not known."""


def broken(net: Net, built: BuiltNet, readings: Mapping[int, Reading | None]) -> int | None:
    """The first layer, by its place, whose bottoms or weights no longer fit where layers are read so.

    That is told by what Caffe itself makes of such a net. readings: by place; None for a layer that is left out.
    None if all fits, or if it cannot be known.
    """
    message = type(net.message)()
    message.CopyFrom(net.message)
    for place, reading in readings.items():
        if reading is None:
            _leave_out(message.layer[place])
            continue
        layer = next(one for one in built.layers if one.index == place)
        parameters = getattr(message.layer[place], layer.block_of(layer.message))
        for field, value in reading.items():
            if value is None:
                return None
            parameters.ClearField(field)
            if isinstance(value, list):
                getattr(parameters, field).extend(value)
            else:
                setattr(parameters, field, value)
    read = Net(net.bound, message)
    read.input_shapes = net.input_shapes
    (other,) = read.build([State(TEST)])
    shapes = {layer.index: [one.shape for one in layer.params or ()] for layer in built.layers}
    for layer in other.layers:
        if layer.params and [one.shape for one in layer.params] != shapes.get(layer.index):
            return layer.index
    return other.refusals[0].index if other.refusals and not built.refusals else None


def _leave_out(layer: LayerParameter) -> None:
    """Make it one that passes its first bottom on."""
    bottom, top, name = layer.bottom[0], layer.top[0], layer.name
    layer.Clear()
    layer.name, layer.type = name, "Split"
    layer.bottom.append(bottom)
    layer.top.append(top)
