"""Likely shapes of data where neither the text nor a source tells them, found by what its readers take."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.shapes import Shape
from caffelint.text.records import NamedTuple

_MOST_ASKED = 200
"""Blobs, one behind the other: those far below tell nothing of what is read."""
_KNOWN = {"mnist": (1, 28, 28), "cifar": (3, 32, 32)}
"""Images of data sets, by a word in the name of their source."""

_SLIDES = 31
"""The longest kernel that slides over an image, in pixels."""
FRAMES = 16
VIDEO = (112, 224)
"""The same for clips of this many frames."""


class Images(NamedTuple):
    """Channels, and heights and widths, to try where nothing gives those of an image, the likeliest first."""

    channels: Sequence[int]
    sides: Sequence[int]


IMAGES = Images((3, 1, 2, 6, 4), (28, 32, 64, 128, 224, 227, 256, 300, 321, 500))
"""Smaller sides first: nets for large images refuse small ones."""

Rebuild = Callable[[Mapping[str, Shape]], BuiltNet]


def with_likely_shapes(
    rebuild: Rebuild, built: BuiltNet, layer: BuiltLayer, known: dict[str, Shape], images: Images = IMAGES
) -> BuiltNet:
    """The net built again with a shape for each top of a data layer that had none.

    rebuild: builds the net with the shapes of these tops. known: the shapes so far, to which what is taken is added. A
    top that no shape suits keeps none.
    """
    refusals = len(built.refusals)
    for top, blob in enumerate(layer.tops):
        if blob.shape is not None:
            continue
        refused: dict[tuple[Hashable, ...], tuple[Shape, BuiltNet]] = {}
        current = next(other for other in built.layers if other.index == layer.index)
        best = same = None
        least = refusals + 1, 0
        for shape in _candidates(current, top, built, images):
            tried = rebuild(known | {blob.name: shape})
            problems = len(tried.refusals), _unknown(tried, blob.name)
            if best is None or problems < least:
                best, least = (shape, tried), problems
            if problems == (0, 0):
                break
            first = refused.setdefault(tuple(refusal.cause for refusal in tried.refusals), (shape, tried))
            if first[0][-1] != shape[-1] and same is None:
                same = first
        if best and len(best[1].refusals) > refusals:
            best = same  # a refusal for images of several sizes is not caused by the size
        if best:
            known[blob.name], built = best
    return built


def brings_data(layer: BuiltLayer) -> bool:
    """Does it bring data from outside of the text? DummyData makes its own, and so does a Python layer."""
    return not layer.bottoms and layer.type != "DummyData" and (layer.is_data or layer.type == "Input")


def _unknown(built: BuiltNet, name: str) -> int:
    """How many of the layers that read a blob have a top of unknown shape, like one for clips that reads images."""
    readers = [layer for blob in _versions(built, name) for layer, _ in blob.readers]
    return sum(any(top.shape is None for top in layer.tops) for layer in readers if len(layer.bottoms) == 1)


def _versions(built: BuiltNet, name: str) -> Iterator[Blob]:
    return (blob for blob in built.inputs if blob.name == name)


def _candidates(layer: BuiltLayer, top: int, built: BuiltNet, images: Images) -> Iterator[Shape]:
    """Shapes that a top may have, the likeliest first."""
    wanted = _wanted_shape(layer.tops[top])
    if wanted is not None:
        yield wanted
        return
    batch = layer.batch_size or 1
    if any(reader.is_recurrent or reader.type == "Embed" for reader, _ in readers(layer.tops[top])):
        # Time steps by streams: as many of those as another layer has images.
        others = (other.batch_size or 1 for other in built.layers if brings_data(other) and other.name != layer.name)
        yield from ((batch, streams) for streams in dict.fromkeys([*others, batch, 1]))
    if not layer.transforms and top > 0:
        yield (batch,)
        yield (batch, 1)
    transform = layer.message.transform_param
    means = len(transform.mean_value)
    crop = transform.crop_size or layer.message.image_data_param.crop_size
    for word, image in _KNOWN.items():
        if word in layer.data_source.lower() and not crop and top == 0:
            yield batch, *image
    sides = [crop] if crop else [*_covered(layer.tops[top]), *images.sides]
    for channels in (means,) if means > 1 else images.channels:
        for size in sides:
            if layer.type == "VideoData" and top == 0:
                yield batch, channels, _length(layer), size, size
            yield batch, channels, size, size
    for size in VIDEO:
        yield batch, 3, FRAMES, size, size
    if layer.type == "HDF5Data":
        yield batch, 100


def _covered(blob: Blob) -> Iterator[int]:
    """The sides of a matrix that kernels of one row or one column cover: no kernel that long slides over an image."""
    for layer, _ in readers(blob):
        kernels = [window.kernel for window in layer.written_windows() or ()] if layer.shaped_by else []
        if kernels and min(kernels) == 1 and max(kernels) > _SLIDES:
            yield max(kernels)


def _length(layer: BuiltLayer) -> int:
    """Frames of a clip."""
    for block in (layer.message.video_data_param, layer.message.image_data_param):
        if block.HasField("new_length"):
            return int(block.new_length)
    return FRAMES


def _wanted_shape(blob: Blob, known: dict[Blob, Shape | None] | None = None) -> Shape | None:
    """The shape that suits the readers of a blob, also after layers whose tops give the shape of their bottoms.

    known: that of blobs that were asked before, as branches may join again.
    """
    known = {} if known is None else known
    if len(known) > _MOST_ASKED:
        return None
    if blob not in known:
        known[blob] = None
        for layer, bottom in blob.readers:
            wanted = layer.expects(bottom)
            shape = wanted.shape if wanted else layer.shape_before(partial(_wanted_shape, known=known))
            if shape is not None:
                known[blob] = shape
                break
    return known[blob]


def readers(blob: Blob) -> Iterator[tuple[BuiltLayer, int]]:
    pending, seen = [blob], set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for layer, bottom in current.consumers:
            if layer.rearranges:
                pending += layer.tops
            else:
                yield layer, bottom
