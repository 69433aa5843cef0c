"""By what nets multiply the images that they read."""

from __future__ import annotations

from caffelint.lint import Layer, NamedTuple, Net, Place

_FAR = 1.5
"""By what factor scales differ that no rounding explains."""


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
    """The first top of each data layer, and what Powers right after it make of it."""
    layers = net.in_phase(phase)
    readers: dict[str, list[Layer]] = {}
    for layer in layers:
        for blob in layer.bottoms:
            readers.setdefault(blob, []).append(layer)
    found = []
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
            found.append(Scaled(last, place, scale, blob, of_images))
    return found


def are_near(one: float, other: float) -> bool:
    return one < _FAR * other and other < _FAR * one
