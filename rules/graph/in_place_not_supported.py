from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, Finding, Fix, Invalid, Kind, Net, RefusalRule, Refused, title

from ._own_top import own_top, own_tops


class InPlaceNotSupported(RefusalRule):
    """A layer that cannot work in place has a top with the name of a bottom.

    ## Why is this bad?
    Split, Flatten, Reshape and AbsVal refuse it. Tile, Im2col and a Concat of several blobs do not check: they write a
    larger result over their own input, and the process dies with a heap error that does not name the layer. A layer
    also works in place only on the bottom with the same index: an Eltwise whose top has the name of its second bottom
    makes that blob a second time.

    ## Example
    ```
    layer { name: "flat" type: "Flatten" bottom: "pool" top: "pool" }
    ```
    Use instead:
    ```
    layer { name: "flat" type: "Flatten" bottom: "pool" top: "flat" }
    ```

    ## Known problems
    Silent about layers that crash in nets with layers or fields of a fork.

    ## Fix safety
    Safe: Caffe refuses the net or crashes, and later layers that read this name read what this layer makes.

    ## References
    - net.cpp, AppendTop; the Reshape functions in src/caffe/layers; layers that die were run on Caffe 1.0
    """

    code = "G009"
    name = "in-place-not-supported"
    severity = ERROR
    claims = (Kind.IN_PLACE, Kind.IN_PLACE_NUMBER)
    VALID = [
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }'
            ' layer { name: "flat" type: "Flatten" bottom: "data" top: "data" }',
            span='top: "data"',
            message='Flatten "flat": Flatten cannot work in place; give its top another name',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } } layer '
                '{ name: "flat" type: "Flatten" bottom: "data" top: "flat" }'
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } }'
            ' layer { name: "tile" type: "Tile" bottom: "data" top: "data" tile_param { tiles: 2 } }',
            span='top: "data"',
            message='Tile "tile" writes a larger result over its own input; give its top another name',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 } } } layer '
                '{ name: "tile" type: "Tile" bottom: "data" top: "tile" tile_param { tiles: 2 } }'
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" top: "more" }'
            ' layer { name: "sum" type: "Eltwise" bottom: "more" bottom: "data" top: "data" }',
            span='top: "data"',
            message='Eltwise "sum": "data" is bottom 1 but top 0; in place both must have the same index',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" top: "more" } layer { name: "sum" type: '
                '"Eltwise" bottom: "more" bottom: "data" top: "sum" }'
            ),
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        return own_top(*refused.layers, safety=SAFE)

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_plain:
            return
        layers = (layer for one in net.states() for layer in one.layers if layer.index is not None)
        found = {layer.index or 0 for layer in layers if layer.runs_in_place and layer.in_place == "dies"}
        dying = {index: net.layers[index] for index in found}
        fixes = own_tops([dying[index] for index in sorted(dying)], safety=SAFE)
        for index, layer in dying.items():
            yield self.finding(
                layer.at("top"),
                f"{title(layer)} writes a larger result over its own input; give its top another name",
                evidence="Caffe crashes with a heap error that does not name the layer",
                fixes=fixes.get(index, ()),
            )
