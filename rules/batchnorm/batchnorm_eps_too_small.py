from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    starts_from_weights,
    titles,
    write,
)

from ._norms import is_norm

SMALL = 1e-8


class BatchnormEpsTooSmall(NetRule):
    """`eps` of a BatchNorm is too small to keep it from dividing by 0.

    ## Why is this bad?
    A channel that is constant over a batch, as after dead units or padding, has a variance of 0, and the layer divides
    by sqrt(0 + eps). With `eps: 0` that is 0/0 = nan. Below 1e-8, the output, which should
    be 0, is rounding errors made 10,000 times as large or more, which later layers take for a signal.

    ## Example
    ```
    batch_norm_param { eps: 0 }
    ```
    Use instead:
    ```
    batch_norm_param { eps: 0.00001 }
    ```

    ## Known problems
    A net that is only tested needs the eps of its training, so only 0 is reported there, with no fix.

    ## Fix safety
    Unsafe: each BatchNorm then divides by a slightly different number. Not offered where weights are loaded.

    ## References
    - batch_norm_layer.cpp, Forward_cpu; run on Caffe 1.0
    """

    code = "B005"
    name = "batchnorm-eps-too-small"
    severity = WARNING
    risks_nan = True
    layer_types = ("BatchNorm",)
    _BN = 'layer { name: "bn" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { %s } }'
    _NET = (
        'layer { name: "data" type: "Data" top: "a" top: "label" include { phase: TRAIN } } '
        + _BN
        + ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "b" bottom: "label" top: "loss" }'
    )
    _SCRATCH = _NET + (
        ' layer { name: "fc" type: "InnerProduct" bottom: "b" top: "fc"'
        ' inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }'
    )
    VALID = [_NET % "", _NET % "eps: 1e-5", _NET % "eps: 0.001", _BN % "eps: 1e-9"]
    INVALID = [
        Invalid(
            _BN % "eps: 0",
            span="eps: 0",
            message='BatchNorm "bn": eps 0 gives 0/0 = nan for a constant channel; set eps: 1e-5',
        ),
        Invalid(
            _NET % "eps: 1e-9",
            span="eps: 1e-9",
            message='BatchNorm "bn": eps 1e-09 amplifies the rounding errors of a constant channel 30,000 times, so'
            " they look like signal; set eps: 1e-5",
        ),
        Invalid(
            _SCRATCH % "eps: 1e-12",
            span="eps: 1e-12",
            message='BatchNorm "bn": eps 1e-12 amplifies the rounding errors of a constant channel 1,000,000 times,'
            " so they look like signal; set eps: 1e-5",
            fixed=_SCRATCH % "eps: 1e-5",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[float, list[Layer]] = {}
        trained = net.is_trained
        for layer in net.by_type["BatchNorm"]:
            if is_norm(layer) and layer.message.batch_norm_param.eps < (SMALL if trained else 1e-38):
                found.setdefault(layer.message.batch_norm_param.eps, []).append(layer)
        from_scratch = bool(found) and trained and not starts_from_weights(net) and bool(net.fillers)
        for eps, layers in found.items():
            what = (
                f"amplifies the rounding errors of a constant channel {float(f'{eps**-0.5:.0e}'):,.0f} times, so they"
                " look"
                " like signal"
                if eps > 0
                else "gives 0/0 = nan for a constant channel"
            )
            yield self.finding(
                layers[0].at("batch_norm_param", "eps"),
                f"{titles(layers)}: eps {eps:g} {what}; set eps: 1e-5",
                # Whoever has its weights would need to know what else they were trained with.
                severity=None if trained else INFO,
                evidence="" if trained else "weights that were trained with it go with it alone",
                fixes=fix(
                    "set eps: 1e-5",
                    UNSAFE,
                    *(write(layer, "batch_norm_param", "eps", value="1e-5") for layer in layers),
                )
                if from_scratch
                else (),
                layers=layers,
            )
