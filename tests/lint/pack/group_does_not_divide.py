from __future__ import annotations

from caffelint.lint import UNSAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, remove

NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
    'layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
    " convolution_param { num_output: 20 kernel_size: 5 group: 3 } }\n"
)


class GroupDoesNotDivide(RefusalRule):
    """A `group` that does not divide `num_output`.

    ## Why is this bad?
    Caffe aborts: base_conv_layer.cpp, LayerSetUp.
    """

    code = "H401"
    name = "group-does-not-divide"
    claims = (Kind.NOT_DIVISIBLE,)
    VALID = [NET.replace("20", "21")]
    INVALID = [
        Invalid(
            NET,
            span="group: 3",
            message='group must divide num_output: look at "conv"',
            fixed=NET.replace(" group: 3", ""),
        )
    ]

    def message(self, refused: Refused) -> str:
        return f'group must divide num_output: look at "{refused.layers[0].name}"'

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        edits = [remove(layer, "convolution_param", "group") for layer in refused.layers]
        return fix("remove group", UNSAFE, *edits)
