from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, ERROR, Finding, Invalid, Kind, Layer, LayerRule, Related, fix, remove, title
from caffelint.lint.built import types_that

from ._layers import transform_place


class MeanFileAndMeanValue(LayerRule):
    """`mean_file` and `mean_value` are both set; Caffe accepts only one of them.

    ## Why is this bad?
    Caffe aborts when it sets up the layer.

    ## Example
    ```
    transform_param { mean_file: "mean.binaryproto" mean_value: 104 mean_value: 117 mean_value: 123 }
    ```
    Use instead:
    ```
    transform_param { mean_value: 104 mean_value: 117 mean_value: 123 }
    ```

    ## References
    - data_transformer.cpp, DataTransformer; window_data_layer.cpp, DataLayerSetUp
    """

    code = "D002"
    name = "mean-file-and-mean-value"
    severity = ERROR
    claims = (Kind.MEAN_FILE_AND_MEAN_VALUE,)
    layer_types = types_that(lambda kind: kind.transforms and kind.block)
    VALID = [
        'layer { name: "data" type: "Data" transform_param { mean_file: "mean.binaryproto" } }',
        'layer { name: "data" type: "Data" transform_param { mean_value: 104 mean_value: 117 mean_value: 123 } }',
        # One in each phase.
        'layer { name: "data" type: "Data" transform_param { mean_value: 104 } include { phase: TRAIN } }'
        ' layer { name: "data" type: "Data" transform_param { mean_file: "m.binaryproto" } include { phase: TEST } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" transform_param { mean_file: "mean.binaryproto" mean_value: 104 } }',
            span="mean_value: 104",
            message='Data "data": mean_value and mean_file are both set, which Caffe refuses; keep one of them',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        transform = layer.message.transform_param
        if transform.HasField("mean_file") and len(transform.mean_value):
            yield self.finding(
                transform_place(layer, "mean_value"),
                f"{title(layer)}: mean_value and mean_file are both set, which Caffe refuses; keep one of them",
                evidence="Caffe stops with: Cannot specify mean_file and mean_value at the same time",
                related=(Related("the mean_file", transform_place(layer, "mean_file")),),
                fixes=tuple(
                    one
                    for name in ("mean_value", "mean_file")
                    for one in fix(f"remove {name}", DISPLAY, remove(layer, "transform_param", name))
                ),
            )
