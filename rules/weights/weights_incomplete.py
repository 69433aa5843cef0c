from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, WARNING, Finding, Invalid, plural

from ._example import FITS
from ._words import file_of


class WeightsIncomplete(WeightsRule):
    """The file holds no weights, or goes on after what Caffe reads of it.

    ## Why is this bad?
    protobuf ends a message at a zero byte, so Caffe takes an empty file, or one of zeros, for a net without layers: it
    copies nothing and says nothing. Disks that are full and copies that broke off leave such files, some only from a
    certain byte on.

    ## References
    - io.cpp, ReadProtoFromBinaryFile; protobuf's message_lite.cc, MergePartialFromCodedStream
    """

    code = "W106"
    name = "weights-incomplete"
    severity = ERROR
    VALID = [FITS]
    INVALID = [
        Invalid({"net.caffemodel": ""}, span="", message='"net.caffemodel" is empty, so Caffe copies no weights'),
        Invalid(
            {"net.caffemodel": 'name: "net" layer { name: "conv" type: "Convolution" }'},
            span="",
            message='"net.caffemodel" holds layers without weights, so Caffe copies none; is it a net that was written'
            " in binary?",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for model in weights.models:
            file, severity = file_of(model), ERROR
            if model.trained:
                if not model.rest:
                    continue
                severity = WARNING
                message = f"{file} ends {plural(model.rest, 'byte')} before its end: a zero where a layer should begin"
                message += ", so Caffe reads no more; is it a copy that broke off?"
            elif model.layers:
                message = f"{file} holds layers without weights, so Caffe copies none"
                message += "; is it a net that was written in binary?"
            else:
                message = f"{file} {model.seems or 'holds no layers'}, so Caffe copies no weights"
            yield self.finding(weights.at(model), message, severity=severity)
