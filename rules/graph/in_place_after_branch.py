from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, Finding, Invalid, Net, NetRule

from ._own_top import own_top
from ._refusals import findings


class InPlaceAfterBranch(NetRule):
    """An in-place layer overwrites a blob that another layer reads too.

    ## Why is this bad?
    Where several layers read a blob, Caffe puts a Split behind it and gives each reader its own copy of another name.
    The in-place layer then has a bottom of that new name and a top of the old one, so it makes the blob a second time,
    and Caffe ends with "Top blob produced by multiple sources", which does not tell why.

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
    or put the ReLU above the Pooling, if both are to see its result.

    ## Fix safety
    Unsafe: what stands further down reads the result of this layer, in the order of the text; whoever meant the
    other blob has to say so.

    ## References
    - insert_splits.cpp, InsertSplits; net.cpp, AppendTop
    """

    code = "G011"
    name = "in-place-after-branch"
    severity = ERROR
    VALID = [
        # The other reader stands below: it sees the result.
        'layer { name: "data" type: "Input" top: "data" }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }'
        ' layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }'
            ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }',
            span='top: "data"',
            message='"data" cannot be overwritten in place: other layers read it too',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" } layer { name: "abs" type: "AbsVal" bottom: '
                '"data" top: "abs" } layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        yield from findings(
            self, net, lambda refused: own_top(refused.layers[0], UNSAFE) if len(refused.layers) == 1 else ()
        )
