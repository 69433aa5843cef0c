from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Problem, ProblemRule


class UnknownField(ProblemRule):
    """A field that no known Caffe has: a slip, a field in the wrong block, or a fork that caffelint does not know.

    ## Why is this bad?
    Caffe refuses the file: `Message type "caffe.PoolingParameter" has no field named "kernel"`. It is an error where
    the text shows what was meant, where the repository holds its own Caffe, or where the dialect is given. Otherwise
    the file may be for a fork whose schema caffelint does not have: it is a warning if a field of BVLC's is in the
    wrong block, or a field in a fork's block is misspelt, else an info. The block of a layer whose type is unknown is
    reported with the type, unless it may be a slip for one that takes all that it holds. A field whose meaning is clear
    is checked like any other.

    ## Example
    ```
    layer { type: "Pooling" pooling_param { pool: AVE stride: 5 kernel: 3 } }
    ```
    Use instead:
    ```
    layer { type: "Pooling" pooling_param { pool: AVE stride: 5 kernel_size: 3 } }
    ```

    ## Fix safety
    Safe where only case or underscores are wrong, since Caffe refuses the file anyway. Otherwise unsafe: the suggested
    name is a guess, and so is the block that a field is moved into.

    ## References
    - protobuf 3.12, text_format.cc, ConsumeField
    - Stack Overflow 33962226
    """

    code = "P002"
    name = "unknown-field"
    severity = ERROR
    holds_in_templates = True
    VALID = [
        "layer { pooling_param { kernel_size: 3 } }",
        'layer { type: "PriorBox" prior_box_param { min_size: 30 } }',
        # Of the type that no Caffe has: transform_param takes no such thing.
        'layer { type: "VolumeData" transform_nd_param { padding: true } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "fc" type: "InnerProduct" blobs_lr: 0 inner_product_param { num_output: 1 } }',
            span="blobs_lr",
            message="layer has no field blobs_lr, which only the older layers blocks have, so Caffe refuses the file;"
            " write param { lr_mult: 0 }",
        ),
        Invalid(
            'layer { type: "Pooling" pooling_param { pool: AVE stride: 5 kernel: 3 } }',
            span="kernel",
            message="pooling_param has no field kernel, so Caffe refuses the file; did you mean kernel_size?",
            fixed='layer { type: "Pooling" pooling_param { pool: AVE stride: 5 kernel_size: 3 } }',
        ),
        Invalid(
            'layer { type: "Convolution" num_output: 3 }',
            span="num_output",
            message="layer has no field num_output, so Caffe refuses the file; move it to a convolution_param block",
        ),
        Invalid(
            'layer { type: "InnerProduct" num_output: 3 inner_product_param { axis: 1 } convolution_param { } }',
            span="num_output",
            message="layer has no field num_output, so Caffe refuses the file; move it to the inner_product_param"
            " block",
            fixed='layer { type: "InnerProduct" inner_product_param { axis: 1 num_output: 3 } convolution_param { } }',
        ),
        Invalid(
            'layer { type: "InnerProduct" num_output: 3 convolution_param { } }',
            span="num_output",
            message="layer has no field num_output, so Caffe refuses the file; move it to an inner_product_param block",
        ),
        Invalid(
            'layer { type: "ImageData" image_data_param { source: "a" }'
            " transform_param { mirror: true } crop_size: 9 }",
            span="crop_size",
            message="layer has no field crop_size, so Caffe refuses the file; move it to the transform_param block",
            fixed='layer { type: "ImageData" image_data_param { source: "a" }'
            " transform_param { mirror: true crop_size: 9 } }",
        ),
        # As forks have it that have this type.
        Invalid(
            'layer { type: "SegAccuracy" seg_accuracy { ignore_label: 255 } }',
            span="seg_accuracy",
            message="layer has no field seg_accuracy, so Caffe refuses the file; what it holds belongs in"
            " seg_accuracy_param, so rename it",
            fixed='layer { type: "SegAccuracy" seg_accuracy_param { ignore_label: 255 } }',
        ),
        # A filler has no such fields.
        Invalid(
            'layer { type: "Convolution" weight_filler { num_output: 3 bias_filler { value: 1 } } }',
            span="weight_filler",
            message="layer has no field weight_filler, so Caffe refuses the file; what it holds belongs in"
            " convolution_param, so rename it",
            fixed='layer { type: "Convolution" convolution_param { num_output: 3 bias_filler { value: 1 } } }',
        ),
        # What layers blocks call it.
        Invalid(
            'layer { type: "Scale" param { weight_decay: 0 } param { weight_decay: 1 } }',
            span="weight_decay",
            message="param has no field weight_decay, so Caffe refuses the file; did you mean decay_mult? (2 times)",
            fixed='layer { type: "Scale" param { decay_mult: 0 } param { decay_mult: 1 } }',
        ),
        Invalid(
            "layer { convolution_param { num_output: 3 lr_mult: 2 } }",
            span="lr_mult",
            message="convolution_param has no field lr_mult, so Caffe refuses the file; write param { lr_mult: 2 } in"
            " the layer itself, outside this block",
        ),
        # A layer's param is a block, and this is a string.
        Invalid(
            "layer { type: 'Python' python_param { module: 'data' layer: 'Data' param: 'batch_size: 1' } }",
            span="param",
            message="python_param has no field param, so Caffe refuses the file; did you mean param_str?",
            fixed="layer { type: 'Python' python_param { module: 'data' layer: 'Data' param_str: 'batch_size: 1' } }",
        ),
        Invalid(
            'layer { type: "Data" transform_param { mean: 104 mirror: true } }',
            span="mean",
            message="transform_param has no field mean, so Caffe refuses the file; did you mean mean_value?",
            fixed='layer { type: "Data" transform_param { mean_value: 104 mirror: true } }',
        ),
        Invalid(
            'layer { relu_param { bottom: "a" } }',
            span="bottom",
            message="relu_param has no field bottom, so Caffe refuses the file; move it to the layer itself, outside"
            " this block",
        ),
        Invalid(
            'layer { type: "Input" input_param { channels: 3 } }',
            span="channels",
            message="input_param has no field channels, so Caffe refuses the file; write shape { dim: 10 dim: 3"
            " dim: 227 dim: 227 }",
        ),
        # What stands there already is not meant.
        Invalid(
            'layer { type: "Convolution" convolution_param { kernel_size: 3 stride: 1 kstride: 2 } }',
            span="kstride",
            message="convolution_param has no field kstride in any known Caffe, so Caffe refuses the file unless your"
            ' fork adds it; name that one with caffe = "FOLDER", or remove it',
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "fixed" lr: 0.2',
            span="lr",
            message="the solver has no field lr in any known Caffe, so Caffe refuses the file unless your fork adds it;"
            ' name that one with caffe = "FOLDER", or remove it',
        ),
        Invalid(
            'base_lr: 0.1 my_own_setting: 3 lr_policy: "fixed"',
            span="my_own_setting",
            message="the solver has no field my_own_setting in BVLC's Caffe, which refuses the file; remove it",
            options={"dialect": "bvlc"},
        ),
    ]

    def title(self, problem: Problem) -> str:
        moves = len({edit.text for edit in problem.repairs}) > 1  # taken out here, put in there
        return f"move {problem.field}" if moves else super().title(problem)
