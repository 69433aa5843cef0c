from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class SyntaxError(ProblemRule):
    """The text is not prototxt: a brace, quote or colon is missing, or there is one too many.

    ## Why is this bad?
    Caffe's parser stops at the first such place, prints one line such as `2:7: Expected identifier, got: }`, and
    `caffe train` ends with `Failed to parse NetParameter file`. caffelint reports every such place and reads on, so
    the rest of the file is checked too.

    ## Example
    ```
    layer { name: "relu1" type "ReLU" }
    ```
    Use instead:
    ```
    layer { name: "relu1" type: "ReLU" }
    ```

    ## Known problems
    Caffe's C++ parser is the judge. Python's `text_format` differs from it in places: it accepts `+0.1`, for example.
    Of a template whose placeholders are values, only a string without its closing quote is reported.

    ## Fix safety
    Safe where nothing else can be meant: a colon, a comma or a space in the wrong place, `//` for `#`, `=` for `:`.
    Unsafe where the fix guesses a quote, a brace or the end of a string.

    ## References
    - protobuf 3.12, io/tokenizer.cc and text_format.cc; caffe/util/io.cpp, ReadProtoFromTextFile
    """

    code = "P001"
    name = "syntax-error"
    severity = ERROR
    VALID = [
        'name: "net" layer: < type: "ReLU"; > # a comment',
        "test_iter: [1, 2]",
        "snapshot_prefix: \"a\" 'b'",
        "layer { param [{ lr_mult: 1 }, { lr_mult: 2 }] }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "relu1" type "ReLU" }',
            span="type",
            message='":" is missing between type and its value',
            fixed='layer { name: "relu1" type: "ReLU" }',
        ),
        Invalid(
            'layer { name: "a"\nlayer { name: "b" }\n',
            span="layer",
            message='"}" is missing before this layer: the layer on line 1 is still open here',
            fixed='layer { name: "a"\n}\nlayer { name: "b" }\n',
        ),
        Invalid(
            'layer { name: "a" } }',
            span="}",
            message='"}" closes nothing; a brace is missing above, or this one is extra',
        ),
        Invalid(
            'layer { name: "a }',
            span='"a',
            message='the string that starts here has no closing "',
            fixed='layer { name: "a" }',
        ),
        Invalid(
            "input_shape { dim: 1, 28, 28 }",
            span="1, 28, 28",
            message="dim takes one value at a time; write several as dim: [1, 28, 28]",
            fixed="input_shape { dim: [1, 28, 28] }",
        ),
        Invalid(
            "base_lr: 0.1 // the rate",
            span="//",
            message='"//" does not start a comment in prototxt; write "#"',
            fixed="base_lr: 0.1 # the rate",
        ),
        Invalid(
            "base_lr: 0.1momentum: 0.9",
            span="momentum",
            message="a space is missing between 0.1 and momentum",
            fixed="base_lr: 0.1 momentum: 0.9",
        ),
        Invalid(
            'snapshot_prefix: "C:\\data"',
            span="\\d",
            message='"\\d" is not an escape sequence; write \\\\ for a backslash',
            fixed='snapshot_prefix: "C:\\\\data"',
        ),
        Invalid('name: "\\{}"', "\\{", '"\\{" is not an escape sequence; drop the backslash', fixed='name: "{}"'),
    ]
