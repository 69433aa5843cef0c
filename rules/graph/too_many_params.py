from __future__ import annotations

from caffelint.lint import ERROR, SAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, remove_from


class TooManyParams(RefusalRule):
    """A layer has more `param` blocks than parameters.

    ## Why is this bad?
    Each `param` block sets the rate of one parameter: the first that of the weights, the second that of the bias. Caffe
    aborts if there are more blocks than parameters, most often a second one with `bias_term: false`.

    ## Example
    ```
    layer {
      name: "conv" type: "Convolution" bottom: "data" top: "conv"
      param { lr_mult: 1 } param { lr_mult: 2 }
      convolution_param { num_output: 8 kernel_size: 3 bias_term: false }
    }
    ```
    Use instead:
    ```
    layer {
      name: "conv" type: "Convolution" bottom: "data" top: "conv"
      param { lr_mult: 1 }
      convolution_param { num_output: 8 kernel_size: 3 bias_term: false }
    }
    ```

    ## Known problems
    Silent about layers of a fork, and about nets in which Caffe's own layers have fields of one.

    ## Fix safety
    Safe: Caffe refuses the net, and the blocks of all existing parameters are kept.

    ## References
    - net.cpp, Init
    """

    code = "G013"
    name = "too-many-params"
    severity = ERROR
    claims = (Kind.PARAM_COUNT,)
    VALID = [
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " param { lr_mult: 1 } param { lr_mult: 2 } convolution_param { num_output: 8 kernel_size: 3 } }",
    ]
    INVALID = [
        # Of bottoms whose shape only the data tell.
        Invalid(
            'layer { name: "data" type: "Data" top: "data" }'
            ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"'
            " param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } }",
            span="param",
            message='BatchNorm "bn": 4 param blocks for 3 parameters; remove 1',
            fixed=(
                'layer { name: "data" type: "Data" top: "data" }'
                ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"'
                " param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } }"
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
            ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: 1 }'
            " param { lr_mult: 2 } convolution_param { num_output: 8 kernel_size: 3 bias_term: false } }",
            span="param",
            message='Convolution "conv": 2 param blocks for 1 parameter; remove 1',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: '
                '8 } } } layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" param { lr_mult: 1 '
                "} convolution_param { num_output: 8 kernel_size: 3 bias_term: false } }"
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }\n'
            'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 }\n'
            "  param { lr_mult: 1 } param { lr_mult: 2 }\n  param { lr_mult: 3 } param { lr_mult: 4 }\n}",
            span="param",
            message='InnerProduct "fc": 4 param blocks for 2 parameters; remove 2',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }\n'
                'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
                " inner_product_param { num_output: 8 }\n  param { lr_mult: 1 } param { lr_mult: 2 }\n}"
            ),
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """Remove the blocks for which there is no parameter."""
        return fix(
            "remove surplus param blocks",
            SAFE,
            *(remove_from(layer, "param", refused.refusal.values["wanted"]) for layer in refused.layers),
        )
