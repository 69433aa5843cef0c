from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.lint import LIKELY, PHASES, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, title
from caffelint.lint.built import only_value, types_that

_LEAST, _MOST = 60.0, 190.0
"""Means of pixels, in whose place a mean_file is taken to be."""
_ALIKE = 0.25
"""By what share of the first mean the second one may differ."""


class MeanSubtractedTwice(NetRule):
    """The mean of the images is subtracted by the data layer, and again by the layer that reads them.

    ## Why is this bad?
    After the first time the data are centred at 0, after the second one at minus the mean: all pixels are dark, and the
    first layer learns to undo that. Weights that were trained on centred images get what they have never seen.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" transform_param { mean_value: 127 } }
    layer { name: "center" type: "Power" bottom: "data" top: "center" power_param { shift: -127 } }
    ```
    Use instead one of them:
    ```
    layer { name: "data" type: "Data" top: "data" }
    layer { name: "center" type: "Power" bottom: "data" top: "center" power_param { shift: -127 } }
    ```

    ## Known problems
    What a mean_file holds is not read; it is taken for the mean of pixels from 0 to 255.

    ## References
    - data_transformer.cpp, Transform; detectnet_transform_layer.cpp of NVCaffe
    """

    code = "D024"
    name = "mean-subtracted-twice"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.transforms)
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" transform_param {{ {} }} }}'
        ' layer {{ name: "center" type: "Power" bottom: "data" top: "center" power_param {{ {} }} }}'
    )
    _DETECT = (
        'layer {{ name: "data" type: "Data" top: "data" transform_param {{ {} }} }}'
        ' layer {{ name: "label" type: "Data" top: "label" }}'
        ' layer {{ name: "boxes" type: "DetectNetTransformation" bottom: "data" bottom: "label" top: "image" top: "box"'
        " transform_param {{ mean_value: 127 }} }}"
    )
    VALID = [
        _NET.format("", "shift: -127"),
        _NET.format("mean_value: 127", "scale: 0.01"),
        # From 0 to 1, and then from -0.5 to 0.5.
        _NET.format("scale: 0.0039", "shift: -0.5"),
        # Values that are no means of pixels.
        _NET.format('mean_file: "mean.binaryproto"', "shift: -1"),
        _DETECT.format(""),
    ]
    INVALID = [
        Invalid(
            _NET.format("mean_value: 104 mean_value: 117 mean_value: 123", "scale: 0.01 shift: -1.27"),
            span="shift: -1.27",
            message='Power "center" subtracts 127 from "data", from which Data "data" has already subtracted 114.7;'
            " remove one of them",
        ),
        # The second one is subtracted after the data were scaled.
        Invalid(
            _NET.format("mean_value: 128 scale: 0.0078125", "shift: -1"),
            span="shift: -1",
            message='Power "center" subtracts 1 (128 in pixels) from "data", from which Data "data" has already'
            " subtracted 128; remove one of them",
        ),
        Invalid(
            _DETECT.format('mean_file: "mean.binaryproto"'),
            span="mean_value: 127",
            message='DetectNetTransformation "boxes" subtracts 127 from "data", from which Data "data" has already'
            ' subtracted "mean.binaryproto"; remove one of them',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said: set[int] = set()
        if not any(map(_first_mean, net.layers_of(self.layer_types))):
            return
        for phase in PHASES:
            for layer in net.in_phase(phase):
                second = _second_mean(layer)
                made = layer.maker(0, phase) if second and layer.index not in said else None
                if second is None or made is None or made.top != 0:
                    continue
                first = _first_mean(made.layer)
                transform = made.layer.message.transform_param
                in_pixels = second[0] / transform.scale if transform.scale else second[0]
                if first is None or not _are_alike(first, in_pixels):
                    continue
                said.add(layer.index)
                unscaled = f" ({in_pixels:.4g} in pixels)" if transform.scale != 1 else ""
                what = f'"{transform.mean_file}"' if isinstance(first, str) else f"{first:.4g}"
                field = "mean_file" if isinstance(first, str) else "mean_value"
                yield self.finding(
                    layer.at(*second[1]),
                    f'{title(layer)} subtracts {second[0]:.4g}{unscaled} from "{layer.bottoms[0]}", from which'
                    f" {title(made.layer)} has already subtracted {what}; remove one of them",
                    related=(Related("the first mean", made.layer.at("transform_param", field)),),
                )


def _first_mean(layer: Layer) -> float | str | None:
    """The mean that a data layer subtracts: a number, or the name of a file."""
    if layer.bottoms or not (layer.kind.transforms and layer.tops):
        return None
    transform = layer.message.transform_param
    if transform.mean_file:
        return str(transform.mean_file)
    means = list(transform.mean_value)
    return sum(means) / len(means) if means and any(means) else None


def _second_mean(layer: Layer) -> tuple[float, tuple[str, ...]] | None:
    """What a layer subtracts from its bottom, in the units of that, and the field that says so."""
    if not layer.bottoms:
        return None
    means = list(layer.message.transform_param.mean_value) if layer.message.HasField("transform_param") else []
    if means and not layer.kind.known:  # others ignore the block
        return sum(means) / len(means), ("transform_param", "mean_value")
    block, field, factor = layer.block, layer.kind.adds, layer.kind.factor
    added: Any = getattr(layer.param(block), field) if field else None
    if isinstance(added, float):
        added = added / factor if factor and factor > 0 else None
    elif field:
        added = only_value(added) if len(layer.bottoms) == 1 and layer.has_frozen_weights else None
    return (-added, (block, field)) if added is not None and added < 0 else None


def _are_alike(first: float | str, second: float) -> bool:
    """Both in pixels?"""
    if isinstance(first, str):
        return _LEAST <= second <= _MOST
    return first >= 1 and abs(second - first) <= _ALIKE * first
