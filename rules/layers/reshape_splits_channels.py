from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, Related, title
from caffelint.lint.built import BuiltLayer

from ._anchors import boxes_beside


class ReshapeSplitsChannels(NetRule):
    """A Reshape makes fewer channels of a map whose number of channels is no multiple of them.

    ## Why is this bad?
    A net that finds objects reshapes the scores of its anchors to two channels, object or not, for a Softmax. If their
    number is odd, Caffe stops at a map of an odd height, and of any other map a channel is cut in two: half of its rows
    count as object, half as not.

    ## Example
    ```
    layer { name: "score" type: "Convolution" bottom: "a" top: "score" convolution_param { num_output: 189 ... } }
    layer { ... type: "Reshape" bottom: "score" top: "pairs" reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 0 } } }
    ```
    Use instead:
    ```
    layer { name: "score" type: "Convolution" bottom: "a" top: "score" convolution_param { num_output: 18 ... } }
    ```

    ## References
    - reshape_layer.cpp, Reshape; rbgirshick/py-faster-rcnn#177
    """

    code = "L016"
    name = "reshape-splits-channels"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Reshape",)
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 18 dim: 24 }} }} }}'
        ' layer {{ name: "score" type: "Convolution" bottom: "data" top: "score"'
        " convolution_param {{ num_output: {} kernel_size: 1 }} }}"
        ' layer {{ name: "pairs" type: "Reshape" bottom: "score" top: "pairs"'
        " reshape_param {{ shape {{ dim: 0 dim: 2 dim: {} dim: {} }} }} }}"
    )
    _BOXES = (
        ' layer { name: "boxes" type: "Convolution" bottom: "data" top: "boxes"'
        " convolution_param { num_output: 36 kernel_size: 1 } }"
    )
    VALID = [
        _NET.format(18, -1, 0),
        # Rows and columns in one axis: no map any more.
        _NET.format(3, -1, 8),
        _NET.replace("shape {{ dim: 1 dim: 3 dim: 18 dim: 24 }}", "").format(18, -1, 0),
    ]
    INVALID = [
        Invalid(
            _NET.format(189, -1, 0),
            span="num_output: 189",
            message='Convolution "score" makes 189 channels, of which Reshape "pairs" makes 2, so one of them is cut in'
            " pieces; set num_output to a multiple of 2",
        ),
        Invalid(
            _NET.format(189, -1, 0) + _BOXES,
            span="num_output: 189",
            message='Convolution "score" makes 189 channels, of which Reshape "pairs" makes 2, so one of them is cut in'
            ' pieces; set num_output to a multiple of 2: 18, if Convolution "boxes" makes 9 boxes',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said: set[int] = set()
        for one in net.states():
            for layer in one.layers:
                maker = _maker(layer)
                if layer.index is None or maker is None or maker.index is None or maker.index in said:
                    continue
                _, parts, *_ = layer.parameters.shape.dim
                made = maker.parameters.num_output
                if not made % parts:
                    continue
                said.add(maker.index)
                reshape, here = net.layers[layer.index], net.layers[maker.index]
                yield self.finding(
                    here.at(maker.block, "num_output"),
                    f"{title(here)} makes {made} channels, of which {title(reshape)} makes {parts}, so one of them is"
                    f" cut in pieces; set num_output to a multiple of {parts}{_for_boxes(net, maker, parts)}",
                    related=(Related("the Reshape", reshape.at("reshape_param", "shape", "dim", 1)),),
                    phases=one.phases,
                )


def _maker(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer that makes the channels that a Reshape parts, to so many rows as that gives; None if it does not."""
    if layer.type != "Reshape" or not layer.bottoms or layer.parameters.axis or layer.parameters.num_axes != -1:
        return None
    dims = list(layer.parameters.shape.dim)
    if len(dims) != 4 or [dims[0], *dims[2:]] != [0, -1, 0] or dims[1] < 2:
        return None
    maker = layer.bottoms[0].maker
    while maker is not None and maker.keeps_channels and maker.keeps_pixels and len(maker.bottoms) == 1:
        maker = maker.bottoms[0].maker
    is_map = maker is not None and "num_output" in maker.shaped_by and maker.written_windows() is not None
    return maker if is_map else None


def _for_boxes(net: Net, maker: BuiltLayer, parts: int) -> str:
    """How many scores there must be for the boxes that a layer beside makes."""
    found = boxes_beside(maker)
    if found is None:
        return ""
    return f": {parts * found[1]}, if {title(net.layers[found[0].index or 0])} makes {found[1]} boxes"
