from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    is_for_unknown_caffe,
    sources,
    title,
)
from caffelint.lint.built import types_that

from ._graph import only


class IntegerLabelsForRegression(LayerRule):
    """A regression whose targets are the labels of a Data or ImageData layer, which are integers.

    ## Why is this bad?
    A Datum's label is an integer, and ImageData reads the label of a line with atoi: a target of 0.7 becomes 0, and a
    line with several targets keeps the last. Caffe says nothing, and the net learns to answer 0.

    ## Example
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "angle" image_data_param { source: "angles.txt" } }
    layer { name: "loss" type: "EuclideanLoss" bottom: "fc8" bottom: "angle" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "angle" type: "HDF5Data" top: "angle" hdf5_data_param { source: "angles_h5.txt" batch_size: 32 } }
    layer { name: "loss" type: "EuclideanLoss" bottom: "fc8" bottom: "angle" top: "loss" }
    ```

    ## Known problems
    Targets that are integers by nature, an age or a count, are right as they are. Of a Data layer it is an info: who
    fills a database from a program has to write integers, and knows. Where the project's own Caffe has
    another label in its Datum, or another source of the data layer, nothing is reported; nor in a net with fields or
    layer types that no known Caffe has.

    ## References
    - image_data_layer.cpp, DataLayerSetUp; caffe.proto, Datum; BVLC/caffe issues 2847 and 4823
    """

    code = "O008"
    name = "integer-labels-for-regression"
    severity = WARNING
    certainty = LIKELY
    # What else takes no classes wants probabilities, or pairs.
    layer_types = types_that(lambda kind: kind.is_distance)
    VALID = [
        'layer { name: "data" type: "HDF5Data" top: "data" top: "label" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }',
        # An image as the target.
        'layer { name: "mask" type: "Data" top: "mask" top: "ignored" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "mask" top: "loss" }',
        # Of a Caffe of somebody's own, which may read fractions.
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { label_scale: 2 } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }',
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "ImageData" top: "data" top: "label" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }',
            span='bottom: "label"',
            message='EuclideanLoss "loss": its targets are the labels of ImageData "data", which are integers, so 0.7'
            " is read as 0; read fractional targets with HDF5Data",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for (made_by, top), phases in sources(layer, 1):
            if top == 1 and made_by.kind.prefetches and not made_by.kind.fork and not _may_have_own_labels(made_by):
                yield self.finding(
                    layer.at("bottom", 1),
                    f"{title(layer)}: its targets are the labels of {title(made_by)}, which are"
                    " integers, so 0.7 is read as 0; read fractional targets with HDF5Data",
                    evidence="ImageData reads labels with atoi, and Datum.label is an int32",
                    severity=INFO if made_by.type == "Data" else None,
                    phases=only(phases, layer),
                )


def _may_have_own_labels(layer: Layer) -> bool:
    """Whether the project's own Caffe, or one that nobody knows, may read several labels of a record, or fractions."""
    if (caffe := layer.net.bound.caffe) is None:
        return is_for_unknown_caffe(layer.net) or not layer.net.is_for_bvlc
    return not caffe.has_whole_labels or layer.type in caffe.registered.changed
