from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    ERROR,
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Kind,
    Layer,
    LayerRule,
    fix,
    title,
    write,
)


class LrnOutOfDomain(LayerRule):
    """An LRN has an even `local_size`, or a `k` or `alpha` that can bring its base to 0 or below.

    ## Why is this bad?
    The window of an LRN is centred, so Caffe takes odd sizes only and stops at an even one. The layer
    divides by (k + alpha / n * sum of squares) ^ beta: with `k: 0` an all-zero neighbourhood, common after a ReLU,
    gives 0 * inf = nan, and with a negative `alpha` a large activation makes the base negative, and its power nan.

    ## Example
    ```
    lrn_param { local_size: 4 alpha: 0.0001 beta: 0.75 k: 0 }
    ```
    Use instead:
    ```
    lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 k: 1 }
    ```

    ## Fix safety
    Unsafe: `k` and `alpha` get the usual values, which changes what the layer computes. For `local_size` there are two
    choices, and neither is applied.

    ## References
    - lrn_layer.cpp, LayerSetUp and CrossChannelForward_cpu; run on Caffe 1.0
    """

    code = "L007"
    name = "lrn-out-of-domain"
    severity = ERROR
    risks_nan = True
    claims = (Kind.EVEN_LOCAL_SIZE,)
    layer_types = ("LRN",)
    VALID = [
        'layer { name: "norm" type: "LRN" bottom: "a" top: "b" lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 } }',
        'layer { name: "norm" type: "LRN" bottom: "a" top: "b" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "norm" type: "LRN" bottom: "a" top: "b" lrn_param { local_size: 4 } }',
            span="local_size: 4",
            message='LRN "norm": local_size 4 is even, but Caffe takes only odd sizes; set local_size: 3 or 5',
        ),
        Invalid(
            'layer { name: "norm" type: "LRN" bottom: "a" top: "b" lrn_param { k: 0 alpha: -1 } }',
            span=("k: 0", "alpha: -1"),
            message=(
                'LRN "norm": k 0 divides by 0 where all neighbours are 0, and 0 * inf = nan; set k: 1, Caffe\'s'
                " default",
                'LRN "norm": alpha -1 is below 0, so large activations make the base negative and its power nan; set'
                " alpha: 1",
            ),
            fixed='layer { name: "norm" type: "LRN" bottom: "a" top: "b" lrn_param { k: 1 alpha: 1 } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not layer.message.HasField("lrn_param"):
            return
        param = layer.message.lrn_param
        size = param.local_size
        if size % 2 == 0:
            yield self.finding(
                layer.at("lrn_param", "local_size"),
                f"{title(layer)}: local_size {size} is even, but Caffe takes only odd sizes; set local_size:"
                f" {f'{size - 1} or ' * (size > 0)}{size + 1}",
                evidence="Caffe stops with: LRN only supports odd values for local_size",
                fixes=tuple(
                    one
                    for near in (size - 1, size + 1)
                    if near > 0
                    for one in fix(
                        f"set local_size: {near}", DISPLAY, write(layer, "lrn_param", "local_size", value=str(near))
                    )
                ),
            )
        if param.k <= 0:
            yield self.finding(
                layer.at("lrn_param", "k"),
                f"{title(layer)}: k {param.k:g} divides by 0 where all neighbours are 0, and 0 * inf = nan;"
                " set k: 1, Caffe's default",
                severity=WARNING,
                certainty=LIKELY,
                fixes=fix("set k: 1", UNSAFE, write(layer, "lrn_param", "k", value="1")),
            )
        if param.alpha < 0:
            yield self.finding(
                layer.at("lrn_param", "alpha"),
                f"{title(layer)}: alpha {param.alpha:g} is below 0, so large activations make the base negative"
                f" and its power nan; set alpha: {-param.alpha:g}",
                severity=WARNING,
                certainty=LIKELY,
                fixes=fix(
                    f"set alpha: {-param.alpha:g}",
                    UNSAFE,
                    write(layer, "lrn_param", "alpha", value=f"{-param.alpha:g}"),
                ),
            )
