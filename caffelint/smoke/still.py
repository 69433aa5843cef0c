"""Removes randomness from the copy of a net, so that two runs of it can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caffelint.caffe.net import Layer
from caffelint.text.edits import Edit


def without_dropout(layers: Iterable[Layer]) -> Iterator[Edit]:
    """Edits that make every Dropout keep all values (dropout_ratio 0 keeps all values and scales them by 1)."""
    for layer in layers:
        if layer.type == "Dropout" and layer.node is not None:
            ratio = next((node for node in layer.node.walk() if node.name == "dropout_ratio"), None)
            block = layer.node.first("dropout_param")
            if ratio is not None:
                yield Edit(ratio.value_start, ratio.end, "0")
            elif block is not None:
                yield Edit(block.end - 1, block.end - 1, " dropout_ratio: 0 ")
            elif layer.node.first("layer") is None:
                yield Edit(layer.node.end - 1, layer.node.end - 1, " dropout_param { dropout_ratio: 0 } ")
