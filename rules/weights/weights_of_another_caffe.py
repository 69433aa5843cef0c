from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import MOST_OF_PROTOBUF, WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, INFO, Finding, Invalid

from ._example import FITS, MODEL
from ._words import file_of


class WeightsOfAnotherCaffe(WeightsRule):
    """A file of weights that Caffe 1.0 does not read as it is.

    ## Why is this bad?
    Caffe aborts: at files beyond the 2 GiB that protobuf parses, at numbers that NVCaffe stores as raw_data, and at
    nets of older formats that it cannot upgrade. Files in an older format that it can are only slower to load.

    ## References
    - io.cpp, ReadProtoFromBinaryFile; upgrade_proto.cpp, UpgradeNetAsNeeded; NVIDIA/caffe, blob.cpp
    """

    code = "W304"
    name = "weights-of-another-caffe"
    severity = ERROR
    _OLD = 'layers { name: "x" type: INNER_PRODUCT blobs { num: 1 channels: 1 height: 1 width: 1 data: 2 } }'
    VALID = [FITS]
    INVALID = [
        Invalid(
            {"a.caffemodel": f"{MODEL}{_OLD}"},
            span="",
            message='"a.caffemodel": the net has both layer and layers blocks; write all of them as layer,'
            " so Caffe aborts",
        ),
        Invalid(
            {"a.caffemodel": _OLD},
            span="",
            message='"a.caffemodel" is in an older format (V1), which Caffe upgrades each time; convert it once with'
            " upgrade_net_proto_binary",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for model in weights.models:
            place, file = weights.at(model), file_of(model)
            if model.size > MOST_OF_PROTOBUF and model.format == "binary":
                what = f"{file} has {model.size} bytes, but protobuf parses at most {MOST_OF_PROTOBUF}"
                yield self.finding(place, f"{what}, so Caffe aborts; save it with snapshot_format: HDF5")
            if any(blob.raw for layer in model.trained for blob in layer.blobs.values()):
                what = f"{file} stores its numbers as raw_data, which only NVCaffe reads, so Caffe 1.0 aborts"
                severity = ERROR if any(net.has_bvlc_dialect and net.is_for_bvlc for net in weights.nets) else INFO
                yield self.finding(
                    place, f"{what}; save it with NVCaffe's store_blobs_in_old_format", severity=severity
                )
            if model.refusals:
                yield self.finding(place, f"{file}: {model.refusals[0].message}, so Caffe aborts")
            elif model.generation < 2:
                what = f"{file} is in an older format (V{model.generation}), which Caffe upgrades each time"
                remedy = "convert it once with upgrade_net_proto_binary"
                yield self.finding(place, f"{what}; {remedy}", severity=INFO)
