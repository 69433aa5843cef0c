from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import LIKELY, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, fix, remove, title
from caffelint.lint.built import BuiltLayer, types_that

_MOVE = ("Permute", "Python")
"""What may make steps of the values of one row."""
_MOST = 50
"""Recurrent layers of a net of which each is asked what it depends on."""


def _net(more: str, between: str = "", bottom: str = "x") -> str:
    return (
        'layer { name: "in" type: "HDF5Data" top: "x" top: "cont" top: "y"'
        f' hdf5_data_param {{ source: "a.txt" batch_size: 8{more} }} }}{between}'
        f' layer {{ name: "lstm" type: "LSTM" bottom: "{bottom}" bottom: "cont" top: "h"'
        " recurrent_param { num_output: 4 } }"
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "h" bottom: "y" top: "loss" }'
    )


class StepsShuffled(NetRule):
    """A data layer shuffles rows that are the steps of a sequence.

    ## Why is this bad?
    LSTM and RNN take steps along the first axis, that of the rows of a batch. The marks of where a sequence goes on are
    in the same rows, so these follow each other in time; shuffled, each step meets the state of a random other one.

    ## Example
    ```
    hdf5_data_param { source: "train.txt" batch_size: 16 shuffle: true }
    ```
    Use instead:
    ```
    hdf5_data_param { source: "train.txt" batch_size: 16 }
    ```

    ## Known problems
    Not reported where a Permute or a Python layer may make the steps of the values of one row.

    ## Fix safety
    Unsafe: training reads its rows in a different order.

    ## References
    - hdf5_data_layer.cpp, LoadHDF5FileData: rows are shuffled one by one; recurrent_layer.hpp: inputs are T x N x ...
    """

    code = "D034"
    name = "steps-shuffled"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.is_recurrent)
    VALID = [_net(""), _net(" shuffle: true", ' layer { name: "p" type: "Permute" bottom: "x" top: "p" }', "p")]
    INVALID = [
        Invalid(
            _net(" shuffle: true"),
            span="shuffle: true",
            message='HDF5Data "in" shuffles its rows, which are the steps that LSTM "lstm" reads in the order of time:'
            ' "cont" says where they go on; remove shuffle',
            fixed=_net(""),
        )
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for built in net.states():
            readers = [layer for layer in built.layers if layer.is_recurrent] if built.is_wired else []
            for reader in readers if len(readers) <= _MOST and any(map(_shuffles, built.layers)) else ():
                data = _shuffled(reader)
                if data is None or data.index is None:
                    continue
                layer = net.layers[data.index]
                yield self.finding(
                    layer.at(data.block, "shuffle"),
                    f"{title(data)} shuffles its rows, which are the steps that {title(reader)} reads in the order of"
                    f' time: "{reader.bottoms[1].original.name}" says where they go on; remove shuffle',
                    phases=(built.phase,),
                    fixes=fix("remove shuffle", UNSAFE, remove(layer, data.block, "shuffle")),
                )


def _shuffled(reader: BuiltLayer) -> BuiltLayer | None:
    """The layer that brings the steps of a recurrent one and their marks, row by row, if it shuffles them."""
    if len(reader.bottoms) < 2:
        return None
    both = [blob.depends_on for blob in reader.bottoms[:2]]
    if any(one.bottoms and (not one.known or one.type in _MOVE) for each in both for one in each):
        return None
    shape = reader.bottoms[0].shape or ()
    for data in set(both[0]) & set(both[1]):
        rows = data.parameters.batch_size if _shuffles(data) else 0
        # A batch of steps x items has as many rows as both.
        kept = rows in (shape[0], prod(shape[:2])) if shape else all(one.type != "Reshape" for one in both[0])
        if rows > 1 and kept and shape[:1] != (1,):
            return data
    return None


def _shuffles(data: BuiltLayer) -> bool:
    return not data.bottoms and data.has_setting("shuffle") and bool(data.parameters.shuffle)
