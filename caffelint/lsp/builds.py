"""What Caffe makes of a net in each state, with data of a likely shape where the text tells none."""

from __future__ import annotations

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net import Layer, Net
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.shapes import text as shape_text


def builds(net: Net) -> tuple[BuiltNet, ...]:
    """One for each state that keeps other layers; `assumed` of each says for which blobs a shape was taken."""
    return net.once(_builds)


def _builds(net: Net) -> tuple[BuiltNet, ...]:
    return tuple(_with_likely_data(net, built) for built in net.states())


def _with_likely_data(net: Net, built: BuiltNet) -> BuiltNet:
    if built.is_known or built.refusals:
        return built
    likely = net.likely(built.state)
    if not likely.assumed or likely.refusals:
        return built
    likely.states = built.states
    return likely


def built_layer(built: BuiltNet, layer: Layer) -> BuiltLayer | None:
    """What a state makes of a layer; None where it leaves the layer out."""
    return next((one for one in built.layers if one.index == layer.index), None)


def shown_shape(blob: Blob) -> str:
    """`1x3x224x224`; `?` where it is not known."""
    return "?" if blob.shape is None else shape_text(blob.shape)


def state_name(built: BuiltNet) -> str:
    """`TRAIN`, or `TRAIN and TEST` where one build is that of both."""
    stages = ", ".join(sorted(built.stages))
    return " and ".join(built.phases) + (f" ({stages})" if stages else "")


def assumption(built: BuiltNet) -> str:
    """Which shapes were taken as likely; empty if none was."""
    return ", ".join(f'"{name}" {shape_text(shape)}' for name, shape in built.assumed.items())


def unknown_data(built: BuiltNet) -> str:
    """The first blob of data whose shape is neither given nor likely; empty if there is none."""
    return next((blob.name for blob in built.inputs if blob.shape is None), "")
