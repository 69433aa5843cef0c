"""Layers that have other weights in a deploy net because its images have another size than those of training."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import TEST, TRAIN, Layer, Net, Place
from caffelint.lint.built import BuiltNet, Shape, shape_text


def misfits(net: Net, training: Net, image: Sequence[int]) -> list[tuple[Layer, Shape, Shape]]:
    """Each layer that makes as much as in training but of a map of another size: with its weights here and there.

    image: batch and channels of the deploy net's input. None where the training net's images have other channels, or
    where the text does not tell what a layer reads.
    """
    here, there = _built(net, TEST), _built(training, TRAIN)
    if here is None or there is None:
        return []
    for layer in there.layers:
        shape = layer.tops[0].shape if layer.transforms and layer.tops else None
        if shape and list(shape[1:-2]) != list(image[1:]):
            return []
    trained = {layer.name: layer for layer in there.layers}
    found = []
    for layer in here.layers:
        other = trained.get(layer.name)
        if other is None or other.type != layer.type or not (layer.params and other.params):
            continue
        mine, theirs = layer.params[0].shape, other.params[0].shape
        if mine != theirs and mine[:1] == theirs[:1] and layer.index is not None:
            found.append((net.layers[layer.index], mine, theirs))
    return found


def becomes(layer: Layer, other: Layer) -> str:
    """What becomes of a layer that reads another blob than in training (net.cpp, CopyTrainedLayersFrom)."""
    if not layer.kind.shaped_by:
        return "the net computes something other than what was trained"
    mine, theirs = (_weights(one) for one in (layer, other))
    if mine and theirs and mine != theirs:
        return f"Caffe refuses its weights, {shape_text(theirs)} in training and {shape_text(mine)} here"
    return "its weights were trained on other values"


def _weights(layer: Layer) -> Shape | None:
    """The shape of its weights, as far as its net tells it without any data."""
    built = next((one for net in layer.net.states() for one in net.layers if one.index == layer.index), None)
    return built.params[0].shape if built is not None and built.params else None


def crops_of(net: Net) -> set[int]:
    """The sizes of the crops that its data layers cut, none for those that cut none."""
    return {
        layer.message.transform_param.crop_size
        for layer in net.layers
        if not layer.bottoms and layer.tops and layer.kind.transforms
    } - {0}


def input_of(net: Net) -> Layer | None:
    """The one Input of a net that takes images of one size; a net of windows alone takes images of any size."""
    inputs = [layer for layer in net.layers if layer.type == "Input" and len(layer.message.input_param.shape) == 1]
    pools = any(layer.message.pooling_param.global_pooling for layer in net.by_type.get("Pooling", ()))
    return None if len(inputs) != 1 or pools or "InnerProduct" not in net.by_type else inputs[0]


def size_place(net: Net, layer: Layer) -> Place:
    """Where the height of the input is written, in the layer or in the fields of the net from before there was one."""
    if net.written.input_shape:
        return net.at("input_shape", 0, "dim", -2)
    return net.at("input_dim", -2) if net.written.input_dim else layer.at("input_param", "shape", 0, "dim", -2)


def _built(net: Net, phase: str) -> BuiltNet | None:
    """The net for a phase, with likely channels where only the size of images is told; None where it does not load."""
    state = next((state for built in net.states() for state in built.states if state.phase == phase), None)
    built = net.likely(state) if state else None
    return None if built is None or built.refusals else built
