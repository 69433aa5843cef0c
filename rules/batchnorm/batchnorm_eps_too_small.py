from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, Layer, Net, NetRule, fix, write

from ..graph._refusals import listed
from ._norms import is_norm

SMALL = 1e-8


class BatchnormEpsTooSmall(NetRule):
    """`eps` of a BatchNorm is too small to keep it from dividing by 0.

    ## Why is this bad?
    A channel that is constant over a batch, as behind dead units or padding, has a variance of 0, and the layer divides
    by sqrt(0 + eps). With `eps: 0` that is 0/0 = nan; below 1e-8 rounding errors are blown up 10,000 times and more.

    ## Example
    ```
    batch_norm_param { eps: 0 }
    ```
    Use instead:
    ```
    batch_norm_param { eps: 0.00001 }
    ```

    ## Fix safety
    Unsafe: each BatchNorm divides by another number from then on, if only a little.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "B005"
    name = "batchnorm-eps-too-small"
    severity = WARNING
    layer_types = ("BatchNorm",)
    _BN = 'layer { name: "bn" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { %s } }'
    VALID = [_BN % "", _BN % "eps: 1e-5", _BN % "eps: 0.001"]
    INVALID = [
        Invalid(
            _BN % "eps: 0",
            span="eps: 0",
            message="eps 0 lets a constant channel give 0/0 = nan; use 1e-5",
            fixed=_BN % "eps: 1e-5",
        ),
        Invalid(
            _BN % "eps: 1e-12",
            span="eps: 1e-12",
            message="eps 1e-12 lets a constant channel's rounding errors grow 1e+06 times; use 1e-5",
            fixed=_BN % "eps: 1e-5",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[float, list[Layer]] = {}
        for layer in net.layers:
            if is_norm(layer) and layer.message.batch_norm_param.eps < SMALL:
                found.setdefault(layer.message.batch_norm_param.eps, []).append(layer)
        for eps, layers in found.items():
            what = (
                f"a constant channel's rounding errors grow {eps**-0.5:.0e} times"
                if eps > 0
                else "a constant channel give 0/0 = nan"
            )
            others = [layer.name for layer in layers[1:]]
            yield self.finding(
                layers[0].at("batch_norm_param", "eps"),
                f"eps {eps:g} lets {what}; use 1e-5{f' (also in {listed(others)})' if others else ''}",
                fixes=fix(
                    "write eps: 1e-5",
                    UNSAFE,
                    *(write(layer, "batch_norm_param", "eps", value="1e-5") for layer in layers),
                ),
            )
