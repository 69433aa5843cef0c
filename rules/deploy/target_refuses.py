from __future__ import annotations

from caffelint.lint import ERROR, Invalid
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
    VALID = [DATA + ' layer { name: "r" type: "ReLU" bottom: "data" top: "r" }']

    INVALID = [
        Invalid(
            DATA + ' layer { name: "spp" type: "SPP" bottom: "data" top: "spp" spp_param { pyramid_height: 2 } }',
            span='type: "SPP"',
            message='SPP "spp": ncnn has no layer SPP; it writes the name, and its loader stops',
            options={"targets": ["ncnn"]},
        ),
    ]
