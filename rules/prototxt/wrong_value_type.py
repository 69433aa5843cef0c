from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class WrongValueType(ProblemRule):
    """A value of the wrong type for its field: a quoted enum, a decimal for a whole number, a number out of range.

    ## Why is this bad?
    Caffe's parser converts nothing: it refuses `pool: "MAX"` (an enum takes no quotes), `batch_size: 64.0` (a whole
    number has no decimal point), `num_output: -1` (unsigned), `max_iter: 3000000000` (beyond 32 bits), `name: conv1` (a
    string needs quotes). A value whose meaning is clear is checked like any other. A placeholder for a string needs
    quotes, too, where another string of the file has it in it, so that what fills it in has none.

    ## Example
    ```
    layer { pooling_param { pool: "MAX" } }
    ```
    Use instead:
    ```
    layer { pooling_param { pool: MAX } }
    ```

    ## Fix safety
    Safe: Caffe refuses the file anyway, and the value is clear. Unsafe in fields of forks, whose types change,
    and for a word in capitals, which may be a placeholder.

    ## References
    - protobuf 3.12, text_format.cc, ConsumeFieldValue
    """

    code = "P004"
    name = "wrong-value-type"
    severity = ERROR
    holds_in_templates = True
    VALID = [
        "layer { pooling_param { pool: MAX kernel_size: 0x3 } }",
        "base_lr: 1 momentum: .9f test_initialization: 0 random_seed: 99999999999",
        'layer { name: "1" loss_weight: inf }',
    ]
    INVALID = [
        Invalid(
            'layer { pooling_param { pool: "MAX" } }',
            span='"MAX"',
            message='pool takes one of MAX, AVE, STOCHASTIC (without quotes), not the quoted string "MAX"',
            fixed="layer { pooling_param { pool: MAX } }",
        ),
        Invalid(
            "layer { data_param { batch_size: 64.0 } }",
            span="64.0",
            message="batch_size takes a whole number, 0 or more, not 64.0",
            fixed="layer { data_param { batch_size: 64 } }",
        ),
        Invalid(
            "max_iter: 3000000000",
            span="3000000000",
            message="max_iter 3000000000 is out of range; it takes a whole number from -2147483648 to 2147483647",
        ),
        Invalid(
            "layer { name: conv1 }",
            span="conv1",
            message="name takes a string in quotes, not conv1",
            fixed='layer { name: "conv1" }',
        ),
        Invalid(
            "layer { data_param { source: TODO } }",
            span="TODO",
            message="source takes a string in quotes, not TODO",
            fixed='layer { data_param { source: "TODO" } }',
        ),
        Invalid(
            'net: "net-<run>.prototxt"\nsnapshot_prefix: <run>\n',
            span="<run>",
            message="snapshot_prefix takes a string in quotes, and <run> is filled in without any, as in the string on"
            ' line 1; write "<run>"',
            fixed='net: "net-<run>.prototxt"\nsnapshot_prefix: "<run>"\n',
        ),
        Invalid(
            "layer { pooling_param: 3 }",
            span="3",
            message="pooling_param is a block; write pooling_param { ... }, not 3",
        ),
        Invalid(
            "layer { pooling_param { kernel_h: [3] } }",
            span="[3]",
            message="kernel_h of pooling_param takes one value, not a list",
            fixed="layer { pooling_param { kernel_h: 3 } }",
        ),
        Invalid("layer { name: { } }", span="{ }", message="name takes a string in quotes, not a block"),
        Invalid(
            "layer { type: MyLayer }",
            span="MyLayer",
            message='a layer\'s type is a string in quotes; write type: "MyLayer"',
            fixed='layer { type: "MyLayer" }',
        ),
        Invalid(
            "base_lr: 010",
            span="010",
            message="base_lr takes a decimal number, but 010 is octal or hexadecimal",
        ),
    ]
