from __future__ import annotations

from caffelint.lint import ERROR, UNSAFE, Fix, Invalid, Kind, RefusalRule, Refused, titles

from ._misplaced import meant_in_place, reading
from ._own_top import own_top


class InPlaceAfterBranch(RefusalRule):
    """An in-place layer overwrites a blob that another layer also reads.

    ## Why is this bad?
    Where several layers read a blob, Caffe inserts a Split after it and gives each reader a copy with its own name.
    The in-place layer then has a bottom with the new name and a top with the old one, so it makes the blob a second
    time, and Caffe stops with "Top blob produced by multiple sources", which does not say why.

    ## Example
    ```
    layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { kernel_size: 2 } }
    layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
    ```
    Use instead:
    ```
    layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { kernel_size: 2 } }
    layer { name: "relu" type: "ReLU" bottom: "conv" top: "relu" }
    ```
    or put the ReLU before the Pooling, if both should see its result.

    ## Fix safety
    Unsafe: every later layer reads the result of this layer, in the order of the text; one that should read the other
    blob has to be changed by hand.

    ## References
    - insert_splits.cpp, InsertSplits; net.cpp, AppendTop
    """

    code = "G011"
    name = "in-place-after-branch"
    severity = ERROR
    claims = (Kind.OVERWRITES_SHARED_BLOB,)
    VALID = [
        # The other reader is below: it sees the result.
        'layer { name: "data" type: "Input" top: "data" }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }'
        ' layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }'
            ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }'
            ' layer { name: "tanh" type: "TanH" bottom: "data" top: "tanh" }',
            span='top: "data"',
            message='ReLU "relu": "data" cannot be overwritten in place, since other layers read it too; give the top'
            " another name",
            fixed='layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }'
            ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
            ' layer { name: "tanh" type: "TanH" bottom: "relu" top: "tanh" }',
        ),
        # The layer above makes what this one and those below should go on with.
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "c" type: "AbsVal" bottom: "data" top: "c" }'
            ' layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "c" top: "sum" }'
            ' layer { name: "relu" type: "ReLU" bottom: "c" top: "c" }'
            ' layer { name: "tanh" type: "TanH" bottom: "c" top: "tanh" }',
            span='top: "c"',
            message='ReLU "relu": "c" cannot be overwritten in place, since other layers read it too; did you mean'
            ' "sum", which nothing reads, in this layer and in TanH "tanh"?',
            fixed='layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "c" type: "AbsVal" bottom: "data" top: "c" }'
            ' layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "c" top: "sum" }'
            ' layer { name: "relu" type: "ReLU" bottom: "sum" top: "sum" }'
            ' layer { name: "tanh" type: "TanH" bottom: "sum" top: "tanh" }',
        ),
    ]

    def message(self, refused: Refused) -> str:
        if not (above := meant_in_place(refused)):
            return super().message(refused)
        others = above.layers[1:]
        also = f" in this layer and in {titles(others)}" if others else ""
        why = ", which nothing reads," if others else ""
        text = super().message(refused).removesuffix("; give the top another name")
        return f'{text}; did you mean "{above.blob}"{why}{also}?'

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """None where nothing further down reads the result: then its name is the slip."""
        layer = refused.layers[0]
        if above := meant_in_place(refused):
            return reading(above, refused.refusal.values["blob"])
        below = layer.net.layers[layer.index + 1 :]
        read = any(refused.refusal.values["blob"] in other.bottoms for other in below)
        return own_top(layer, safety=UNSAFE) if len(refused.layers) == 1 and read else ()
