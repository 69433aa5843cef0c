"""What Caffe refuses about a net whatever its data hold: the net is built for many shapes of what the text leaves open.

Where only the data gives the shape of a data layer's images, everything after it is unknown. Yet two branches may never
fit together, and a layer may compare what it never can. To see that, the net is built with one shape after another. As
soon as one of them loads nothing is said, so that a net without such a fault is built once more, not often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from caffelint.caffe.build import build_alike
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers.data import DataLayer
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import PartialShape, Shape
from caffelint.text.records import NamedTuple

_LIKELY_CHANNELS, _LIKELY_SIDE = 3, 256
_MAP_AXES = 4
_MOST_COUNTS = 64
_MOST_LAYERS = 1000
"""A net of more is built with no shape: some 140 times would take longer than all else, and a lot of memory."""
_MOST_DATA = 8
"""Data layers whose shape is tried: of a net with more, the first."""
_PICTURES = range(1, 33)
"""Numbers of channels of pictures, frames in a row and stacked flow."""

# Each size that a net needs is one of these, or leaves one of the remainders by the product of its strides.
_SIDES = (224, 227, 299, 300, 321, 512, 513, 1024, 1, 2, 3, 4, 7, 8, 28, 32, 64, 100, 572, *range(257, 320))
_OBLONG = ((240, 320), (320, 240), (480, 640), (1, 100), (100, 1), (375, 500), (512, 1024))


class Unavoidable(NamedTuple):
    """A refusal, in words for data of `shape`.

    fits: numbers of channels that it is not met with, none of a picture.
    """

    refusal: Refusal
    blob: str
    shape: Shape
    fits: tuple[int, ...]


def unavoidable(one: BuiltNet, input_shapes: Mapping[str, Shape]) -> Unavoidable | None:
    """What is refused whatever the data hold, in a net that was built without a refusal: maps that never fit."""
    if one.refusals or one.memory is not None or len(one.layers) > _MOST_LAYERS:
        return None
    if not any(layer.compares_maps for layer in one.layers) or _has_fixed_sizes(one):
        return None
    data = [layer for layer in one.layers if isinstance(layer, DataLayer) and layer.tops]
    for layer in [layer for layer in data if layer.tops[0].shape is None][:_MOST_DATA]:
        partial = layer.partial_image()
        if partial is None:
            continue
        probe = _Probe(one, layer.tops[0].name, input_shapes)
        found = probe.run(partial)
        probe.release()
        if found is not None and (not found.fits or _holds_pixels(layer)):
            return found
    return None


class _Probe:
    def __init__(self, one: BuiltNet, blob: str, input_shapes: Mapping[str, Shape]) -> None:
        self.one = one
        self.blob = blob
        self.input_shapes = input_shapes
        self.built: BuiltNet | None = None
        self.shape: Shape | None = None

    def refused(self, shape: Shape) -> Refusal | None:
        """What Caffe itself would end with for data of this shape."""
        if self.built is None or shape != self.shape:
            self.release()
            shapes = {**self.input_shapes, self.blob: shape}
            one = self.one
            self.built = build_alike(one.message, one.written, (one.state,), input_shapes=shapes, until_refused=True)
            self.shape = shape
        return self.built.refusals[0] if self.built.refusals else None

    def release(self) -> None:
        if self.built is not None:
            self.built.release()

    def run(self, partial: PartialShape) -> Unavoidable | None:
        batch, channels, height, width = partial
        shape = (batch or 1, channels or _LIKELY_CHANNELS, height or _LIKELY_SIDE, width or _LIKELY_SIDE)
        found = self.refused(shape)
        if found is None:
            return None
        fits: list[int] = []
        if channels is None:
            # The net gets furthest with the number that the layers above the fault need.
            for count in self.counts():
                other = (shape[0], count, *shape[2:])
                met = self.refused(other)
                if met is None:
                    if count in _PICTURES:
                        return None
                    fits.append(count)
                elif _further(met, found):
                    shape, found = other, met
        found = self.refused(shape)
        if found is None or not (found.kind is Kind.WRONG_AXES or self.compares_maps(found)):
            return None
        if height is None or width is None:
            for tall, wide in _sides():
                met = self.refused((*shape[:2], height or tall, width or wide))
                if met is None:
                    return None
        return Unavoidable(found, self.blob, shape, tuple(fits))

    def counts(self) -> list[int]:
        """Numbers of channels to try: those of pictures, those that layers make, and those that a Slice cuts up."""
        made: list[int] = []
        for layer in self.one.layers:
            if "num_output" in layer.shaped_by:
                made.append(layer.parameters.num_output)
            elif layer.type == "Slice" and layer.parameters.slice_point:
                points = layer.parameters.slice_point
                made += [points[-1] + more for more in (*_PICTURES[:8], points[0], points[-1] - ([0, *points])[-2])]
        return list(dict.fromkeys([*_PICTURES, *made]))[:_MOST_COUNTS]

    def compares_maps(self, refusal: Refusal) -> bool:
        """Is it that two maps differ, and not a map and a vector, whose sizes may agree for one size of the data?"""
        for layer in self.built.layers if self.built else ():
            if layer.index is not None and layer.index == refusal.index:
                shapes = [blob.shape for blob in layer.bottoms]
                return len(shapes) > 1 and all(shape is not None and len(shape) == _MAP_AXES for shape in shapes)
        return False


def _further(one: Refusal, other: Refusal) -> bool:
    return one.index is not None and other.index is not None and one.index > other.index


def _sides() -> Iterator[tuple[int, int]]:
    yield from ((side, side) for side in _SIDES)
    yield from _OBLONG


def _holds_pixels(layer: DataLayer) -> bool:
    """Is its data scaled or centred as pixels are?"""
    transform = layer.message.transform_param
    return bool(transform.HasField("scale") or transform.mean_value or transform.mean_file)


def _has_fixed_sizes(one: BuiltNet) -> bool:
    """Does the net hold sizes that may fit a single shape of the data, which is not among those that are tried?"""
    for layer in one.layers:
        if layer.type == "Reshape" and any(dim > 1 for dim in layer.parameters.shape.dim):
            return True
        if not layer.bottoms and any(blob.shape is not None and len(blob.shape) > 2 for blob in layer.tops):
            return True
    return False
