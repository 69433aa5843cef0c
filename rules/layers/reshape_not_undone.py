from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, UNSAFE, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, fix, title, write
from caffelint.lint.built import Blob, BuiltLayer

from ._anchors import boxes_beside

_CHANNELS = 1
_REST = -1


class ReshapeNotUndone(NetRule):
    """A Reshape that puts channels back after another one makes another number of them.

    ## Why is this bad?
    A net that finds objects reshapes the scores of its anchors to two channels for a Softmax, and back. The second
    Reshape names the number of channels again, and is often forgotten when the number of anchors changes. If the map is
    divisible by it, Caffe loads the net, and each score is that of another place and anchor. Where the boxes of a layer
    beside tell that the second Reshape is right, the layer that makes the scores is reported.

    ## Example
    A map of 24 channels:
    ```
    reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 0 } }
    reshape_param { shape { dim: 0 dim: 18 dim: -1 dim: 0 } }
    ```
    Use instead:
    ```
    reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 0 } }
    reshape_param { shape { dim: 0 dim: 24 dim: -1 dim: 0 } }
    ```

    ## References
    - reshape_layer.cpp, Reshape; tanshen/SubCNN@3393f9f and @8c7f292
    """

    code = "L015"
    name = "reshape-not-undone"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Reshape",)
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 18 dim: 24 }} }} }}'
        ' layer {{ name: "score" type: "Convolution" bottom: "data" top: "score"'
        " convolution_param {{ num_output: {} kernel_size: 1 }} }}"
        ' layer {{ name: "pairs" type: "Reshape" bottom: "score" top: "pairs"'
        " reshape_param {{ shape {{ dim: 0 dim: 2 dim: -1 dim: 0 }} }} }}"
        ' layer {{ name: "prob" type: "Softmax" bottom: "pairs" top: "prob" }}'
        ' layer {{ name: "back" type: "Reshape" bottom: "prob" top: "back"'
        " reshape_param {{ shape {{ dim: 0 dim: {} dim: -1 dim: 0 }} }} }}"
    )
    _BOXES = (
        ' layer { name: "boxes" type: "Convolution" bottom: "data" top: "boxes"'
        " convolution_param { num_output: 48 kernel_size: 1 } }"
    )
    VALID = [_NET.format(24, 24), _NET.format(18, 18), _NET.format(24, 1)]
    INVALID = [
        Invalid(
            _NET.format(24, 18),
            span="dim: 18",
            message='Reshape "back" makes 18 channels, but Reshape "pairs", which it undoes, reads 24 from "score", so'
            " its values change places; set dim: 24",
            fixed=_NET.format(24, 24),
        ),
        # The data gives the size of the map.
        Invalid(
            _NET.replace("shape {{ dim: 1 dim: 3 dim: 18 dim: 24 }}", "").format(2, 18),
            span="dim: 18",
            message='Reshape "back" makes 18 channels, but Reshape "pairs", which it undoes, reads 2 from "score", so'
            " its values change places; set dim: 2",
            fixed=_NET.replace("shape {{ dim: 1 dim: 3 dim: 18 dim: 24 }}", "").format(2, 2),
        ),
        Invalid(
            _NET.format(18, 24) + _BOXES,
            span="num_output: 18",
            message='Convolution "score" makes 18 channels, but Reshape "back" puts 24 back, as for the 12 boxes of'
            ' Convolution "boxes"; set num_output: 24',
            fixed=_NET.format(24, 24) + _BOXES,
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if len(net.by_type["Reshape"]) < 2:
            return
        said: set[int] = set()
        for one in net.states():
            for layer in one.layers:
                if layer.type == "Reshape" and layer.index is not None and layer.index not in said:
                    found = self._odd(net, layer, layer.index)
                    if found:
                        said.add(layer.index)
                        yield found

    def _odd(self, net: Net, layer: BuiltLayer, index: int) -> Finding | None:
        other = _reshape_before(layer)
        if other is None or other.index is None or not other.bottoms:
            return None
        here, there = _dims(layer), _dims(other)
        wanted = _channels(other.bottoms[0])
        # As the first one, but for the channels; a single one, or those of the first, is a step of another kind.
        if len(here) != 4 or len(there) != 4 or not wanted:
            return None
        if here[_CHANNELS] in (0, 1, _REST, wanted, there[_CHANNELS]):
            return None
        if there[_CHANNELS] in (0, 1, _REST) or [*here[:1], *here[2:]] != [*there[:1], *there[2:]] or _REST not in here:
            return None
        mine, first = net.layers[index], net.layers[other.index]
        maker = other.bottoms[0].maker
        if maker is not None and (found := self._odd_scores(net, maker, mine, here[_CHANNELS], there[_CHANNELS])):
            return found
        return self.finding(
            mine.at("reshape_param", "shape", "dim", _CHANNELS),
            f"{title(mine)} makes {here[_CHANNELS]} channels, but {title(first)}, which it undoes, reads {wanted} from"
            f' "{first.bottoms[0]}", so its values change places; set dim: {wanted}',
            related=(Related("the first Reshape", first.at("type")),),
            fixes=fix(
                f"set dim: {wanted}",
                UNSAFE,
                write(mine, "reshape_param", "shape", "dim", _CHANNELS, value=str(wanted)),
            ),
        )

    def _odd_scores(self, net: Net, maker: BuiltLayer, back: Layer, channels: int, parts: int) -> Finding | None:
        """The layer that makes the scores, if a layer beside makes boxes for as many as the second Reshape."""
        beside = boxes_beside(maker)
        if (
            beside is None
            or maker.index is None
            or "num_output" not in maker.shaped_by
            or beside[1] * parts != channels
        ):
            return None
        scores, boxes = net.layers[maker.index], net.layers[beside[0].index or 0]
        return self.finding(
            scores.at(maker.block, "num_output"),
            f"{title(scores)} makes {maker.parameters.num_output} channels, but {title(back)} puts {channels} back, as"
            f" for the {beside[1]} boxes of {title(boxes)}; set num_output: {channels}",
            related=(Related("the Reshape that puts them back", back.at("type")),),
            fixes=fix(
                f"set num_output: {channels}",
                UNSAFE,
                write(scores, maker.block, "num_output", value=str(channels)),
            ),
        )


def _dims(layer: BuiltLayer) -> Sequence[int]:
    return list(layer.parameters.shape.dim)


def _reshape_before(layer: BuiltLayer) -> BuiltLayer | None:
    """The Reshape before this one, with nothing between them that changes a shape."""
    above = layer.bottoms[0].producer if layer.bottoms else None
    while above is not None and above.type != "Reshape" and above.keeps_pixels and above.keeps_channels:
        above = above.bottoms[0].producer if above.bottoms else None
    return above if above is not None and above.type == "Reshape" else None


def _channels(blob: Blob) -> int:
    """How many a map has; 0 where neither its shape nor the layer that makes it tells."""
    if blob.shape is not None:
        return blob.shape[1] if len(blob.shape) == 4 else 0
    maker = blob.maker
    return int(maker.parameters.num_output) if maker is not None and "num_output" in maker.shaped_by else 0
