from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, title
from caffelint.lint.built import types_that

from ._layers import transform_place, transforms_unlike_bvlc


class MeanValueCount(LayerRule):
    """The number of `mean_value` fields is neither 1 nor the number of channels.

    ## Why is this bad?
    Caffe aborts when it transforms the first image. ImageData has three channels, or one with `is_color: false`. The
    text does not say how many channels the images of a database have, but two are rare.

    ## Example
    ```
    layer {
      name: "data" type: "ImageData" top: "data" top: "label"
      image_data_param { source: "train.txt" is_color: false }
      transform_param { mean_value: 104 mean_value: 117 mean_value: 123 }
    }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" top: "data" top: "label"
      image_data_param { source: "train.txt" is_color: false }
      transform_param { mean_value: 115 }
    }
    ```

    ## References
    - data_transformer.cpp, Transform
    """

    code = "D003"
    name = "mean-value-count"
    severity = ERROR
    layer_types = types_that(lambda kind: kind.transforms and not kind.fork)
    VALID = [
        'layer { name: "data" type: "ImageData" transform_param { mean_value: 104 mean_value: 117 mean_value: 123 } }',
        'layer { name: "data" type: "ImageData" transform_param { mean_value: 115 } }',
        'layer { name: "d" type: "ImageData" image_data_param { is_color: false } transform_param { mean_value: 9 } }',
        # Optical flow: two channels for each of five frames.
        'layer { name: "data" type: "Data" transform_param { mean_value: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } }',
        # Two images as the channels of one.
        'layer { name: "pair" type: "Data" top: "pair" transform_param { mean_value: 128 mean_value: 120 } }'
        ' layer { name: "slice" type: "Slice" bottom: "pair" top: "a" top: "b" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "ImageData" image_data_param { is_color: false }'
            " transform_param { mean_value: 104 mean_value: 117 mean_value: 123 } }",
            span="mean_value: 104",
            message='ImageData "data": mean_value is set 3 times, but images have 1 channel (is_color: false); set'
            " it once",
        ),
        Invalid(
            'layer { name: "data" type: "ImageData" transform_param { mean_value: 104 mean_value: 117 } }',
            span="mean_value: 104",
            message='ImageData "data": mean_value is set twice, but images have 3 channels; set it once or 3 times',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" transform_param { mean_value: 104 mean_value: 117 } }',
            span="mean_value: 104",
            message='Data "data": mean_value is set twice, which fits only data with 2 channels; set it once, or'
            " once for each channel",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        means = len(layer.message.transform_param.mean_value)
        if means < 2 or transforms_unlike_bvlc(layer):
            return
        place = transform_place(layer, "mean_value")
        evidence = "Caffe stops with: Specify either 1 mean_value or as many as channels"
        if layer.type == "Data":
            top = layer.tops[0] if layer.tops else ""
            sliced = any(other.type == "Slice" and top in other.bottoms for other in layer.net.layers)
            if means == 2 and top and not sliced:
                yield self.finding(
                    place,
                    f"{title(layer)}: mean_value is set twice, which fits only data with 2 channels; set it once, or"
                    " once for"
                    " each channel",
                    evidence=evidence,
                    severity=WARNING,
                    certainty=LIKELY,
                )
            return
        if layer.type == "MemoryData":
            channels, why = layer.message.memory_data_param.channels, ""
        elif layer.type == "WindowData" or layer.message.image_data_param.is_color:
            channels, why = 3, ""
        else:
            channels, why = 1, " (is_color: false)"
        if channels and means != channels:
            right = "once" if channels == 1 else f"once or {_times(channels)}"
            yield self.finding(
                place,
                f"{title(layer)}: mean_value is set {_times(means)}, but images have {channels}"
                f" channel{'s' if channels > 1 else ''}{why}; set it {right}",
                evidence=evidence,
            )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
