from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Net, NetRule

from ._refusals import findings
from ._states import is_plain


class SharedParameterMismatch(NetRule):
    """Layers share a parameter by name, but want it in different shapes or at different rates.

    ## Why is this bad?
    `param { name: "w" }` makes all layers that say so use the parameter of the first. Caffe ends its process where
    shapes differ (with `share_mode: PERMISSIVE`: where numbers of elements do), or where two layers write different
    values of `lr_mult` or `decay_mult`.

    ## Example
    ```
    layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 } }
    layer { name: "b" type: "InnerProduct" bottom: "more" top: "b" param { name: "w" lr_mult: 2 } }
    ```
    Use instead:
    ```
    layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 } }
    layer { name: "b" type: "InnerProduct" bottom: "more" top: "b" param { name: "w" lr_mult: 1 } }
    ```

    ## Known problems
    Silent about shapes in nets that use layers or fields of a fork, and where a shape stands in a data file.

    ## References
    - net.cpp, AppendParam
    """

    code = "G014"
    name = "shared-parameter-mismatch"
    severity = ERROR
    VALID = [
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
        ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 }'
        " inner_product_param { num_output: 3 } }"
        ' layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" }'
        " inner_product_param { num_output: 3 } }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { name: "w" lr_mult: 1 }'
            " inner_product_param { num_output: 3 } }"
            ' layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" lr_mult: 2 }'
            " inner_product_param { num_output: 3 } }"
            ' layer { name: "c" type: "InnerProduct" bottom: "b" top: "c" param { name: "w" }'
            " inner_product_param { num_output: 4 } }",
            span=("lr_mult: 2", 'name: "w"'),
            message=(
                'parameter "w" has lr_mult 2 here and 1 elsewhere; shared parameters need one value',
                'parameter "w" is 4 x 3 here and 3 x 3 in layer "a", which owns it',
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if is_plain(net):
            yield from findings(self, net)
