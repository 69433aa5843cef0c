from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class UnknownEnumValue(ProblemRule):
    """A name that is not one of its field's values.

    ## Why is this bad?
    Caffe refuses the file: `Unknown enumeration value of "AVG" for field "pool"`. It is an error where the text shows
    what was meant, where the repository holds its own Caffe, or where the dialect is given, otherwise a warning: a fork
    that caffelint does not know may have it.

    ## Example
    ```
    layer { pooling_param { pool: AVG } }
    ```
    Use instead:
    ```
    layer { pooling_param { pool: AVE } }
    ```

    ## Fix safety
    Safe where only case or underscores are wrong, since Caffe refuses the file anyway. Otherwise unsafe, since the name
    is a guess.

    ## References
    - protobuf 3.12, text_format.cc, ConsumeFieldValue
    """

    code = "P005"
    name = "unknown-enum-value"
    severity = ERROR
    VALID = [
        "layer { pooling_param { pool: AVE } }",
        "layer { pooling_param { pool: 1 } }",
    ]
    INVALID = [
        Invalid(
            "layer { pooling_param { pool: AVG } }",
            span="AVG",
            message="pool of pooling_param has no value AVG, so Caffe refuses the file; did you mean AVE?",
            fixed="layer { pooling_param { pool: AVE } }",
        ),
        Invalid(
            "layer { pooling_param { pool: MEDIAN } }",
            span="MEDIAN",
            message="pool of pooling_param has no value MEDIAN in any known Caffe, so Caffe refuses the"
            " file; write one of MAX, AVE, STOCHASTIC (without quotes)",
        ),
        Invalid(
            'layers { name: "lstm" type: LSTM }',
            span="LSTM",
            message="no known Caffe has LSTM in this old format, so Caffe refuses the file; in layer { } it is"
            ' type: "LSTM"',
        ),
    ]
