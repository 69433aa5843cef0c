from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class UnfilledTemplate(ProblemRule):
    """An unfilled placeholder such as `$VAR`, `{{ name }}` or `<path>`, or names instead of numbers.

    ## Why is this bad?
    Caffe has no variables. It refuses a placeholder outside quotes. Inside quotes (reported as a warning), it takes the
    placeholder literally, and does not find the file `$DATA/train_lmdb`.

    ## Example
    ```
    layer { data_param { batch_size: $BATCH } }
    ```
    Use instead:
    ```
    layer { data_param { batch_size: 64 } }
    ```
    """

    code = "P013"
    name = "unfilled-template"
    severity = ERROR
    VALID = [
        "layer { data_param { batch_size: 64 } }  # $BATCH is 64",
        'layer { name: "costs 5$" }',
        "layer: < name: 'a' >",
    ]
    INVALID = [
        Invalid(
            "layer { data_param { batch_size: $BATCH } }",
            span="$BATCH",
            message="$BATCH is an unfilled template placeholder; write a value",
        ),
        Invalid(
            "layer { convolution_param { num_output: {{ outputs }} } }",
            span="{{ outputs }}",
            message="{{ outputs }} is an unfilled template placeholder; write a value",
        ),
        Invalid(
            "layer { convolution_param { num_output: cls3x } } layer { convolution_param { num_output: cls3x } }",
            span="cls3x",
            message="num_output takes a whole number, 0 or more, not cls3x, which looks like a placeholder that a"
            " template or script should have filled in (2 times)",
        ),
        Invalid(
            'layer { data_param { source: "${DATA}/train_lmdb" } }',
            span="${DATA}",
            message="${DATA} looks like a placeholder, which Caffe takes literally; write the value",
        ),
    ]
