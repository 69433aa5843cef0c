from __future__ import annotations

from caffelint.lint import ERROR, Invalid, ProblemRule


class UnreadableCharacter(ProblemRule):
    """A character that prototxt does not allow: a no-break space, a typographic quote, a full-width colon, a NUL.

    ## Why is this bad?
    Such characters come from web pages, word processors and input methods, and look like the real ones. Caffe's parser
    refuses everything that is not ASCII outside strings and comments: `Interpreting non ascii codepoint 194`.

    ## Example
    ```
    layer { name: “conv1” }
    ```
    Use instead:
    ```
    layer { name: "conv1" }
    ```

    ## References
    - protobuf 3.12, io/tokenizer.cc, Tokenizer::Next
    """

    code = "P018"
    name = "unreadable-character"
    severity = ERROR
    VALID = [
        'layer { name: "größe“" }  # 名称 net',
    ]
    INVALID = [
        Invalid(
            "layer { name: “conv1” }",
            span="“conv1”",
            message="“conv1” is in typographic quotes, which Caffe's parser refuses; use \" on both sides",
            fixed='layer { name: "conv1" }',
        ),
        Invalid(
            "base_lr:\u00a00.1",
            span="\u00a0",
            message="Caffe's parser refuses a no-break space (U+00A0) outside strings and comments",
            fixed="base_lr: 0.1",
        ),
        Invalid(
            "base_lr\uff1a0.1",
            span="\uff1a",
            message="Caffe's parser refuses a full-width colon (U+FF1A) outside strings and comments",
            fixed="base_lr:0.1",
        ),
    ]
