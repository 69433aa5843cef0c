from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write

from ._layers import IMAGE_READERS

_IMAGE_SCALE = 0.02


class MeanInScaledUnits(LayerRule):
    """The mean is 1 or less and the scale is such as 1/255, but the mean is subtracted before the scale is applied.

    ## Why is this bad?
    Caffe computes (pixel - mean) * scale, so the mean is in the units of pixels, from 0 to 255, whatever the scale. A
    `mean_value: 0.5` that was meant for values between 0 and 1 subtracts next to nothing, and the net gets inputs that
    are all positive.

    ## Example
    ```
    transform_param { scale: 0.00784314 mean_value: 1 }
    ```
    Use instead, for values between -1 and 1:
    ```
    transform_param { scale: 0.00784314 mean_value: 127.5 }
    ```

    ## References
    - data_transformer.cpp, Transform; AtlantixJJ/caffe commit 86b5a4c
    """

    code = "D021"
    name = "mean-in-scaled-units"
    severity = WARNING
    certainty = LIKELY
    # WindowData takes no scale from transform_param.
    layer_types = tuple(name for name in IMAGE_READERS if name != "WindowData")
    VALID = [
        'layer { name: "data" type: "Data" transform_param { scale: 0.00784314 mean_value: 127.5 } }',
        # Data that are not pixels.
        'layer { name: "data" type: "Data" transform_param { mean_value: 0.5 } }',
        # No mean at all.
        'layer { name: "data" type: "Data" transform_param { scale: 0.0039 mean_value: 0 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" transform_param { scale: 0.00784313 mean_value: 1 } }',
            span="mean_value: 1",
            message='Data "data": mean_value 1 is subtracted before scale 0.00784313 is applied, so it must be in'
            " pixel units (0 to 255); did you mean 127.5?",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        transform = layer.message.transform_param
        means = transform.mean_value
        if not means or not 0 < transform.scale <= _IMAGE_SCALE:
            return
        largest = max(means, key=abs)
        if 0 < abs(largest) <= 1:
            yield self.finding(
                layer.at("transform_param", "mean_value"),
                f"{title(layer)}: mean_value {largest:g} is subtracted before scale {transform.scale:g} is applied, so"
                f" it must be in pixel units (0 to 255); did you mean {largest / transform.scale:g}?",
                evidence="Caffe computes (pixel - mean) * scale",
                fixes=fix(
                    f"set mean_value: {largest / transform.scale:g}" if len(means) == 1 else "set mean_value in pixels",
                    DISPLAY,
                    *(
                        write(layer, "transform_param", "mean_value", index, value=f"{mean / transform.scale:g}")
                        for index, mean in enumerate(means)
                    ),
                ),
            )
