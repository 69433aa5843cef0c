from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Place,
    Related,
    compiled_later,
    titles,
)

from ._layers import IMAGE_READERS

_NUMBERS = compiled_later(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,12})?(?:[ \t]{0,3},[ \t]{0,3}\d{1,3}(?:\.\d{1,12})?){1,5}(?![\w.])"
)
_MEAN = compiled_later(r"(?<![a-z])means?(?![a-z])", re.IGNORECASE)
_LARGEST = 255.0


class MeanOfZeros(NetRule):
    """A mean of zeros is subtracted, and a comment beside it gives the mean of the images.

    ## Why is this bad?
    Zeros are what somebody writes until the mean is computed; they subtract nothing. A net whose weights are loaded
    then gets images that are brighter than any that it has been trained on.

    ## Example
    ```
    # [101, 119, 124] is the mean of the channels
    transform_param { mean_value: 0 mean_value: 0 mean_value: 0 }
    ```
    Use instead:
    ```
    transform_param { mean_value: 101 mean_value: 119 mean_value: 124 }
    ```

    ## Known problems
    A net whose first layer normalises its data needs no mean. Zeros without such a comment are not reported.

    ## References
    - data_transformer.cpp, Transform; dylanrhodes/dog-breed-classification commit bc6fcaf, which mends it
    """

    code = "D030"
    name = "mean-of-zeros"
    severity = WARNING
    certainty = LIKELY
    layer_types = IMAGE_READERS
    _NET = (
        '{} layer {{ name: "d" type: "Data" top: "d" top: "l" transform_param {{ {}\n }} include {{ phase: TRAIN }} }}'
    )
    _ZEROS = "mean_value: 0 mean_value: 0 mean_value: 0"
    VALID = [
        _NET.format("# mean: 104, 117, 123\n", _ZEROS.replace("0", "104")),
        _NET.format("", _ZEROS),
        # Of something else.
        _NET.format("# crops: 104, 117, 123\n", _ZEROS),
        _NET.format("# mean over 10 crops, 3 scales\n", _ZEROS),
        # Normalised in the net.
        _NET.format("# mean: 104, 117, 123\n", _ZEROS) + ' layer { name: "n" type: "BatchNorm" bottom: "d" top: "n" }',
    ]
    INVALID = [
        Invalid(
            _NET.format("", _ZEROS + " # mean of channels: [101, 119.5, 124]"),
            span="mean_value: 0",
            message='Data "d": mean_value 0, 0, 0 subtracts nothing, but the comment on line 1 gives the mean 101,'
            " 119.5, 124; set mean_value to it, or remove mean_value",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers = [layer for layer in net.layers_of(self.layer_types) if _subtracts_zeros(layer)]
        if not layers or layers[0].node is None or any(map(_is_normalised, layers)):
            return
        means = list(layers[0].message.transform_param.mean_value)
        end = max(layer.node.end for layer in layers if layer.node)
        document = layers[0].at().document
        for start, stop in document.comments():
            if start > end:
                break
            comment = document.source.slice(start, stop)
            found = _NUMBERS.search(comment) if _MEAN.search(comment) else None
            numbers = [one.strip() for one in found[0].split(",")] if found else []
            if len(numbers) == len(means) and all(0 < float(one) <= _LARGEST for one in numbers):
                zeros = ", ".join("0" for _ in means)
                yield self.finding(
                    layers[0].at("transform_param", "mean_value"),
                    f"{titles(layers)}: mean_value {zeros} subtracts nothing, but the comment on"
                    f" line {document.source.line_number(start)} gives the mean {', '.join(numbers)}; set mean_value to"
                    " it, or remove mean_value",
                    layers=layers,
                    related=(Related("the comment", Place(document, start, stop)),),
                )
                return


def _subtracts_zeros(layer: Layer) -> bool:
    transform = layer.message.transform_param
    return len(transform.mean_value) > 1 and not any(transform.mean_value) and not transform.mean_file


def _is_normalised(layer: Layer) -> bool:
    """Does a layer that normalises read the images?"""
    return any(one.kind.normalises and not set(layer.tops[:1]).isdisjoint(one.bottoms) for one in layer.net.layers)
