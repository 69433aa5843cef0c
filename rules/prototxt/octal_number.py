from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, WARNING, File, Finding, Fix, Invalid, Problem, ProblemRule, replace


class OctalNumber(ProblemRule):
    """A whole number with a leading 0 is octal: `num_output: 010` means 8.

    ## Why is this bad?
    Caffe reads it without a warning, and trains a different net than the text seems to describe.

    ## Example
    ```
    layer { convolution_param { num_output: 010 } }
    ```
    Use instead:
    ```
    layer { convolution_param { num_output: 10 } }
    ```

    ## References
    - protobuf 3.12, io/tokenizer.cc, Tokenizer::ParseInteger
    """

    code = "P016"
    name = "octal-number"
    severity = WARNING
    VALID = [
        "layer { convolution_param { num_output: 10 pad: 0 } }",
        "layer { convolution_param { num_output: 0x10 } }",
        'base_lr: 0.01 max_iter: 07 snapshot_prefix: "010"',
    ]
    INVALID = [
        Invalid(
            "layer { convolution_param { num_output: 010 } }",
            span="010",
            message="num_output: 010 is octal and means 8; write 8, or 10 if you meant that",
        ),
        Invalid(
            "max_iter: - # why\n 017",
            span="- # why\n 017",
            message="max_iter: -017 is octal and means -15; write -15, or -17 if you meant that",
        ),
    ]

    def report(self, problem: Problem, file: File) -> Iterator[Finding]:
        place = file.place_of(problem)
        sign = "-" * place.text.startswith("-")
        written = sign + place.text.split()[-1].lstrip("-")  # blanks and comments may follow the sign
        choices = dict.fromkeys((str(int(written, 8)), str(int(written))))
        fixes = tuple(Fix(f"write {choice}", DISPLAY, (replace(place, choice),)) for choice in choices)
        yield self.finding(place, problem.message, fixes=fixes)
