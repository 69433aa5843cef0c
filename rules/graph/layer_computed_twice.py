from __future__ import annotations

from collections.abc import Hashable, Iterator

from caffelint.lint import WARNING, Finding, Invalid, Net, NetRule, Related, title
from caffelint.lint.built import BuiltLayer, BuiltNet

from ._layer_params import sharing
from ._same_values import computes, doubled

_FC = (
    ' layer {{ name: "{0}" type: "InnerProduct" bottom: "{1}" top: "{0}"'
    ' param {{ name: "{2}" }} param {{ name: "b" }} inner_product_param {{ num_output: 3 }} }}'
)
_DATA = 'layer { type: "HDF5Data" top: "d" top: "age" top: "sex" hdf5_data_param { source: "d" batch_size: 9 } }'
_LOSSES = (
    ' layer { name: "loss_x" type: "SoftmaxWithLoss" bottom: "x" bottom: "age" }'
    ' layer { name: "loss_y" type: "SoftmaxWithLoss" bottom: "y" bottom: "sex" }'
)
_PAIRS = 'layer { type: "HDF5Data" top: "a" top: "b" top: "alike" hdf5_data_param { source: "d" batch_size: 9 } }'
_CONTRAST = ' layer { name: "far" type: "ContrastiveLoss" bottom: "x" bottom: "y" bottom: "alike" }'


class LayerComputedTwice(NetRule):
    """Two heads share all their parameters and read the same blob, though each has a label, or one loss compares them.

    ## Why is this bad?
    Parameters of one name are one blob. Siamese branches share them because they read different inputs; two heads that
    read the same blob, each for a label of its own, can then never give different answers, and a loss that compares the
    two finds no difference. Layers further up may be computed twice on purpose, as those of a generator are that two
    adversaries train.

    ## Example
    ```
    layer { name: "age" type: "InnerProduct" bottom: "fc7" top: "age" param { name: "w" } param { name: "b" } }
    layer { name: "sex" type: "InnerProduct" bottom: "fc7" top: "sex" param { name: "w" } param { name: "b" } }
    ```
    Use instead:
    ```
    layer { name: "age" type: "InnerProduct" bottom: "fc7" top: "age" }
    layer { name: "sex" type: "InnerProduct" bottom: "fc7" top: "sex" }
    ```

    ## References
    - net.cpp, AppendParam
    """

    code = "G032"
    name = "layer-computed-twice"
    severity = WARNING
    VALID = [
        _DATA + _FC.format("x", "d", "w") + _FC.format("y", "d", "v") + _LOSSES,
        _DATA + _FC.format("x", "d", "w") + _FC.format("y", "x", "w") + _LOSSES,
        _DATA + _FC.format("x", "d", "w") + _FC.format("y", "d", "w") + _LOSSES.replace("sex", "age"),
        _PAIRS + _FC.format("x", "a", "w") + _FC.format("y", "b", "w") + _CONTRAST,
    ]
    INVALID = [
        Invalid(
            _DATA + _FC.format("x", "d", "w") + _FC.format("y", "d", "w") + _LOSSES,
            span='name: "w"',
            message='InnerProduct "y" shares all parameters of InnerProduct "x" and reads the same "d", so both always'
            " give the same output; give its parameters other names",
        ),
        # The second branch of a siamese net was copied with its input.
        Invalid(
            _PAIRS + _FC.format("x", "a", "w") + _FC.format("y", "a", "w") + _CONTRAST,
            span='bottom: "a"',
            message='InnerProduct "y" reads "a" as InnerProduct "x" does, whose parameters it shares, so both sides of'
            ' ContrastiveLoss "far" are always the same; let "y" read "b", which nothing reads',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said: set[int] = set()
        for one in net.states() if sharing(net) else ():
            yield from self._of_branches(net, one, said)
            known: dict[Hashable, BuiltLayer] = {}
            for layer in one.layers:
                key = computes(layer, {}) if layer.message is not None and layer.message.param else None
                first = layer if key is None else known.setdefault(key, layer)
                if first is layer or layer.index is None or first.index is None or layer.index in said:
                    continue
                if not (labels := _labels(layer)) or not labels.isdisjoint(_labels(first) or labels):
                    continue  # each needs a label of its own
                said.add(layer.index)
                read = " and ".join(f'"{name}"' for name in dict.fromkeys(blob.original.name for blob in layer.bottoms))
                yield self.finding(
                    net.layers[layer.index].at("param", 0, "name"),
                    f"{title(layer)} shares all parameters of {title(first)} and reads the same {read}, so both always"
                    " give the same output; give its parameters other names",
                    related=(Related("the other layer", net.layers[first.index].at("name")),),
                )

    def _of_branches(self, net: Net, state: BuiltNet, said: set[int]) -> Iterator[Finding]:
        for loss, first, again, unread in doubled(state):
            if again.index is None or first.index is None or again.index in said:
                continue
            said.add(again.index)
            name = again.bottoms[0].original.name
            instead = f'"{unread.original.name}", which nothing reads' if unread is not None else "the other input"
            yield self.finding(
                net.layers[again.index].at("bottom"),
                f'{title(again)} reads "{name}" as {title(first)} does, whose parameters it shares, so both sides of'
                f' {title(loss)} are always the same; let "{again.name}" read {instead}',
                related=(Related("the other layer", net.layers[first.index].at("name")),),
            )


def _labels(layer: BuiltLayer) -> set[str]:
    """What losses compare its output with."""
    readers = [reader for top in layer.tops for reader, number in top.readers if reader.is_loss and number == 0]
    return {blob.original.name for reader in readers for blob in reader.bottoms[1:2]}
