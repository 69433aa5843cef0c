from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, Finding, Invalid, Layer, LayerRule, fix, remove, title
from caffelint.lint.built import types_that


class ColorAndGray(LayerRule):
    """`force_color` and `force_gray` are both set.

    ## Why is this bad?
    With encoded images in the database Caffe aborts; with raw ones it ignores both.

    ## Example
    ```
    transform_param { force_color: true force_gray: true }
    ```
    Use instead:
    ```
    transform_param { force_color: true }
    ```

    ## References
    - data_transformer.cpp, Transform and InferBlobShape
    """

    code = "D020"
    name = "color-and-gray"
    severity = WARNING
    # Only what reads a database of Datum looks at these fields.
    layer_types = types_that(lambda kind: kind.has_setting("backend"))
    VALID = [
        'layer { name: "data" type: "Data" transform_param { force_color: true } }',
        'layer { name: "data" type: "Data" transform_param { force_color: true force_gray: false } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" transform_param { force_color: true force_gray: true } }',
            span="force_gray: true",
            message='Data "data": force_gray and force_color are both set; keep one of them',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        transform = layer.message.transform_param
        if transform.force_gray and transform.force_color:
            choices = ("force_gray", "force_color")
            yield self.finding(
                layer.at("transform_param", "force_gray"),
                f"{title(layer)}: force_gray and force_color are both set; keep one of them",
                evidence="with encoded images Caffe stops with: cannot set both force_color and force_gray",
                fixes=tuple(
                    one
                    for name in choices
                    for one in fix(f"remove {name}", DISPLAY, remove(layer, "transform_param", name))
                ),
            )
