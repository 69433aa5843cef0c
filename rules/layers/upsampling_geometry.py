from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from caffelint.lint import INFO, LIKELY, UNSAFE, WARNING, Finding, Fix, Invalid, Layer, Net, NetRule, fix, title, write
from caffelint.lint.built import Blob, BuiltLayer, types_that

from ._coordinates import SAME, Position, crop_offset, enlarges, gaps, ought_to_be_exact, position, said_of_training
from ._in_tests import also_in, in_tests

_TOLERATED = 2
"""Pixels of the cropped map: even kernels leave half pixels, and older nets round one more."""

_COARSE = 2
"""Of a map that is upsampled by more, a shift by less than half of its own pixels says nothing either."""


_Known = dict[Blob, Position | None]
_WITHOUT = "there is no crop_param, without which only older forks find the offset themselves"


class UpsamplingGeometry(NetRule):
    """An upsampled map is not aligned with the map that it is cropped to, or is unpooled to another size.

    ## Why is this bad?
    Caffe compares sizes, not positions, so the net trains, with labels that are shifted or at another scale. If the
    scale is right, the offset follows from all kernels, strides and pads on the way.

    ## Example
    ```
    layer { name: "crop" type: "Crop" bottom: "up" bottom: "data" crop_param { axis: 2 offset: 0 } }
    ```
    Use instead, after a first convolution with a pad of 100:
    ```
    layer { name: "crop" type: "Crop" bottom: "up" bottom: "data" crop_param { axis: 2 offset: 19 } }
    ```

    ## Known problems
    Where no Crop of a net has a crop_param it is an info: older forks computed the offset themselves. Silent about a
    sum of maps that are shifted against each other, as no offset is right for all of them. Shifts of up to two pixels
    are not reported, nor those of up to half the stride of the Deconvolution where no whole offset is right or the net
    has more Crops.

    ## Fix safety
    Unsafe: the map moves to where it belongs, but trained weights may have adapted to the old position.

    ## References
    - crop_layer.cpp, deconv_layer.cpp; the offsets of shelhamer/fcn.berkeleyvision.org
    """

    code = "L010"
    name = "upsampling-geometry"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.upsamples or kind.block == "crop_param")
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 64 dim: 64 }} }} }}'
        ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param {{ num_output: 2 kernel_size: 3 pad: 20 }} }}"
        ' layer {{ name: "pool" type: "Pooling" bottom: "conv" top: "pool" '
        "pooling_param {{ kernel_size: 2 stride: 2 }} }}"
        ' layer {{ name: "up" type: "Deconvolution" bottom: "pool" top: "up"'
        " convolution_param {{ num_output: 2 kernel_size: {} stride: {} }} }}"
        ' layer {{ name: "crop" type: "Crop" bottom: "up" bottom: "data" top: "crop" {} }}'
    )
    _COARSE_NET = _NET.replace("kernel_size: 2 stride: 2", "kernel_size: 8 stride: 8")
    _SEGNET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 60 dim: 90 }} }} }}'
        ' layer {{ name: "pool" type: "Pooling" bottom: "data" top: "pool" top: "mask"'
        " pooling_param {{ kernel_size: 2 stride: 2 }} }}"
        ' layer {{ name: "up" type: "Upsample" bottom: "pool" bottom: "mask" top: "up"'
        " upsample_param {{ upsample_h: {} upsample_w: {} }} }}"
    )
    VALID = [
        _NET.format(4, 2, "crop_param { axis: 2 offset: 20 }"),
        _NET.format(4, 2, "crop_param { axis: 2 offset: 8 }").replace(
            "kernel_size: 3 pad: 20", "kernel_size: 9 pad: 11"
        ),
        # Half a pixel, or one more by rounding.
        _NET.format(4, 2, "crop_param { axis: 2 offset: 21 }"),
        _NET.format(4, 2, "").replace("pad: 20", "pad: 1"),
        # It belongs between two pixels, of a map that is itself 8 times as coarse.
        _COARSE_NET.format(17, 8, "crop_param { axis: 2 offset: 20 }"),
        _SEGNET.format(60, 90),
    ]
    INVALID = [
        # With 11 more pixels of pad the map is where the offset says.
        Invalid(
            _NET.format(4, 2, "crop_param { axis: 2 offset: 8 }").replace("kernel_size: 3 pad: 20", "kernel_size: 9"),
            span="offset: 8",
            message='Crop "crop": "up" aligns with "data" at offset -3 but crop_param has offset 8, so the map is'
            " shifted by 11 pixels; the offset would have to be negative, so keep offset 8 and set pad: 11 (now 0) in"
            ' Convolution "conv"',
        ),
        Invalid(
            _NET.format(4, 2, "crop_param { axis: 2 offset: 2 }"),
            span="offset: 2",
            message='Crop "crop": "up" aligns with "data" at offset 20 but crop_param has offset 2, so the map is'
            " shifted by 18 pixels; set offset: 20",
            fixed=_NET.format(4, 2, "crop_param { axis: 2 offset: 20 }"),
        ),
        # Caffe 1.0 crops at 0, as the oldest one did not.
        Invalid(
            _NET.format(4, 2, ""),
            span="layer",
            message='Crop "crop": "up" aligns with "data" at offset 20 but there is no crop_param, without which only'
            " older forks find the offset themselves, so the map is shifted by 20 pixels; set offset: 20",
            fixed=_NET.format(4, 2, "crop_param { offset: 20 } "),
        ),
        # Less than half a pixel of the coarse map, but a whole offset is right.
        Invalid(
            _COARSE_NET.format(16, 8, "crop_param { axis: 2 offset: 20 }"),
            span="offset: 20",
            message='Crop "crop": "up" aligns with "data" at offset 23 but crop_param has offset 20, so the map is'
            " shifted by 3 pixels; set offset: 23",
            fixed=_COARSE_NET.format(16, 8, "crop_param { axis: 2 offset: 23 }"),
        ),
        Invalid(
            _NET.format(8, 4, "crop_param { axis: 2 offset: 40 }"),
            span='bottom: "up"',
            message='Crop "crop": "up" has 2 pixels for each of "data", because the strides before it do not cancel'
            " out; check stride and kernel_size of the layers that upsample",
        ),
        Invalid(
            _SEGNET.format(60, 91),
            span="upsample_w: 91",
            message='Upsample "up": the mask is of a map of 60x90 but the top is 60x91, so maxima are put in the'
            " wrong places; set upsample_h: 60 upsample_w: 90",
            fixed=_SEGNET.format(60, "90"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said = said_of_training(net)
        # The oldest Crop found its offset by itself; one that is given says that this Caffe's does not.
        are_given = any(layer.has("crop_param") for layer in net.by_type.get("Crop", ()))
        for one in net.states():
            known: _Known = {}
            crops = [layer for layer in one.layers if layer.type == "Crop" and len(layer.bottoms) == 2]
            exact = ought_to_be_exact(crops, known)
            apart = gaps(one.layers, known) if crops else {}
            for layer in one.layers:
                index = layer.index
                if index is None or index in said or len(layer.bottoms) != 2:
                    continue
                found = None
                if layer.type == "Crop":
                    found = self._crop(
                        net.layers[index], layer, known, exact, apart.get(layer.bottoms[0], Fraction(0)), are_given
                    )
                elif layer.type == "Upsample":
                    found = self._unpooled(net, layer)
                if found:
                    said.add(index)
                    yield found
                    if found.severity == INFO:
                        return  # the Caffe is to be told from the first one

    def _crop(
        self, mine: Layer, layer: BuiltLayer, known: _Known, exact: bool, apart: Fraction | None, are_given: bool
    ) -> Finding | None:
        map_, reference = (position(blob, known) for blob in layer.bottoms)
        if map_ is None or reference is None or map_.root is not reference.root:
            return None
        names = mine.bottoms
        for side, (here, there) in enumerate(((map_.rows, reference.rows), (map_.columns, reference.columns))):
            offset = crop_offset(layer, side)
            if offset is None:
                continue
            if here[0] != there[0]:
                ratio = there[0] / here[0]
                # Where it is the other way round the map is too small, and Caffe says so.
                if ratio > 1 and are_given:
                    return self.finding(
                        mine.at("bottom", 0),
                        f'{title(mine)}: "{names[0]}" has {_number(ratio)} pixels for each of "{names[1]}",'
                        " because the strides before it do not cancel out; check stride and kernel_size of the layers"
                        " that upsample",
                    )
                continue
            wanted = (there[1] - here[1]) / here[0]
            tolerated = Fraction(_TOLERATED)
            if not exact:
                tolerated = max(tolerated, Fraction(enlarges(layer.bottoms[0].producer), _COARSE))
            if abs(wanted - offset) > tolerated:
                if apart is None or apart > _TOLERATED * here[0]:
                    return None  # what is right for one of the maps in a sum moves the others away
                twins = in_tests(mine, "crop_param")
                fixes = _offset([mine, *twins], map_, reference)
                pad = _lacking_pad(map_.moved_by, offset, wanted, side) if wanted < 0 and there == SAME else ""
                has = f"crop_param has offset {offset}" if are_given else _WITHOUT
                return self.finding(
                    mine.at("crop_param", "offset", min(side, max(0, len(layer.parameters.offset) - 1))),
                    f'{title(mine)}: "{names[0]}" aligns with "{names[1]}" at offset {_number(wanted)} but {has},'
                    f" so the map is shifted by {_number(abs(wanted - offset))} pixels"
                    f"{pad or (f'; {fixes[0].title}{also_in(twins)}' if fixes else '')}",
                    fixes=fixes,
                    severity=None if are_given else INFO,
                )
        return None

    def _unpooled(self, net: Net, layer: BuiltLayer) -> Finding | None:
        mask = layer.bottoms[1].maker_beyond(lambda one: one.type == "Split")
        if mask is None or mask.type != "Pooling" or not mask.bottoms or not layer.tops:
            return None
        pooled, made = mask.bottoms[0].shape, layer.tops[0].shape
        if pooled is None or made is None or pooled[2:] == made[2:]:
            return None
        mine = net.layers[layer.index or 0]
        field = "upsample_w" if mine.has("upsample_param", "upsample_w") and pooled[2] == made[2] else "upsample_h"
        return self.finding(
            mine.at("upsample_param", field if mine.has("upsample_param", field) else "scale"),
            f"{title(layer)}: the mask is of a map of {pooled[2]}x{pooled[3]} but the top is {made[2]}x{made[3]},"
            f" so maxima are put in the wrong places; set upsample_h: {pooled[2]} upsample_w: {pooled[3]}",
            fixes=fix(
                f"set upsample_h: {pooled[2]}, upsample_w: {pooled[3]}",
                UNSAFE,
                write(mine, "upsample_param", "upsample_h", value=str(pooled[2])),
                write(mine, "upsample_param", "upsample_w", value=str(pooled[3])),
            )
            if mine.has("upsample_param", "upsample_h") and mine.has("upsample_param", "upsample_w")
            else (),
        )


def _lacking_pad(first: BuiltLayer | None, offset: int, wanted: Fraction, side: int) -> str:
    """What pad of the map's first convolution would suit the offset."""
    windows = first.written_windows() if first is not None else None
    if first is None or windows is None or not first.has_weights or first.upsamples:
        return ""
    now = windows[side].pad
    pad = now + ceil(offset - wanted)
    keep = f"keep offset {offset} and set pad: {pad} (now {now}) in {title(first)}"
    return f"; the offset would have to be negative, so {keep}"


def _offset(layers: list[Layer], map_: Position, reference: Position) -> tuple[Fix, ...]:
    """The offset of rows and columns alike, where it is a whole number."""
    rows = (reference.rows[1] - map_.rows[1]) / map_.rows[0]
    columns = (reference.columns[1] - map_.columns[1]) / map_.columns[0]
    if rows != columns or rows < 0 or rows.denominator != 1 or len(layers[0].message.crop_param.offset) > 1:
        return ()
    edits = (write(layer, "crop_param", "offset", value=str(rows)) for layer in layers)
    return fix(f"set offset: {rows}", UNSAFE, *edits)


def _number(value: Fraction) -> str:
    return f"{float(value):g}"
