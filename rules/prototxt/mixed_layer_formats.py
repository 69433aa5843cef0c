from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Kind, ProblemRule


class MixedLayerFormats(ProblemRule):
    """`layer` and `layers` in one net, or the type of one format in a block of the other.

    ## Why is this bad?
    Since 2014 a layer is `layer { type: "Pooling" }`; before, it was `layers { type: POOLING }`. The parser
    refuses a type of the wrong form. It reads a net with both kinds of block, but the upgrade to the current format
    refuses that net, and Caffe aborts: `Refusing to upgrade inconsistent NetParameter input`.

    ## Example
    ```
    layers { name: "pool1" type: "Pooling" }
    ```
    Use instead:
    ```
    layer { name: "pool1" type: "Pooling" }
    ```

    ## Fix safety
    Safe: a few `layers` blocks become `layer` where most of the net has that form and nothing in them exists only in
    the older one; otherwise the type takes the form of its block. `caffelint upgrade` rewrites a whole net.

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
            message='type: "Pooling" belongs in a layer block, so Caffe refuses it in layers; write layer instead of'
            " layers",
            fixed='layer { name: "pool1" type: "Pooling" }',
        ),
        Invalid(
            'layers { name: "conv1" type: "Convolution" blobs_lr: 1 }',
            span='"Convolution"',
            message='type: "Convolution" belongs in a layer block, so Caffe refuses it in layers;'
            " write type: CONVOLUTION, or layer instead of layers",
            fixed='layers { name: "conv1" type: CONVOLUTION blobs_lr: 1 }',
        ),
        Invalid(
            'layer { name: "pool1" type: POOLING }',
            span="POOLING",
            message='type: POOLING belongs in a layers block, so Caffe refuses it in layer; write type: "Pooling"',
            fixed='layer { name: "pool1" type: "Pooling" }',
        ),
        Invalid(
            'layer { name: "a" type: "ReLU" }\nlayers { name: "b" type: RELU }',
            span="layers",
            message="the net mixes layer and layers blocks (the first layer block is on line 1), so Caffe refuses"
            " it; run `caffelint upgrade` to write every block as layer",
        ),
    ]
