from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Problem, ProblemRule


class ByteOrderMark(ProblemRule):
    """The file starts with a byte-order mark, or is UTF-16.

    ## Why is this bad?
    Some editors on Windows write one without asking. Caffe's parser takes it for a strange character and refuses the
    file at 1:1, where an editor shows nothing: `Expected identifier, got:` and three bytes.

    ## Example
    A file saved as "UTF-8 with BOM", or as "Unicode".

    Use instead: save it as "UTF-8".

    ## References
    - protobuf 3.12, io/tokenizer.cc, Tokenizer::Next
    """

    code = "P017"
    name = "byte-order-mark"
    severity = ERROR
    VALID = [
        'name: "net" layer { name: "a" }',
    ]
    INVALID = [
        Invalid(
            '\ufeffname: "net" layer { name: "a" }',
            span="\ufeff",
            message="the file starts with a UTF-8 byte-order mark, which Caffe's parser refuses; save it without one",
            fixed='name: "net" layer { name: "a" }',
        ),
    ]

    def title(self, problem: Problem) -> str:
        return "save as UTF-8 without byte-order mark"
