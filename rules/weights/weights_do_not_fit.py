from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import Fit, Misfit, Misfits, WeightsEvidence, WeightsRule
from caffelint.lint import CERTAIN, ERROR, LIKELY, Finding, Invalid, plural, title

from ._example import CONV, CONV_BLOBS, DATA, FC, FC_BLOBS, FITS, MODEL, NET, blob, layer
from ._words import by, by_known, file_of


class WeightsDoNotFit(WeightsRule):
    """A layer of the net has other parameters than the layer of that name in the file of weights.

    ## Why is this bad?
    Caffe copies weights by the names of layers and aborts at the first layer that differs in the number or the shape
    of its parameters. It takes another shape in one case only: files of 2014 and older store 4 axes, and 1x1x1000x4096
    fits 1000x4096.

    ## What to do
    To train a layer from its fillers, give it a name that the file does not have. To use the weights, give it the shape
    that it was trained with.

    ## References
    - net.cpp, CopyTrainedLayersFrom; blob.cpp, ShapeEquals
    """

    code = "W101"
    name = "weights-do-not-fit"
    severity = ERROR
    VALID = [
        FITS,
        {"net.prototxt": NET, "net.caffemodel": layer("fc9", "InnerProduct", blob((7, 27)), blob((7,)))},
        # As Caffe stored it until 2014.
        {
            "net.prototxt": NET,
            "net.caffemodel": layer(
                "fc",
                "InnerProduct",
                FC_BLOBS[0].replace("shape { dim: 4 dim: 27 }", "num: 1 channels: 1 height: 4 width: 27"),
                FC_BLOBS[1].replace("shape { dim: 4 }", "num: 1 channels: 1 height: 1 width: 4"),
            ),
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": NET.replace("num_output: 4", "num_output: 9"), "net.caffemodel": MODEL},
            span="num_output: 9",
            message='InnerProduct "fc": its weights are 9x27 but 4x27 in "net.caffemodel", so Caffe aborts; set'
            " num_output: 4, or rename the layer to train it from its fillers",
        ),
        Invalid(
            {"net.prototxt": NET, "net.caffemodel": layer("fc", "InnerProduct", blob((4, 48)), blob((4,)))},
            span="layer",
            message='InnerProduct "fc": its weights are 4x27 but 4x48 in "net.caffemodel", so Caffe aborts; "conv" has'
            " 27 values but had 48 in training, so compare the shape of the input and the layers before",
        ),
        Invalid(
            {
                "net.prototxt": NET,
                "net.caffemodel": layer("conv", "Convolution", CONV_BLOBS[0])
                + layer("fc", "InnerProduct", blob((4, 27)), blob((4, 1))),
            },
            span=("layer", "layer"),
            message=(
                'Convolution "conv": it has 2 parameters but 1 in "net.caffemodel", so Caffe aborts; set bias_term:'
                " false, or rename the layer to train it from its fillers",
                'InnerProduct "fc": its bias is 4 but 4x1 in "net.caffemodel", so Caffe aborts; rename the layer to'
                " train it from its fillers",
            ),
        ),
        Invalid(
            {
                "net.prototxt": DATA.replace("dim: 2", "dim: 4")
                + CONV % ("small", "data", "small", 4, 3)
                + CONV % ("all", "data", "all", 2, 3)
                + CONV % ("other", "data", "other", 2, 3)
                + CONV % ("both", "data", "both", 2, 3),
                "net.caffemodel": layer("small", "Convolution", blob((4, 4, 5, 5)), blob((4,)))
                + layer("all", "Convolution", blob((2, 2, 3, 3)), blob((2,)))
                + layer("other", "Convolution", blob((2, 3, 3, 3)), blob((2,)))
                + layer("both", "Convolution", blob((8, 1, 3, 3)), blob((2,))),
            },
            span=("kernel_size: 3", "layer", "layer", "layer"),
            message=(
                'Convolution "small": its weights are 4x4x3x3 but 4x4x5x5 in "net.caffemodel", so Caffe aborts; set'
                " kernel_size: 5, or rename the layer to train it from its fillers",
                'Convolution "all": its weights are 2x4x3x3 but 2x2x3x3 in "net.caffemodel", so Caffe aborts; set'
                " group: 2, or rename the layer to train it from its fillers",
                'Convolution "other": its weights are 2x4x3x3 but 2x3x3x3 in "net.caffemodel", so Caffe aborts; "data"'
                " has 4 channels but had 3 in training, so compare the layers before, or rename the layer to train it"
                " from its fillers",
                'Convolution "both": its weights are 2x4x3x3 but 8x1x3x3 in "net.caffemodel", so Caffe aborts; rename'
                " the layer to train it from its fillers",
            ),
        ),
        Invalid(
            {
                "net.prototxt": 'layer { name: "data" type: "Data" top: "data"'
                ' transform_param { crop_size: 9 } data_param { source: "db" batch_size: 1 } }'
                + FC
                % ("fc", "data", 9),
                "net.caffemodel": MODEL,
            },
            span="num_output: 9",
            message='InnerProduct "fc": its weights are 9x? but 4x27 in "net.caffemodel", so Caffe aborts; set'
            " num_output: 4, or rename the layer to train it from its fillers",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        for fit in weights.fits:
            first = True
            for misfit, certain in fit.misfits:
                if misfit.kind not in (Misfits.SHAPE, Misfits.BLOB_COUNT):
                    continue
                evidence = ""
                if first and certain and len(fit.misfits) > 1:
                    evidence = f"Caffe names only this one of {len(fit.misfits)} layers that do not fit"
                first = False
                mend = _mend(misfit, certain)
                message = _shape(fit, misfit, certain, mend) if misfit.number is not None else _count(fit, misfit)
                yield self.finding(
                    fit.at(misfit.target, *(mend[:2] if mend else ())),
                    message,
                    evidence=evidence,
                    certainty=CERTAIN if certain else LIKELY,
                    phases=fit.phases,
                )


def _count(fit: Fit, misfit: Misfit) -> str:
    here, there = len(misfit.target.params or ()), len(misfit.source.blobs)
    what = f"it has {plural(here, 'parameter')} but {there} in {file_of(fit.weights)}, so Caffe aborts"
    remedy = "rename the layer to train it from its fillers"
    if misfit.target.has_setting("bias_term") and {here, there} == {1, 2}:
        remedy = f"set bias_term: {'true' if here == 1 else 'false'}, or {remedy}"
    return f"{title(misfit.target)}: {what}; {remedy}"


def _shape(fit: Fit, misfit: Misfit, certain: bool, mend: _Mend | None) -> str:
    here, there = misfit.wanted or (), misfit.stored or ()
    named = "its weights are" if misfit.number == 0 else "its bias is"
    if not misfit.target.has_weights or (misfit.number or 0) > 1:
        named = f"its parameter {misfit.number} is"
    what = f"{named} {by_known(here, certain)} but {by(there)} in {file_of(fit.weights)}, so Caffe aborts"
    return f"{title(misfit.target)}: {what}; {_remedy(misfit, mend)}"


def _remedy(misfit: Misfit, mend: _Mend | None) -> str:
    rename = "rename the layer to train it from its fillers"
    here, there = misfit.wanted or (), misfit.stored or ()
    was = misfit.source.type
    if was and was != misfit.target.type:
        return f"it was of type {was} in training; {rename}"
    if mend:
        return f"set {mend[1]}: {mend[2]}, or {rename}"
    target = misfit.target
    if not (target.is_linear and misfit.number == 0 and len(here) == len(there) > 1 and target.bottoms):
        return rename
    if here[0] != there[0] or here[2:] != there[2:]:
        return rename
    name = target.bottoms[0].original.name
    if len(here) == 2:
        then = "so compare the shape of the input and the layers before"
        return f'"{name}" has {here[1]} values but had {there[1]} in training, {then}'
    channels = target.bottoms[0].shape
    if not channels or target.upsamples or not target.has_setting("group") or target.parameters.axis != 1:
        return rename
    groups, left = divmod(channels[1], there[1])
    if not left and there[1] > 1 and here[0] % groups == 0:
        return f"set group: {groups}, or {rename}"
    had = there[1] * target.parameters.group
    has = plural(channels[1], "channel")
    return f'"{name}" has {has} but had {had} in training, so compare the layers before, or {rename}'


_Mend = tuple[str, str, int]


def _mend(misfit: Misfit, certain: bool) -> _Mend | None:
    """Block, field and value of the net that alone would make it fit: the number of outputs, or a square kernel.

    certain: is the second axis known, which follows from the data?
    """
    here, there = misfit.wanted or (), misfit.stored or ()
    target = misfit.target
    if misfit.number != 0 or len(here) != len(there) or len(here) < 2 or target.upsamples:
        return None
    is_fed_alike = here[1] == there[1] or not certain
    if here[2:] == there[2:] and here[0] != there[0] and is_fed_alike and target.has_setting("num_output"):
        is_transposed = target.has_setting("transpose") and target.parameters.transpose
        return None if is_transposed else (target.block, "num_output", there[0])
    is_square = len(there) > 3 and len(set(there[2:])) == 1
    if here[:2] == there[:2] and here[2:] != there[2:] and is_square and target.has_setting("kernel_size"):
        written = target.has_setting("kernel_h") and target.parameters.HasField("kernel_h")
        return None if written else (target.block, "kernel_size", there[2])
    return None
