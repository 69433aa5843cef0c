"""Channels that a layer reads by its own number of classes, and that the layer which makes them has otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from caffelint.lint import Layer, NamedTuple, title
from caffelint.lint.built import BuiltLayer

from ._boxes import trained_source
from ._graph import class_count, classes_in_param_str, keeps_classes

YOLO = {"RegionLoss": "region_loss_param", "Yolov3": "yolov3_param"}
"""Losses that count them by the block of this name."""


class OddChannels(NamedTuple):
    """The layer to blame, what to say of it, and the layer that tells another number."""

    blamed: Layer
    message: str
    other: Layer
    path: tuple[str, str] | None = None


def counts_channels(kind: type[BuiltLayer]) -> bool:
    """Does a type of layer say how many channels it reads?"""
    return kind.has_setting("num_classes") or kind.has_setting("output_dim")


def odd_channels(layer: Layer) -> Iterator[OddChannels]:
    """What does not fit in what a layer reads."""
    if layer.kind.has_setting("num_classes"):
        yield from _priors(layer)
    elif layer.kind.has_setting("output_dim"):
        yield from _regions(layer)
    elif layer.type in YOLO:
        yield from _cells(layer)


def _priors(layer: Layer) -> Iterator[OddChannels]:
    block = layer.param(layer.kind.block)
    joined = trained_source(layer, 1, _rearranged)
    if block.num_classes < 1 or joined is None:
        return
    parts = range(len(joined.layer.bottoms)) if joined.layer.type == "Concat" else ()
    for part in parts:
        made = trained_source(joined.layer, part, _rearranged)
        if made and made.layer.type == "Convolution" and class_count(made.layer) % block.num_classes:
            yield OddChannels(
                made.layer,
                f"{title(made.layer)}: num_output {class_count(made.layer)} is not a multiple of num_classes"
                f" {block.num_classes} of {title(layer)}, so Caffe stops; set it to {block.num_classes} times the"
                " number of boxes per cell",
                layer,
            )


def _cells(loss: Layer) -> Iterator[OddChannels]:
    block = loss.param(YOLO[loss.type])
    made = trained_source(loss, 0)
    if made is None or made.layer.type != "Convolution":
        return
    coords = block.coords if loss.type == "RegionLoss" else 4
    wanted = block.num * (block.num_class + coords + 1)
    if block.HasField("num") and block.HasField("num_class") and class_count(made.layer) != wanted:
        yield OddChannels(
            made.layer,
            f"{title(made.layer)}: num_output {class_count(made.layer)}, but {title(loss)} with"
            f" {block.num} boxes of {block.num_class} classes needs"
            f" {block.num} * ({block.num_class} + {coords + 1}) = {wanted}; set num_output: {wanted}",
            loss,
        )


def _regions(layer: Layer) -> Iterator[OddChannels]:
    """A map for each place of a grid and each output: psroi_pooling_layer.cpp, Reshape (daijifeng001/caffe-rfcn)."""
    block = layer.param(layer.kind.block)
    made = trained_source(layer, 0)
    parts, outputs = block.group_size**2, block.output_dim
    channels = class_count(made.layer) if made else 0
    if made is None or not channels or outputs < 1 or parts < 1 or channels == parts * outputs:
        return
    fitting, rest = divmod(channels, parts)
    witness = None if rest or _witness(layer, outputs) else _witness(layer, fitting)
    if witness is not None:
        yield OddChannels(
            layer,
            f"{title(layer)}: output_dim {outputs}, but {title(made.layer)} makes {channels} = {parts} * {fitting}"
            f" channels, and {title(witness)} has {fitting} classes, so Caffe stops; set output_dim: {fitting}",
            made.layer,
            (layer.kind.block, "output_dim"),
        )
        return
    yield OddChannels(
        made.layer,
        f"{title(made.layer)}: num_output {channels}, but {title(layer)} needs output_dim * group_size^2 = {outputs} *"
        f" {parts} = {parts * outputs}, so Caffe stops; set num_output: {parts * outputs}",
        layer,
    )


def _witness(layer: Layer, classes: int) -> Layer | None:
    """Another layer of the net that has so many classes."""
    shaped = (one for one, block in layer.net.blocks_of(["Reshape"]) if classes in block.shape.dim)
    counted = (one for one in layer.net.by_type.get("Python", ()) if classes_in_param_str(one) == classes)
    return next(chain(shaped, counted), None)


def _rearranged(layer: Layer) -> bool:
    return keeps_classes(layer) or layer.type == "Permute"
