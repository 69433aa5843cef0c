from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from caffelint.lint import (
    INFO,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    title,
    write,
)
from caffelint.lint.built import Blob, types_that

from ._coordinates import Position
from ._strides import feat_strides, stride_of

_NEAR = 0.02
"""How far a scale, as people round it, may be from 1 / stride."""


class RegionScaleUnlikeStride(NetRule):
    """The scale of a pooling of regions is not that of the map that it reads.

    ## Why is this bad?
    Regions are boxes in pixels of the image; `spatial_scale` takes them to pixels of the map, so it must be 1 divided
    by all strides before it. With 1/16 on a map of stride 8, each region reads a quarter of the map's upper left part.
    Caffe cannot notice, and the net trains on features of other places.

    ## Example
    A map of stride 8:
    ```
    roi_pooling_param { pooled_w: 7 pooled_h: 7 spatial_scale: 0.0625 }
    ```
    Use instead:
    ```
    roi_pooling_param { pooled_w: 7 pooled_h: 7 spatial_scale: 0.125 }
    ```

    ## Known problems
    Where boxes do not come in pixels of the image, the scale is another one. So this is an info unless the
    `feat_stride` of the net's Python layers, which make the boxes, is the stride of the map, too; a scale larger than
    1, which is for boxes in shares of the image, is not reported, nor one that is 1 divided by no whole number.

    ## References
    - roi_pooling_layer.cpp, Forward_cpu (rbgirshick/caffe-fast-rcnn); wk910930/py-faster-rcnn@d3439f5
    """

    code = "L014"
    name = "region-scale-unlike-stride"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.has_setting("spatial_scale"))
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 64 dim: 64 }} }} }}'
        ' layer {{ name: "rois" type: "Input" top: "rois" input_param {{ shape {{ dim: 9 dim: 5 }} }} }}'
        ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param {{ num_output: 8 kernel_size: 3 pad: 1 stride: 4 }} }}"
        ' layer {{ name: "pool" type: "Pooling" bottom: "conv" top: "pool"'
        " pooling_param {{ kernel_size: 2 stride: {} }} }}"
        ' layer {{ name: "roi" type: "ROIPooling" bottom: "pool" bottom: "rois" top: "roi"'
        " roi_pooling_param {{ pooled_w: 7 pooled_h: 7 spatial_scale: {} }} }}"
    )
    _PYTHON = (
        ' layer { name: "rpn" type: "Python" bottom: "pool" top: "a" python_param { module: "rpn.anchors"'
        ' layer: "Anchors" param_str: "\'feat_stride\': 8" } }'
    )
    VALID = [
        _NET.format(2, 0.125),
        _NET.format(4, 0.0625),
        # Rounded.
        _NET.format(3, 0.0833),
        # Forks read the default from another field.
        _NET.format(2, 0.125).replace(" spatial_scale: 0.125", ""),
        # Boxes in shares of the image.
        _NET.format(2, 8),
        # Boxes in pixels of another map.
        _NET.format(2, 0.46),
        # A map that another net made.
        _NET.format(2, 0.0625).replace("dim: 3", "dim: 512"),
    ]
    INVALID = [
        Invalid(
            _NET.format(2, 0.0625),
            span="spatial_scale: 0.0625",
            message='ROIPooling "roi": spatial_scale is 0.0625 but "pool" has a stride of 8, so regions are read from'
            " other places of the map; set spatial_scale: 0.125",
            fixed=_NET.format(2, 0.125),
        ),
        Invalid(
            _NET.format(2, 0.0625) + _PYTHON,
            span="spatial_scale: 0.0625",
            message='ROIPooling "roi": spatial_scale is 0.0625 but "pool" has a stride of 8, as feat_stride says, so'
            " regions are read from other places of the map; set spatial_scale: 0.125",
            fixed=_NET.format(2, 0.125) + _PYTHON,
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        strides: dict[int, set[Fraction]] = {}
        for one in net.states():
            known: dict[Blob, Position | None] = {}
            for layer in one.layers:
                if layer.index is not None and layer.has_setting("spatial_scale"):
                    if layer.bottoms and (stride := stride_of(layer.bottoms[0], known)) is not None:
                        strides.setdefault(layer.index, set()).add(stride)
        for index, found in strides.items():
            if len(found) == 1:  # no scale suits two phases that read maps of two strides
                yield from self._of(net, net.layers[index], *found)

    def _of(self, net: Net, mine: Layer, stride: Fraction) -> Iterator[Finding]:
        block = mine.kind.block
        scale = getattr(mine.message, block).spatial_scale
        if not mine.has(block, "spatial_scale") or abs(scale * stride - 1) <= _NEAR:
            return
        # Boxes of the range 0 to 1, as of DetectionOutput, or in pixels of another map, as 23/50 from 50 to 23 columns.
        if scale > 1 or scale > 0 and abs(1 / scale - round(1 / scale)) > _NEAR / scale:
            return
        right = f"{float(1 / stride):g}"
        agrees = net.once(_feat_strides) == {stride}
        as_told = ", as feat_stride says" if agrees else ""
        yield self.finding(
            mine.at(block, "spatial_scale"),
            f'{title(mine)}: spatial_scale is {scale:g} but "{mine.bottoms[0]}" has a stride of {_number(stride)}'
            f"{as_told}, so regions are read from other places of the map; set spatial_scale: {right}",
            severity=WARNING if agrees else INFO,
            fixes=fix(f"set spatial_scale: {right}", UNSAFE, write(mine, block, "spatial_scale", value=right)),
        )


def _feat_strides(net: Net) -> set[int]:
    """The strides of the map that the Python layers of a net work with."""
    return {stride for layer in net.by_type.get("Python", ()) for stride in feat_strides(layer)}


def _number(value: Fraction) -> str:
    return f"{float(value):g}"
