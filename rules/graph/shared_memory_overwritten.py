from __future__ import annotations

from collections.abc import Iterator, Mapping

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, NamedTuple, Net, NetRule, title
from caffelint.lint.built import Blob, BuiltLayer

from ._own_top import own_top


class SharedMemoryOverwritten(NetRule):
    """An in-place layer after a Flatten, a Reshape or a Split changes what another branch reads.

    ## Why is this bad?
    Flatten, Reshape and Split copy nothing: their tops are the memory of their bottom under another name. A layer that
    works in place on such a top also changes the values under every other name. Caffe does not notice, since it only
    checks names.

    ## Example
    ```
    layer { name: "flat" type: "Flatten" bottom: "pool" top: "flat" }
    layer { name: "relu" type: "ReLU" bottom: "flat" top: "flat" }
    layer { name: "conv" type: "Convolution" bottom: "pool" top: "conv" }
    ```
    Use instead:
    ```
    layer { name: "flat" type: "Flatten" bottom: "pool" top: "flat" }
    layer { name: "relu" type: "ReLU" bottom: "flat" top: "relu" }
    layer { name: "conv" type: "Convolution" bottom: "pool" top: "conv" }
    ```

    ## Known problems
    Silent about nets with layers or fields of a fork.

    ## Fix safety
    Unsafe: the other branch gets the input that was meant, and so computes something other than before.

    ## References
    - flatten_layer.cpp, reshape_layer.cpp and split_layer.cpp, Forward_cpu and Reshape (ShareData)
    """

    code = "G025"
    name = "shared-memory-overwritten"
    severity = WARNING
    _DATA = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }'
    VALID = [
        _DATA + ' layer { name: "flat" type: "Flatten" bottom: "data" top: "flat" }'
        ' layer { name: "relu" type: "ReLU" bottom: "flat" top: "flat" }',
        # The other reader has run before.
        _DATA + ' layer { name: "tanh" type: "TanH" bottom: "data" top: "tanh" }'
        ' layer { name: "flat" type: "Flatten" bottom: "data" top: "flat" }'
        ' layer { name: "relu" type: "ReLU" bottom: "flat" top: "flat" }',
    ]
    INVALID = [
        Invalid(
            _DATA + ' layer { name: "flat" type: "Flatten" bottom: "data" top: "flat" }'
            ' layer { name: "relu" type: "ReLU" bottom: "flat" top: "flat" }'
            ' layer { name: "tanh" type: "TanH" bottom: "data" top: "tanh" }',
            span='top: "flat"',
            message='ReLU "relu" also overwrites what TanH "tanh" reads, since Flatten "flat" does not copy; give the'
            ' top of ReLU "relu" another name',
            fixed=_DATA
            + (
                ' layer { name: "flat" type: "Flatten" bottom: "data" top: "flat" } layer { name: "relu" type: '
                '"ReLU" bottom: "flat" top: "relu" } layer { name: "tanh" type: "TanH" bottom: "data" top: '
                '"tanh" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.is_plain:
            return
        said = set()
        for one in net.states():
            order = {layer: place for place, layer in enumerate(one.layers)}
            sharers: dict[Blob, _Sharer | None] = {}
            for layer in one.layers:
                above = sharers.get(layer.bottoms[0]) if layer.bottoms else None
                overwrites = layer.runs_in_place and not layer.shares_memory
                for top in layer.tops:
                    sharers[top] = _Sharer(layer, top, above) if layer.shares_memory else above if overwrites else None
                if layer.index is None or layer.index in said or not overwrites:
                    continue
                found = _reader(above, order, order[layer])
                if found is not None:
                    said.add(layer.index)
                    sharer, reader = found
                    yield self.finding(
                        net.layers[layer.index].at("top"),
                        f"{title(layer)} also overwrites what {title(reader)} reads, since {title(sharer)}"
                        f" does not copy; give the top of {title(layer)} another name",
                        fixes=own_top(net.layers[layer.index], safety=UNSAFE),
                    )


class _Sharer(NamedTuple):
    """A layer whose tops are the memory of its bottom, the top that leads down from it, and the next one above."""

    layer: BuiltLayer
    top: Blob
    above: _Sharer | None


def _reader(
    nearest: _Sharer | None, order: Mapping[BuiltLayer, int], place: int
) -> tuple[BuiltLayer, BuiltLayer] | None:
    """The nearest sharer, and a layer further down than `place` that reads the same memory under another name."""
    sharer = nearest
    while nearest is not None and sharer is not None:
        for top in sharer.layer.tops:
            for reader, _ in top.consumers:
                if top is not sharer.top and order[reader] > place:
                    return nearest.layer, reader
        sharer = sharer.above
    return None
