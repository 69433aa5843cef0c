from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.lint import (
    ERROR,
    INFO,
    UNSAFE,
    Finding,
    Fix,
    Given,
    Invalid,
    Layer,
    LayerRule,
    fix,
    remove,
    title,
    write,
)
from caffelint.lint.built import types_that

_MOVED = {"scale": 1.0, "mean_file": "", "crop_size": 0, "mirror": False}
"""The fields that were once in the block of each data layer, and the values that change nothing."""

_READ_BY_NOBODY = {"rand_skip": 0, "force_encoded_color": False}


class IgnoredTransformField(LayerRule):
    """A setting of a data layer is in a block where Caffe ignores it: scale, mirror, crop_size, mean_file, rand_skip.

    ## Why is this bad?
    In a `layer` block, `scale`, `mirror`, `crop_size` and `mean_file` belong in `transform_param`. In `data_param`,
    `image_data_param` and `window_data_param` they are left over from before 2014 and silently ignored: the net gets
    raw values from 0 to 255, uncropped. Caffe moves them only in old `layers` blocks. No layer reads `rand_skip` and
    `force_encoded_color` of a `data_param`. WindowData is an exception: it reads its scale from `window_data_param`,
    not from `transform_param`.

    ## Example
    ```
    layer { name: "data" type: "Data" data_param { source: "train_lmdb" batch_size: 64 scale: 0.00390625 } }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "Data"
      transform_param { scale: 0.00390625 }
      data_param { source: "train_lmdb" batch_size: 64 }
    }
    ```

    ## Known problems
    Where transform_param has the setting with the same value, it is an info.

    ## Fix safety
    Unsafe: a setting that is moved takes effect. A setting that no layer reads, or that is in transform_param, is
    removed.

    ## References
    - upgrade_proto.cpp, NetNeedsDataUpgrade and UpgradeNetDataTransformation; data_layer.cpp; window_data_layer.cpp
    """

    code = "D011"
    name = "ignored-transform-field"
    severity = ERROR
    has_no_effect = True
    layer_types = types_that(lambda kind: kind.prefetches and not kind.fork)
    VALID = [
        'layer { name: "data" type: "Data" transform_param { scale: 0.1 mirror: true } data_param { source: "a" } }',
        # Caffe moves them.
        'layers { name: "data" type: DATA data_param { source: "a" scale: 0.1 mirror: true crop_size: 9 } }',
        # It changes nothing, whether it is read or not.
        'layer { name: "data" type: "Data" data_param { source: "a" scale: 1 mirror: false } }',
        'layer { name: "data" type: "WindowData" window_data_param { source: "a" scale: 0.1 } }',
        'layer { name: "data" type: "ImageData" image_data_param { source: "a" rand_skip: 9 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "a" scale: 0.1 } }',
            span="scale: 0.1",
            message='Data "data": scale in data_param is ignored; move it to transform_param',
            fixed='layer { name: "data" type: "Data" data_param { source: "a" } transform_param { scale: 0.1 } }',
        ),
        Invalid(
            'layer { type: "ImageData" transform_param { mirror: 1 } image_data_param { source: "a" crop_size: 9 } }',
            span="crop_size: 9",
            message="ImageData layer: crop_size in image_data_param is ignored; move it to transform_param",
            fixed=(
                'layer { type: "ImageData" transform_param { mirror: 1 crop_size: 9 } image_data_param { source: '
                '"a" } }'
            ),
        ),
        Invalid(
            'layer { type: "Data" transform_param { crop_size: 8 } data_param { source: "a" crop_size: 9 } }',
            span="crop_size: 9",
            message="Data layer: crop_size in data_param is ignored; transform_param sets crop_size, so remove it",
            fixed='layer { type: "Data" transform_param { crop_size: 8 } data_param { source: "a" } }',
        ),
        # Caffe refuses a mean_file beside a mean_value.
        Invalid(
            'layer { type: "Data" transform_param { mean_value: 8 } data_param { source: "a" mean_file: "m" } }',
            span='mean_file: "m"',
            message="Data layer: mean_file in data_param is ignored; transform_param sets mean_value, so remove it",
            fixed='layer { type: "Data" transform_param { mean_value: 8 } data_param { source: "a" } }',
        ),
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "a" rand_skip: 9 } }',
            span="rand_skip: 9",
            message='Data "data": rand_skip in data_param is ignored, since Data no longer reads it; remove it',
            fixed='layer { name: "data" type: "Data" data_param { source: "a" } }',
        ),
        Invalid(
            'layer { name: "data" type: "WindowData" transform_param { scale: 0.1 } }',
            span="scale: 0.1",
            message='WindowData "data": scale in transform_param is ignored; move it to window_data_param',
            fixed='layer { name: "data" type: "WindowData" window_data_param { scale: 0.1 } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        message = layer.message
        name = layer.kind.block
        if message.HasField(name):
            block: Any = getattr(message, name)
            for field, harmless in _MOVED.items():
                value = getattr(block, field)
                if block.HasField(field) and value != harmless:
                    if layer.type == "WindowData" and field == "scale":
                        continue
                    advice, severity = "move it to transform_param", None
                    if other := _instead(layer, field):
                        advice = f"transform_param sets {other}, so remove it"
                        severity = INFO if getattr(layer.message.transform_param, field) == value else None
                    yield self.finding(
                        layer.at(name, field),
                        f"{title(layer)}: {field} in {name} is ignored; {advice}",
                        evidence="Caffe moves it by itself only in old `layers` blocks",
                        severity=severity,
                        fixes=_moved(layer, name, field, "transform_param"),
                    )
            if layer.type == "Data":
                for field, harmless in _READ_BY_NOBODY.items():
                    if getattr(block, field) != harmless:
                        yield self.finding(
                            layer.at(name, field),
                            f"{title(layer)}: {field} in {name} is ignored, since Data no longer reads it; remove it",
                            severity=INFO,
                            fixes=fix(f"remove {field}", UNSAFE, remove(layer, name, field)),
                        )
        if layer.type == "WindowData" and message.transform_param.scale != 1:
            yield self.finding(
                layer.at("transform_param", "scale"),
                f"{title(layer)}: scale in transform_param is ignored; move it to window_data_param",
                evidence="unlike other data layers, WindowData reads its scale from window_data_param",
                fixes=_moved(layer, "transform_param", "scale", "window_data_param"),
            )


def _instead(layer: Layer, field: str) -> str:
    """What transform_param has in place of a field that is elsewhere; it refuses two of one field, and two means."""
    others = (field, "mean_value") if field == "mean_file" else (field,)
    return next((other for other in others if layer.given("transform_param", other) is not Given.NOTHING), "")


def _moved(layer: Layer, block: str, field: str, home: str) -> tuple[Fix, ...]:
    """Move the setting to where Caffe reads it; remove it if the setting is there already."""
    gone = remove(layer, block, field)
    if home == "transform_param" and _instead(layer, field) or layer.given(home, field) is not Given.NOTHING:
        return fix(f"remove {field}", UNSAFE, gone)
    value = layer.at(block, field).text.partition(":")[2].strip()
    return fix(f"move {field} to {home}", UNSAFE, gone, write(layer, home, field, value=value)) if value else ()
