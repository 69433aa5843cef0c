from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from caffelint.lint import (
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Place,
    Related,
    quoted,
    title,
)

from ._partner import training_nets

_MOST = 3
"""How many nets may have trained one; more are many designs."""
_FAR = 1.5
"""By what factor scales differ that no rounding explains."""


def _fc(name: str, bottom: str) -> str:
    return (
        f' layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        " inner_product_param { num_output: 8 } }"
    )


class DeployScaledOtherwise(NetRule):
    """A deploy net multiplies its images by another number than its training net.

    ## Why is this bad?
    The weights fit values of the size that training has seen. What is five times as large saturates one layer after
    the other, and the answers are wrong without any message.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.0078125 } }
    ```
    `deploy.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.04 } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.0078125 } }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. Programs that give a deploy net its values scale them
    themselves: one with an Input is compared only if a Power right after it scales.

    ## References
    - data_transformer.cpp, Transform; power_layer.cpp; net.cpp, CopyTrainedLayersFrom
    """

    code = "G042"
    name = "deploy-scaled-otherwise"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.0078125 } }'
    _BODY = _fc("a", "data") + _fc("b", "a") + _fc("c", "b")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
    _INPUT = 'layer { name: "data" type: "Input" top: "%s" input_param { shape { dim: 1 dim: 8 } } }'
    _POWER = ' layer { name: "scaled" type: "Power" bottom: "raw" top: "data" power_param { scale: %g } }'
    VALID = [
        # In place, nobody knows what reads the product.
        {
            "train.prototxt": _DATA + _BODY + _LOSS,
            "deploy.prototxt": _INPUT % "data" + (_POWER % 0.1).replace('"raw"', '"data"') + _BODY,
        },
        {"train.prototxt": _DATA + _BODY + _LOSS, "deploy.prototxt": _DATA + _BODY},
        {"train.prototxt": _DATA + _BODY + _LOSS, "deploy.prototxt": _INPUT % "data" + _BODY},
        {"train.prototxt": _DATA + _BODY + _LOSS, "deploy.prototxt": _INPUT % "raw" + _POWER % 0.0078 + _BODY},
    ]
    INVALID = [
        Invalid(
            {
                "train.prototxt": _DATA + _BODY + _LOSS,
                "deploy.prototxt": _DATA.replace("0.0078125", "0.04") + _BODY,
            },
            span="scale: 0.04",
            message='Data "data" scales by 0.04 here and by 0.0078125 in "train.prototxt", so the net gets 5.12 times'
            " what it was trained with; make the two equal",
        ),
        Invalid(
            {
                "train.prototxt": _DATA + _BODY + _LOSS,
                "deploy.prototxt": _INPUT % "raw" + _POWER % 0.00390625 + _BODY,
            },
            span="scale: 0.00390625",
            message='Power "scaled" scales by 0.00390625 here and by 0.0078125 in "train.prototxt", so the net gets 0.5'
            " times what it was trained with; make the two equal",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = [one for one in net.once(training_nets) if one.is_close]
        if not 0 < len(candidates) <= _MOST:
            return
        for mine in _scaled(net, TEST):
            found = [
                next((one for one in _scaled(two.net, TRAIN) if one.blob == mine.blob), None) for two in candidates
            ]
            known = [one for one in found if one is not None and one.of_images]
            if not mine.place or len(known) < len(found) or any(_are_near(mine.scale, one.scale) for one in known):
                continue
            times = mine.scale / known[0].scale
            yield self.finding(
                mine.place,
                f"{title(mine.layer)} scales by {mine.scale:g} here and by {known[0].scale:g} in"
                f" {quoted(candidates[0].file)}, so the net gets {times:.3g} times what it was trained with; make the"
                " two equal",
                related=tuple(Related("the scale in training", one.place) for one in known[:1] if one.place),
            )


class _Scaled(NamedTuple):
    """By what a net multiplies what it reads: in which layer, and the blob that holds the product.

    `of_images`: whether a data layer reads the values as they are, which in an Input are whatever a program gives it.
    """

    layer: Layer
    place: Place | None
    scale: float
    blob: str
    of_images: bool


def _scaled(net: Net, phase: str) -> list[_Scaled]:
    """The first top of each data layer, and what Powers right after it make of it."""
    layers = net.in_phase(phase)
    readers: dict[str, list[Layer]] = {}
    for layer in layers:
        for blob in layer.bottoms:
            readers.setdefault(blob, []).append(layer)
    found = []
    for layer in layers:
        if layer.bottoms or not layer.tops or not (layer.kind.transforms or layer.type == "Input"):
            continue
        of_images, blob, scale = layer.type != "Input", layer.tops[0], layer.message.transform_param.scale
        place = layer.at("transform_param", "scale") if layer.has("transform_param", "scale") else None
        place = place or (layer.at("type") if of_images else None)
        last = layer
        while [one.type for one in readers.get(blob, ())] == ["Power"]:
            last = readers[blob][0]
            if last.message.power_param.power != 1 or not last.tops or last.tops[0] == blob:
                scale = 0.0  # something else
                break
            blob, scale = last.tops[0], scale * last.message.power_param.scale
            place = last.at("power_param", "scale") if last.has("power_param", "scale") else place
        if scale > 0:
            found.append(_Scaled(last, place, scale, blob, of_images))
    return found


def _are_near(one: float, other: float) -> bool:
    return one < _FAR * other and other < _FAR * one
