from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class UnfilledTemplate(ProblemRule):
    """A placeholder such as `$VAR`, `{{ name }}` or `<path>` that nobody filled in, or names in place of numbers.

    ## Why is this bad?
    Caffe knows no variables. Outside of quotes a placeholder is refused; inside of them, a warning here, it is taken
    as it stands, and the file `$DATA/train_lmdb` is not found.

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
            message="$BATCH is a placeholder of a template that nobody filled in; put a value there",
        ),
        Invalid(
            "layer { convolution_param { num_output: {{ outputs }} } }",
            span="{{ outputs }}",
            message="{{ outputs }} is a placeholder of a template that nobody filled in; put a value there",
        ),
        Invalid(
            "layer { convolution_param { num_output: cls3x } } layer { convolution_param { num_output: cls3x } }",
            span="cls3x",
            message="num_output takes a whole number, 0 or more, not cls3x, which looks like a name that a template or"
            " a script should have replaced (it stands 2 times in this file)",
        ),
        Invalid(
            'layer { data_param { source: "${DATA}/train_lmdb" } }',
            span="${DATA}",
            message="${DATA} looks like a placeholder; Caffe fills in none and takes it as it stands",
        ),
    ]
