from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, Related, titles

from ._layers import IMAGE_READERS
from ._zeros import mean_in_comment, subtracts_zeros


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
    A net that normalises its data, or what its first layer makes of them, needs no mean. Zeros are only reported beside
    a comment that gives a mean of bytes and says nothing else of it.

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
        # Of something else, in other units, or done elsewhere.
        _NET.format("# label 255 means unknown; anchors of 32, 64, 128 pixels\n", _ZEROS),
        _NET.format("# mean IU of the three folds: 61.2, 60.9, 62.4\n", _ZEROS),
        _NET.format("# the mean (104, 117, 123) is already subtracted when the LMDB is made\n", _ZEROS),
        _NET.format("# subtracted when the LMDB is made:\n# mean 104, 117, 123\n", _ZEROS),
        _NET.format("# torchvision mean 0.485, 0.456, 0.406\n", _ZEROS),
        _NET.format("# ImageNet mean is 104,117,123, not needed here: BatchNorm takes care of it\n", _ZEROS),
        # Of another layer.
        _NET.format('# mean: 104, 117, 123\nlayer { name: "e" type: "Input" top: "e" }', _ZEROS),
        # Normalised in the net.
        _NET.format("# mean: 104, 117, 123\n", _ZEROS) + ' layer { name: "n" type: "BatchNorm" bottom: "d" top: "n" }',
    ]
    INVALID = [
        Invalid(
            _NET.format("# [101, 119, 124] is the mean of the channels\n", _ZEROS),
            span="mean_value: 0",
            message='Data "d": mean_value 0, 0, 0 subtracts nothing, but the comment on line 1 gives the mean 101,'
            " 119, 124; set mean_value to it, or remove mean_value",
        ),
        Invalid(
            _NET.format("", _ZEROS + " # mean of channels: [101, 119.5, 124]"),
            span="mean_value: 0",
            message='Data "d": mean_value 0, 0, 0 subtracts nothing, but the comment on line 1 gives the mean 101,'
            " 119.5, 124; set mean_value to it, or remove mean_value",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers = [layer for layer in net.layers_of(self.layer_types) if subtracts_zeros(layer)]
        mean = mean_in_comment(layers) if layers else None
        if mean:
            zeros = ", ".join("0" for _ in mean.numbers)
            yield self.finding(
                layers[0].at("transform_param", "mean_value"),
                f"{titles(layers)}: mean_value {zeros} subtracts nothing, but the comment on line {mean.line} gives the"
                f" mean {', '.join(mean.numbers)}; set mean_value to it, or remove mean_value",
                layers=layers,
                related=(Related("the comment", mean.place),),
            )
