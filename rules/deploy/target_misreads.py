from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Valid
from caffelint.lint.deploy import MISREAD

from ._meetings import DATA, DeployRule


class TargetMisreads(DeployRule):
    """The converter that the net is for takes it, and computes something else than Caffe.

    ## Why is this bad?
    Nothing stops: the numbers are wrong. A field that the converter does not read, an axis that it counts otherwise, or
    a window that it places otherwise shows up as a model that has got worse on the device.

    Only runs for the targets that `--target` or the setting `target` names; `caffelint targets` lists them.

    ## Known problems
    What a target reads changes with its version. The finding names the version that was looked at.

    ## References
    - the files of facts in caffelint/deploy/targets; most were seen with the outputs compared to those of Caffe 1.0
    """

    code = "C102"
    name = "target-misreads"
    severity = ERROR
    verdict = MISREAD
    VALID = [
        Valid(
            DATA + ' layer { name: "p" type: "Softmax" bottom: "data" top: "p" softmax_param { axis: 1 } }',
            {"targets": ["ncnn"]},
        ),
    ]
    INVALID = [
        Invalid(
            DATA + ' layer { name: "p" type: "Softmax" bottom: "data" top: "p" softmax_param { axis: -1 } }',
            span="axis: -1",
            message='Softmax "p": ncnn counts a negative axis one too far, since it has no batch axis; count the axis'
            " from the front",
            fixed=DATA + ' layer { name: "p" type: "Softmax" bottom: "data" top: "p" softmax_param { axis: 3 } }',
            options={"targets": ["ncnn"]},
        ),
        Invalid(
            DATA + ' layer { name: "c"'
            ' type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 8 kernel_size: 3 stride: 1'
            " stride: 2 } }",
            span="stride: 1",
            message='Convolution "c": mnn takes the first stride for the width, Caffe for the height; write'
            " stride_h and stride_w",
            fixed=DATA + ' layer { name: "c"'
            ' type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 8 kernel_size: 3 stride_h: 1'
            " stride_w: 2 } }",
            options={"targets": ["mnn"]},
        ),
    ]
