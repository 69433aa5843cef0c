from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Valid
from caffelint.lint.deploy import REFUSED

from ._meetings import DATA, DeployRule


class TargetRefuses(DeployRule):
    """The converter that the net is for stops at a layer, or the runtime does.

    ## Why is this bad?
    The net cannot be deployed as it is. Converters know a part of Caffe's layers, and of some layers only the common
    fields; they say so with a name at best, and often with a crash.

    Only runs for the targets that `--target` or the setting `target` names; `caffelint targets` lists them.

    ## Known problems
    What a target takes changes with its version. The finding names the version that was looked at.

    ## References
    - the files of facts in caffelint/deploy/targets, each fact with the line of the converter's source
    """

    code = "C101"
    name = "target-refuses"
    severity = ERROR
    verdict = REFUSED
    VALID = [
        Valid(
            DATA + ' layer { name: "r" type: "ReLU" bottom: "data" top: "r" }',
            {"targets": ["ncnn"]},
        ),
    ]
    INVALID = [
        Invalid(
            DATA + ' layer { name: "spp" type: "SPP" bottom: "data" top: "spp" spp_param { pyramid_height: 2 } }',
            span='type: "SPP"',
            message='SPP "spp": ncnn has no layer SPP; it writes the name, and its loader stops',
            options={"targets": ["ncnn"]},
        ),
        # Of a training net only what is deployed, and a type once.
        Invalid(
            'layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param { shape { dim: 4 dim: 3'
            " dim: 9 dim: 9 } shape { dim: 4 } } }"
            ' layer { name: "a" type: "SPP" bottom: "data" top: "a" spp_param { pyramid_height: 2 } }'
            ' layer { name: "b" type: "SPP" bottom: "data" top: "b" spp_param { pyramid_height: 3 } }'
            ' layer { name: "both" type: "Concat" bottom: "a" bottom: "b" top: "both" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "both" top: "fc" inner_product_param { num_output: 2 } }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }',
            span='type: "SPP"',
            message='SPP "a", "b": each of ncnn and mnn has no layer of type SPP',
            options={"targets": ["ncnn", "mnn"]},
        ),
    ]
