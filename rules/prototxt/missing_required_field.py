from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class MissingRequiredField(ProblemRule):
    """A block lacks a field that Caffe's schema requires.

    ## Why is this bad?
    Caffe refuses the whole file after reading it to its end, and names no line: `Message type "caffe.NetParameter"
    is missing required fields: layer[3].clip_param.min`. BVLC's schema requires few fields: both limits of
    `clip_param`, and a few in messages that no net or solver contains.

    ## Example
    ```
    layer { type: "Clip" clip_param { min: 0 } }
    ```
    Use instead:
    ```
    layer { type: "Clip" clip_param { min: 0 max: 6 } }
    ```

    ## References
    - protobuf 3.12, text_format.cc, Parser::MergeUsingImpl
    """

    code = "P007"
    name = "missing-required-field"
    severity = ERROR
    VALID = [
        'layer { type: "Clip" clip_param { min: 0 max: 6 } }',
    ]
    INVALID = [
        Invalid(
            'layer { type: "Clip" clip_param { min: 0 } }',
            span="clip_param",
            message="clip_param lacks max, which is required, so Caffe refuses the file; add it",
        ),
    ]
