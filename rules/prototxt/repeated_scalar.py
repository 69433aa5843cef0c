from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Problem, ProblemRule


class RepeatedScalar(ProblemRule):
    """A field that takes one value is set twice in a block.

    ## Why is this bad?
    Caffe refuses the file: `Non-repeated field "name" is specified multiple times`. caffelint goes on with
    the first value.

    It is also reported in templates whose placeholders are values, as it holds whatever fills them.

    Some forks repeat a field that BVLC's Caffe does not, such as `stride` of pooling. Where nothing else in the file
    shows which fork it is for, that is a warning.

    ## Example
    ```
    layer { name: "conv1" name: "conv2" }
    ```
    Use instead:
    ```
    layer { name: "conv1" }
    ```

    ## Fix safety
    Safe, and offered only where both values are the same: Caffe refuses the file anyway.

    ## References
    - protobuf 3.12, text_format.cc, ConsumeField
    """

    code = "P006"
    name = "repeated-scalar"
    severity = ERROR
    holds_in_templates = True
    VALID = [
        'layer { top: "a" top: "b" }',
        "layer { convolution_param {\n# if BIG\nnum_output: ${N}\n# else\nnum_output: 5\n# endif\n} }",
        "layer { convolution_param { kernel_size: 3 kernel_size: 5 } }",
    ]
    INVALID = [
        Invalid(
            'layer {\n  name: "conv1"\n  name: "conv2"\n}',
            span="name",
            message="name is set twice in layer (first on line 2); keep one",
        ),
        Invalid(
            "layer { relu_param { } relu_param { } }",
            span="relu_param",
            message="relu_param is set twice in layer (first on line 1); keep one",
            fixed="layer { relu_param { } }",
        ),
        Invalid(
            "layer { pooling_param { stride: 2 stride: 1 } }",
            span="stride",
            message="stride is set twice in pooling_param (first on line 1); keep one",
        ),
        Invalid(
            "layer { convolution_param { num_output: ${LABELS} num_output: 34 } }",
            span="num_output",
            message="num_output is set twice in convolution_param (first on line 1); keep one",
        ),
    ]

    def title(self, problem: Problem) -> str:
        return f"remove the second {problem.field}"
