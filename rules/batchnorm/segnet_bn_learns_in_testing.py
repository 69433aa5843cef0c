from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, titles


class SegnetBnLearnsInTesting(NetRule):
    """A BN of SegNet's Caffe in a deploy net does not say `bn_mode: INFERENCE`, so it normalises by the batch.

    ## Why is this bad?
    Whatever the phase, that layer takes mean and variance of the batch unless its bn_mode is INFERENCE. What a deploy
    net says of an image then depends on the images beside it, or on nothing but the image, which is not what was
    trained either. With INFERENCE it multiplies by its first blob and adds the second, so the statistics have to be
    computed once and put into the weights: SegNet has a script for that, `compute_bn_statistics.py`.

    ## Example
    ```
    bn_param { }
    ```
    Use instead:
    ```
    bn_param { bn_mode: INFERENCE }
    ```

    ## Known problems
    Other Caffes have a BN as well, which knows the phase. It is taken for SegNet's where it has a scale_filler or
    shift_filler and the net has an Upsample.

    ## References
    - bn_layer.cpp of alexgkendall/caffe-segnet, Forward_cpu; SegNet-Tutorial, Scripts/compute_bn_statistics.py
    """

    code = "B009"
    name = "segnet-bn-learns-in-testing"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("BN",)
    _NET = (
        '%s layer { name: "bn" type: "BN" bottom: "data" top: "bn" bn_param { scale_filler { value: 1 }%s } }'
        ' layer { name: "pool" type: "Pooling" bottom: "bn" top: "pool" top: "mask" pooling_param { kernel_size: 2 } }'
        ' layer { name: "up" type: "Upsample" bottom: "pool" bottom: "mask" top: "up" upsample_param { scale: 2 } }'
    )
    _INPUT = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: %s dim: 3 dim: 8 dim: 8 } } }'
    VALID = [
        {"deploy.prototxt": _NET % (_INPUT % 1, " bn_mode: INFERENCE")},
        {"train.prototxt": _NET % ('layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }', "")},
        # One of another Caffe.
        {"deploy.prototxt": (_NET % (_INPUT % 1, "")).replace("Upsample", "Interp").replace("upsample", "interp")},
    ]
    INVALID = [
        Invalid(
            {"deploy.prototxt": _NET % (_INPUT % 1, "")},
            span="bn_param",
            message='BN "bn": bn_mode is missing and defaults to LEARN, which normalises by the batch in TEST, too; set'
            " bn_mode: INFERENCE, and load weights that hold the statistics (compute_bn_statistics.py)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.role != "deploy" or "Upsample" not in net.by_type:
            return
        found = [layer for layer in net.by_type["BN"] if TEST in layer.phases and _learns(layer)]
        if found:
            yield self.finding(
                found[0].at("bn_param"),
                f"{titles(found)}: bn_mode is missing and defaults to LEARN, which normalises by the batch in TEST,"
                " too; set bn_mode: INFERENCE, and load weights that hold the statistics (compute_bn_statistics.py)",
                layers=found,
            )


def _learns(layer: Layer) -> bool:
    """Is it SegNet's, and does its text not say how it normalises?"""
    return not layer.has("bn_param", "bn_mode") and any(
        layer.has("bn_param", name) for name in ("scale_filler", "shift_filler")
    )
