from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Kind,
    Net,
    RefusalRule,
    Refused,
    Related,
    title,
    titles,
)
from caffelint.lint.built import BuiltNet, Field, shape_text, unavoidable, where

from ._fitting import fitting_outputs
from ._labels import lacks_labels, to_be_left_out
from ._missing import is_filled_in, misplacement, renamed
from ._windows import emptied

_REMEDIES = {
    Kind.NO_SUCH_AXIS: "correct the axis, or the shape of the bottom",
    Kind.WINDOW_TOO_LARGE: "make it smaller, or the bottom larger",
    Kind.ELEMENT_COUNT: "correct the dims",
    Kind.LABEL_COUNT: "give one label for each place, or correct the axis",
    Kind.PADDING_TOO_LARGE: "lower the pad or raise the kernel",
    Kind.DIVISION_BY_ZERO: "set it to 1 or more",
    Kind.MISSING_ENGINE: "remove engine to let Caffe choose",
}
"""What to do about the kinds whose messages say only what is wrong."""
_OF_AN_IMAGE = 4
"""Axes of a blob; forks made for volumes take more, without a field that tells."""


class RefusedByCaffe(RefusalRule):
    """Caffe stops while it sets up this layer.

    ## Why is this bad?
    Every layer checks its settings and the shapes of its bottoms when the net is built, and one failed check stops
    Caffe: after the data has been opened, sometimes only when the test net is built, and sometimes with a bare
    "Floating point exception" that does not name the layer. This rule builds the net as Caffe does, in each phase, and
    reports every check that fails, not just the first.

    ## Example
    ```
    layer {
      name: "conv" type: "Convolution" bottom: "data" top: "conv"
      convolution_param { num_output: 20 kernel_size: 5 group: 3 }
    }
    ```
    Use instead:
    ```
    layer {
      name: "conv" type: "Convolution" bottom: "data" top: "conv"
      convolution_param { num_output: 21 kernel_size: 5 group: 3 }
    }
    ```

    ## Known problems
    Of nets that use layers or fields of a fork, which may have relaxed a check, only settings that a layer of BVLC's
    lacks, or that exclude each other, are reported, and what a Reshape, a group or a kernel makes of a blob that is
    computed by BVLC's layers only. If only the data gives their sizes, two maps are reported only if they fit together
    at none of about a hundred sizes. A refusal that has a rule of its own is reported by that rule. DIGITS fills in the
    number of classes and the data: an InnerProduct without `num_output` is an info in a net written for DIGITS.

    ## References
    - LayerSetUp and Reshape of each layer's source in src/caffe/layers; net.cpp, Init
    """

    code = "L001"
    name = "refused-by-caffe"
    severity = ERROR
    _UNKNOWN = (
        'layer { name: "data" type: "Data" top: "data" data_param { source: "a" batch_size: 8 } }'
        ' layer { name: "a" type: "Convolution" bottom: "data" top: "a"'
        " convolution_param { num_output: 4 kernel_size: 3 pad: 1 } }"
        ' layer { name: "b" type: "Convolution" bottom: "data" top: "b"'
        " convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 } }"
    )
    _SUM = ' layer { name: "sum" type: "Eltwise" bottom: "a" bottom: "b" top: "sum" }'
    _DIGITS = (
        'layer { name: "train-data" type: "Data" top: "data" top: "label" include { stage: "train" }'
        " data_param { batch_size: 8 } transform_param { crop_size: 8 } }"
        ' layer { name: "val-data" type: "Data" top: "data" top: "label" include { stage: "val" }'
        " data_param { batch_size: 8 } transform_param { crop_size: 8 } }"
        ' layer { name: "in" type: "Input" top: "data" exclude { stage: "train" } exclude { stage: "val" }'
        " input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { } }'
        ' layer { name: "softmax" type: "Softmax" bottom: "fc" top: "softmax" include { stage: "deploy" } }'
    )
    VALID = [
        # Maps of 1x1 fit.
        _UNKNOWN + _SUM,
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param { num_output: 20 kernel_size: 5 } }",
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        ' layer { name: "norm" type: "Normalize" bottom: "data" top: "norm" }'
        ' layer { name: "conv" type: "Convolution" bottom: "norm" top: "conv"'
        " convolution_param { num_output: 20 kernel_size: 5 group: 2 } }",
    ]
    INVALID = [
        Invalid(
            _UNKNOWN.replace("8 }", "8 } transform_param { mean_value: 127 }").replace("4", "40", 1)
            + ' layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "data" }',
            span="num_output: 40",
            message='EuclideanLoss "loss": if "data" is 8x3x256x256, predictions are 8x40x256x256 but targets are'
            " 8x3x256x256; sizes per item must match, but no image has the 40 channels that this takes",
        ),
        Invalid(
            _UNKNOWN.replace("pad: 1 }", "}").replace("stride: 2", "") + _SUM,
            span='bottom: "b"',
            message='Eltwise "sum": if "data" is 8x3x256x256, bottom 1 is 8x4x256x256 but bottom 0 is 8x4x254x254;'
            ' shapes must match, and no other size of "data" fits',
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
            ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
            " convolution_param { num_output: 20 kernel_size: 5 group: 3 } }",
            span="group: 3",
            message='Convolution "conv": num_output 20 is not a multiple of group 3; set one that is, or another group',
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
            ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
            " convolution_param { num_output: 20 kernel_size: 9 stride: 0 } }"
            ' layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" }'
            ' layer { name: "pool2" type: "Pooling" bottom: "data" top: "pool2" }',
            span=("stride: 0", 'type: "Pooling"'),
            message=(
                'Convolution "conv": stride must be larger than 0',
                'Pooling "pool", "pool2": kernel_size is missing; set it',
            ),
        ),
        Invalid(
            _DIGITS,
            span="inner_product_param",
            message='InnerProduct "fc": num_output is missing, so Caffe stops; set num_output to the number of'
            " classes (NVIDIA DIGITS fills it in itself)",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { } }',
            span="inner_product_param",
            message='InnerProduct "fc": num_output is missing; set it',
        ),
        Invalid(
            'layer { name: "conv" bottom: "data" top: "conv" convolution_param { num_output: 20 kernel_size: 5 } }',
            span='name: "conv"',
            message='layer "conv": type is missing, so Caffe stops at load; set it, for example type: "Convolution"',
        ),
        Invalid(
            'layer { name: "conv" type: "" bottom: "data" top: "conv" convolution_param { num_output: 20 } }',
            span='type: ""',
            message='layer "conv": type is empty, so Caffe stops at load; set it, for example type: "Convolution"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for layer in net.layers if not net.document.is_damaged and not net.bound.problems else ():
            is_empty = not layer.type and layer.at("type").text.endswith(('""', "''"))
            if is_empty or not layer.type and layer.node is not None and not _has_type(layer.node):
                place, what = ("type", "empty") if is_empty else ("name", "missing")
                so = f'type is {what}, so Caffe stops at load; set it, for example type: "Convolution"'
                evidence = "Caffe stops with: Unknown layer type:"
                yield self.finding(layer.at(place), f"{title(layer)}: {so}", evidence=evidence)
        if net.is_plain:
            yield from self._unavoidable(net)

    def message(self, refused: Refused) -> str:
        if wrong := misplacement(refused):
            return f"{titles(refused.layers)}: {wrong}"
        made = next(emptied(refused), None)
        usual = _REMEDIES.get(refused.refusal.kind)
        remedy = made.remedy if made else to_be_left_out(refused) or fitting_outputs(refused) or usual
        return super().message(refused) + (f"; {remedy}" if remedy else "")

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        return renamed(refused)

    def report(self, refused: Refused) -> Iterator[Finding]:
        if refused.refusal.values.get("axes", 0) > _OF_AN_IMAGE and not refused.net.bound.knows_caffe:
            for finding in super().report(refused):
                finding.severity, finding.certainty = INFO, LIKELY
                finding.evidence += "; Caffes made for volumes take it"
                yield finding
            return
        if not is_filled_in(refused):
            for finding in super().report(refused):
                if lacks_labels(refused):
                    finding.severity, finding.certainty = WARNING, LIKELY
                yield finding
            return
        yield self.finding(
            refused.place,
            f"{titles(refused.layers)}: num_output is missing, so Caffe stops; set num_output to the number of classes"
            " (NVIDIA DIGITS fills it in itself)",
            evidence=self.evidence(refused),
            severity=INFO,
            certainty=LIKELY,
            phases=refused.phases,
        )

    def _unavoidable(self, net: Net) -> Iterator[Finding]:
        """What is refused whatever the data files hold."""
        for one in net.states():
            found = unavoidable(one, net.input_shapes)
            if found is None or found.refusal.index is None:
                continue
            layer = net.layers[found.refusal.index]
            place = where(layer, found.refusal)
            but = f', and no other size of "{found.blob}" fits'
            related: tuple[Related, ...] = ()
            if found.fits:
                but = f", but no image has the {found.fits[0]} channels that this takes"
                maker = _maker(one, found.refusal.index, found.fits[0])
                if maker is not None:
                    related = (Related("where it is refused", place),)
                    place = net.layers[maker].at(net.layers[maker].kind.block, "num_output")
            yield self.finding(
                place,
                f'{title(layer)}: if "{found.blob}" is {shape_text(found.shape)}, {found.refusal.message}{but}',
                evidence=f"Caffe stops with: {found.refusal.caffe}",
                severity=WARNING if found.fits else None,
                certainty=LIKELY,
                phases=one.phases,
                related=related,
            )


def _has_type(node: Field) -> bool:
    """Is a type written, in the block or in the inner one that the oldest format has?"""
    return any(one is not None and one.first("type") is not None for one in (node, node.first("layer")))


def _maker(one: BuiltNet, index: int, channels: int) -> int | None:
    """The index of the layer that gives a bottom of layer `index` so many channels by its num_output."""
    refused = next(layer for layer in one.layers if layer.index == index)
    for blob in refused.bottoms:
        maker = blob.maker_beyond(lambda layer: "group" not in layer.shaped_by)
        if maker is not None and maker.bottoms and maker.parameters.num_output == channels:
            return maker.index
    return None
