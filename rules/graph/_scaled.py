"""By what nets multiply the images that they read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from caffelint.lint import Layer, NamedTuple, Net, Place

_FAR = 1.5
"""By what factor scales differ that no rounding explains."""
_COLOURS, _APART = 3, 10.0
"""By how much red is brighter than blue in photographs, at least."""
_THOUSANDS = 1000
LEAST_MEAN = 20.0
"""Of the means of pixels: smaller ones hardly matter, or are those of other values."""


class Scaled(NamedTuple):
    """By what a net multiplies what it reads: in which layer, and the blob that holds the product.

    `of_images`: whether a data layer reads the values as they are, which in an Input are whatever a program gives it.
    """

    layer: Layer
    place: Place | None
    scale: float
    blob: str
    of_images: bool


def scaled(net: Net, phase: str) -> list[Scaled]:
    """The first top of each data layer, and what Powers right after it make of it, or the parts that a Slice does."""
    layers = net.in_phase(phase)
    readers: dict[str, list[Layer]] = {}
    for layer in layers:
        for blob in layer.bottoms:
            readers.setdefault(blob, []).append(layer)
    found: list[Scaled] = []
    for layer in layers:
        if layer.bottoms or not layer.tops or not (layer.kind.transforms or layer.type == "Input"):
            continue
        of_images, blob, scale, place = layer.type != "Input", layer.tops[0], 1.0, None
        if of_images:  # of an Input, Caffe reads no transform_param
            scale = layer.message.transform_param.scale
            place = layer.at(*(("transform_param", "scale") if layer.has("transform_param", "scale") else ("type",)))
        last = layer
        while [one.type for one in readers.get(blob, ())] == ["Power"]:
            last = readers[blob][0]
            if last.message.power_param.power != 1 or not last.tops or last.tops[0] == blob:
                break
            blob, scale = last.tops[0], scale * last.message.power_param.scale
            place = last.at("power_param", "scale") if last.has("power_param", "scale") else place
        # What is written over it in place, or not by a factor, nobody knows.
        changes = any(one.type == "Power" or blob in one.tops for one in readers.get(blob, ()))
        if scale > 0 and not changes:
            parts: Sequence[str] = [blob]
            if of_images and [one.type for one in readers.get(blob, ())] == ["Slice"]:  # a pair of images
                parts = readers[blob][0].tops
            found += (Scaled(last, place, scale, part, of_images) for part in parts)
    return found


def times(value: float) -> str:
    """A ratio as people write it: 1.28, 255, about 16,000."""
    return f"{value:.3g}" if value < _THOUSANDS else f"about {float(f'{value:.2g}'):,.0f}"


def are_near(one: float, other: float) -> bool:
    return one < _FAR * other and other < _FAR * one


def is_bgr(reader: Layer) -> bool:
    """Does it read images by OpenCV, or a data base that convert_imageset makes of them (io.cpp, ReadImageToCVMat)? Or
    are its means those of blue, green and red, in this order, as of ImageNet and faces?
    """
    if reader.type == "ImageData":
        return bool(reader.message.image_data_param.is_color)
    folder, runs = os.path.dirname(os.path.abspath(reader.net.path)), reader.net.runs
    if runs and any(one.is_of(reader.kind.data_source, folder) for one in runs.made):
        return True
    means = list(reader.message.transform_param.mean_value)
    return len(means) == _COLOURS and min(means) >= LEAST_MEAN and means[0] + _APART <= means[2]
