from __future__ import annotations

from caffelint.lint import INFO, Invalid, Valid
from caffelint.lint.deploy import LIMITED

from ._meetings import DATA, DeployRule


class TargetLimits(DeployRule):
    """The converter that the net is for takes a layer with a limit.

    ## Why is this bad?
    It works for some inputs, batch sizes or versions, and not for others. The finding says which.

    Only runs for the targets that `--target` or the setting `target` names; `caffelint targets` lists them.

    ## References
    - the files of facts in caffelint/deploy/targets
    """

    code = "C103"
    name = "target-limits"
    severity = INFO
    verdict = LIMITED
    VALID = [
        Valid(
            DATA + ' layer { name: "r" type: "ReLU" bottom: "data" top: "r" }',
            {"targets": ["ncnn"]},
        ),
    ]
    INVALID = [
        Invalid(
            DATA.replace("dim: 1 ", "dim: 4 ") + ' layer { name: "r" type: "ReLU" bottom: "data" top: "r" }',
            span="shape",
            message='Input "data": ncnn drops the batch axis, and runs one sample at a time',
            options={"targets": ["ncnn"]},
        ),
    ]
