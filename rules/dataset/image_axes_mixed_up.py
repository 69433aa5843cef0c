from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from caffelint.evidence.data.rule import (
    INTERLEAVED,
    LAST,
    SWAPPED,
    DataEvidence,
    DatasetRule,
    Facts,
    Feed,
    Top,
    first_shape,
    read_as,
    read_unlike,
)
from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title

from ._example import NET
from ._words import number, once, path, source_place

_CONVOLVED = NET.replace(
    """layer {
  name: "fc\"""",
    """layer {
  name: "conv"
  type: "Convolution"
  bottom: "data"
  top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } }
}
layer {
  name: "fc\"""",
).replace('bottom: "data"\n  top: "fc"', 'bottom: "conv"\n  top: "fc"')
_REMEDY = {
    INTERLEAVED: "transpose each image with im.transpose(2, 0, 1) in place of a reshape",
    LAST: "transpose each image with im.transpose(2, 0, 1)",
    SWAPPED: "write the height before the width",
}


def _images(order: str, height: int = 8, width: int = 8, colours: int = 3) -> str:
    """Images of a slow wave, declared as channels x height x width, whose values are in another order."""
    sides = {"c": colours, "y": height, "x": width}
    rows = []
    for image in range(8):
        values = []
        for place in product(*(range(sides[axis]) for axis in order)):
            at = dict(zip(order, place, strict=True))
            values.append(int(120 + 40 * at["c"] + 50 * math.sin(at["y"] / 2 + image) * math.cos(at["x"] / 2 - image)))
        rows.append(f"label {image % 3}; image {colours}x{height}x{width} {' '.join(map(str, values))}")
    return "\n".join(rows)


class ImageAxesMixedUp(DatasetRule):
    """The values of images are in another order than that of their declared axes.

    Caffe takes channels x height x width. Most libraries give height x width x channels; `reshape` makes the right
    shape of that and scrambles the image, `transpose` moves the values.

    ## Why is this bad?
    A convolution looks at places that are not next to each other, and a net that is trained on such images fails on
    others. If all images are scrambled alike, a net still learns something, only worse.

    ## Known problems
    Neighbours in an image are alike. It is told only if those of the declared axes are not, but those of the other
    order are; images of noise, or of patterns that repeat after a few pixels, show nothing.

    ## References
    - data_transformer.cpp, Transform: the value at (c, h, w) is at (c * height + h) * width + w
    """

    code = "E128"
    name = "image-axes-mixed-up"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"net.prototxt": _CONVOLVED, "train_lmdb": _images("cyx")},
        # No layer looks at neighbours, and all images are alike.
        {"net.prototxt": NET, "train_lmdb": _images("yxc")},
        {"net.prototxt": _CONVOLVED, "train_lmdb": _images("cyx", 8, 12, 1)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _CONVOLVED, "train_lmdb": _images("yxc")},
            span='source: "train_lmdb"',
            message='Data "data": images of "train_lmdb" are 3x8x8 by their shape, but their values are in the order'
            " 8x8x3 (height x width x channels): rows that follow each other differ by 10.17 in it, and by 58.3 in"
            " that of the shape; transpose each image with im.transpose(2, 0, 1) in place of a reshape",
        ),
        Invalid(
            {"net.prototxt": _CONVOLVED, "train_lmdb": _images("cyx", 8, 12, 1).replace("1x8x12", "1x12x8")},
            span='source: "train_lmdb"',
            message='Data "data": images of "train_lmdb" are 1x12x8 by their shape, but their values are in the order'
            " 1x8x12: rows that follow each other differ by 10.05 in it, and by 34.97 in that of the shape; write the"
            " height before the width",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        tops = [(feed, top) for feed, facts in once(data) for top in _tops(feed, facts)]
        every = [(feed, top, read_as(top.steps) or _unlike(feed, top, tops)) for feed, top in tops]
        for feed, top, how in every:
            shape = first_shape(top)
            if shape is None or not how or (how == LAST and _may_be_maps(feed, shape)):
                continue
            others = [one for one, _, other in every if other != how and one.source != feed.source]
            if not others and not _looks_at_neighbours(feed):
                continue
            yield self._found(feed, top, how, shape, others)

    def _found(self, feed: Feed, top: Top, how: str, shape: tuple[int, ...], others: list[Feed]) -> Finding:
        channels, height, width = shape
        really = {
            INTERLEAVED: f"{height}x{width}x{channels} (height x width x channels)",
            LAST: "height x width x channels",
            SWAPPED: f"{channels}x{width}x{height}",
        }[how]
        near, declared = (top.steps[f"{one} 1"] / top.steps["images"] for one in (how, ""))
        if how == LAST:
            declared = top.steps["right"] / top.steps["images"]
        what = f"{title(feed.layer)}: images of {path(feed)} are {channels}x{height}x{width} by their shape, but their"
        what += f" values are in the order {really}: rows that follow each other differ by {number(near)} in it,"
        what += f" and by {number(declared)} in that of the shape"
        what += f"; those of {path(others[0])} are not so" if others else ""
        remedy = _REMEDY[how]
        return self.finding(
            feed.layer.at(*source_place(feed)),
            f"{what}; {remedy}",
            phases=feed.phases,
            cause=Cause("data", what, remedy, LIKELY),
        )


def _unlike(feed: Feed, top: Top, tops: list[tuple[Feed, Top]]) -> str:
    """What images seem to be that those of another phase are not."""
    others = (one for other, one in tops if other.source != feed.source and not set(other.phases) & set(feed.phases))
    return next(filter(None, (read_unlike(top.steps, one.steps) for one in others)), "")


def _tops(feed: Feed, facts: Facts) -> Iterator[Top]:
    """Those that are images: of a source of records, and of the tops of HDF5 that are as large as one."""
    for place in range(len(feed.made.top_names)):
        top = facts.tops.get(feed.key(place))
        if top is not None and top.steps and len(first_shape(top) or ()) == 3:
            yield top


def _may_be_maps(feed: Feed, shape: tuple[int, ...]) -> bool:
    """Numbers of many channels, 3 or 4 wide, may be signals of neighbouring places over time."""
    return feed.source is None or feed.source.kind == "hdf5" and shape[0] != shape[1]


def _looks_at_neighbours(feed: Feed) -> bool:
    return any(layer.written_windows() is not None for layer in feed.built.layers)
