from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Kind, ProblemRule


class MixedLayerFormats(ProblemRule):
    """`layer` and `layers` side by side, or the type of one format in a block of the other.

    ## Why is this bad?
    Since 2014 a layer is `layer { type: "Pooling" }`; before, it was `layers { type: POOLING }`. A type of the wrong
    form is refused by the parser. A net that holds both kinds of block is read, and then refused by the upgrade to the
    current format: `Refusing to upgrade inconsistent NetParameter input`, and Caffe aborts.

    ## Example
    ```
    layers { name: "pool1" type: "Pooling" }
    ```
    Use instead:
    ```
    layer { name: "pool1" type: "Pooling" }
    ```

    ## Fix safety
    Safe: a few `layers` blocks become `layer` where most of the net is of that form and nothing in them is of the older
    one alone; else the type is written as its block has it. To write all of a net anew is for `caffelint upgrade`.

    ## References
    - caffe/util/upgrade_proto.cpp, UpgradeV1Net
    """

    code = "P009"
    name = "mixed-layer-formats"
    severity = ERROR
    claims = (Kind.MIXED_FORMATS,)
    VALID = [
        'layer { name: "pool1" type: "Pooling" }',
        'layers { name: "pool1" type: POOLING }',
    ]
    INVALID = [
        Invalid(
            'layers { name: "pool1" type: "Pooling" }',
            span='"Pooling"',
            message='type: "Pooling" is the form of a layer block, this one is layers; write layer in place of layers',
            fixed='layer { name: "pool1" type: "Pooling" }',
        ),
        Invalid(
            'layers { name: "conv1" type: "Convolution" blobs_lr: 1 }',
            span='"Convolution"',
            message='type: "Convolution" is the form of a layer block, this one is layers;'
            " write type: CONVOLUTION here, or layer in place of layers",
            fixed='layers { name: "conv1" type: CONVOLUTION blobs_lr: 1 }',
        ),
        Invalid(
            'layer { name: "pool1" type: POOLING }',
            span="POOLING",
            message='type: POOLING is the form of a layers block, this one is layer; write type: "Pooling"',
            fixed='layer { name: "pool1" type: "Pooling" }',
        ),
        Invalid(
            'layer { name: "a" type: "ReLU" }\nlayers { name: "b" type: RELU }',
            span="layers",
            message="layers stands in a net of layer blocks (the first on line 1);"
            " Caffe refuses to mix them, write all as layer, the newer form, as caffelint upgrade does",
        ),
    ]
