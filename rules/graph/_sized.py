"""Layers that have other weights in a deploy net because its images have another size than those of training."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import TEST, TRAIN, Layer, NamedTuple, Net, Place, compiled_later, file_name, title, titles
from caffelint.lint.built import MESSAGE, Blob, BuiltNet, Shape, shape_text

_OF_SIZES = compiled_later(r"crop|resize|height|width|_[hw]\Z")
_KNOWN = frozenset(["crop_size", "new_height", "new_width", "height", "width", "resize_param"])

Misfit = tuple[Layer, Shape, Shape]


class OtherSize(NamedTuple):
    """A deploy net whose images have another size than those of training.

    here, there: height and width. refused: the layers whose weights Caffe refuses for it, as far as the text tells,
    each with the shapes here and in training.
    """

    input: Layer
    here: Sequence[int]
    there: Sequence[int]
    refused: list[Misfit]

    def message(self, training: Net) -> str:
        images = "crops" if crops_of(training) == set(self.there) else "images"
        layers = titles([layer for layer, *_ in self.refused])
        refused = f", so Caffe refuses the weights of {layers}" if self.refused else ""
        wanted = " and ".join(dict.fromkeys(map(str, self.there)))
        return (
            f'{title(self.input)}: shape is {shape_text(self.here)} but "{file_name(training.path)}" was trained on'
            f" {images} of {shape_text(self.there)}{refused}; set the last two dim to {wanted}"
        )

    @property
    def evidence(self) -> str:
        """The weights of the first layer that is refused."""
        if not self.refused:
            return ""
        _, mine, theirs = self.refused[0]
        return f"weights of {shape_text(mine)} here, of {shape_text(theirs)} in training"


def other_size(net: Net, trainings: Sequence[Net]) -> OtherSize | None:
    """Where images have another size than in each of the nets that may have trained a deploy net, likeliest first."""
    refused = [_refused(net, training) for training in trainings]
    if all(refused):
        return refused[0]
    image, crops = input_of(net), [crops_of(training) for training in trainings]
    if image is None or not all(len(found) == 1 for found in crops):
        return None
    dims = list(image.message.input_param.shape[0].dim)
    # The number of images may be left out for a template to fill in. Without a proof, a frame of a camera may be meant.
    if len(dims) not in (3, 4) or dims[-2] != dims[-1] or {dims[-1]} in crops:
        return None
    return OtherSize(image, dims[-2:], [*crops[0]] * 2, [])


def _refused(net: Net, training: Net) -> OtherSize | None:
    """Where Caffe refuses weights for no other reason than the size of the input.

    None where the text does not tell what a layer reads, in one of the two.
    """
    here, there = _built(net, TEST), _built(training, TRAIN)
    if here is None or there is None or not _misfits(net, here, there):
        return None
    if any(not layer.bottoms and _is_cut_otherwise(layer) for layer in training.layers):
        return None
    sides = {shape[2:] for blob in there.inputs if (shape := _image(blob))}
    inputs = [(blob, shape) for blob in here.inputs if (shape := _image(blob)) and shape[2:] not in sides]
    if len(sides) != 1 or not inputs:
        return None
    (side,), (first, shape) = sides, inputs[0]
    if there.assumed:
        shapes = {name: (other[0], shape[1], *side) for name, other in there.assumed.items()}
        there = training.likely(there.state, shapes)
    as_there = net.likely(here.state, {blob.name: (*shape[:2], *side) for blob, shape in inputs})
    others = {layer.name for layer, *_ in _misfits(net, as_there, there)}
    refused = [one for one in _misfits(net, here, there) if one[0].name not in others]
    maker = first.maker
    if maker is None or maker.index is None or maker.type != "Input" or there.refusals or as_there.refusals:
        return None
    return OtherSize(net.layers[maker.index], shape[2:], side, refused) if refused else None


def _misfits(net: Net, here: BuiltNet, there: BuiltNet) -> list[Misfit]:
    """Each layer whose weights have another shape than in training: these here and there."""
    trained = {layer.name: layer for layer in there.layers}
    found = []
    for layer in here.layers:
        other = trained.get(layer.name)
        if other is None or other.type != layer.type or not (layer.params and other.params):
            continue
        mine, theirs = layer.params[0].shape, other.params[0].shape
        if mine != theirs and layer.index is not None:
            found.append((net.layers[layer.index], mine, theirs))
    return found


def _is_cut_otherwise(layer: Layer) -> bool:
    """Has a data layer a field of its own fork that may change the size of images, as crop_h?"""
    blocks = [one for one in (layer.node.fields if layer.node else ()) if one.kind == MESSAGE]
    names = {field.name for block in blocks for field in block.fields}
    return any(_OF_SIZES.search(name) and name not in _KNOWN for name in names)


def _image(blob: Blob) -> Shape | None:
    return blob.shape if blob.shape is not None and len(blob.shape) == 4 else None


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
