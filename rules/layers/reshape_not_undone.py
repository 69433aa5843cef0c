from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, Related, fix, title, write
from caffelint.lint.built import Blob, BuiltLayer

_CHANNELS = 1
_REST = -1


class ReshapeNotUndone(NetRule):
    """A Reshape that puts channels back after another one makes another number of them.

    ## Why is this bad?
    A net that finds objects reshapes the scores of its anchors to two channels for a Softmax, and back. The second
    Reshape names the number of channels again, and is often forgotten when the number of anchors changes. If the map is
    divisible by it, Caffe loads the net, and each score is that of another place and anchor.

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
    preview = True
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
    VALID = [_NET.format(24, 24), _NET.format(18, 18), _NET.format(24, 1)]
    INVALID = [
        Invalid(
            _NET.format(24, 18),
            span="dim: 18",
            message='Reshape "back" makes 18 channels, but Reshape "pairs", which it undoes, reads 24 from "score", so'
            " its values change places; set dim: 24",
            fixed=_NET.format(24, 24),
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
