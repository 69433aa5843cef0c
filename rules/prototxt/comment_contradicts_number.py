from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, File, Finding, Invalid, Place, TextRule, compiled_later

_LINE = compiled_later(
    r"\b([a-z_]+)[ \t]*:[ \t]*([1-9]\d{0,8})[ \t;,}]*#[ \t]*(\d{1,6}(?:[ \t]*\([^()\n]{0,40}\))?"
    r"(?:[ \t]*\*[ \t]*\d{1,6}(?:[ \t]*\([^()\n]{0,40}\))?)+)[ \t]*(?=[\r\n,;.]|\Z)",
    re.ASCII,
)
_REMARK = compiled_later(r"\([^()]*\)")


class CommentContradictsNumber(TextRule):
    """The comment after a number computes a different one.

    ## Why is this bad?
    Somebody changed the number of classes or anchors in one place and not in the other; the number counts.

    ## Example
    ```
    num_output: 24  # 2(bg/fg) * 9(anchors)
    ```
    Use instead:
    ```
    num_output: 18  # 2(bg/fg) * 9(anchors)
    ```

    ## Known problems
    Only products that make up the whole comment are computed. A comment may be about something other than the number
    before it, so this rule is in preview.
    """

    code = "P019"
    name = "comment-contradicts-number"
    severity = INFO
    certainty = LIKELY
    preview = True
    VALID = [
        "layer { convolution_param { num_output: 18  # 2(bg/fg) * 9(anchors)\n } }",
        "layer { convolution_param { kernel_size: 3  # 2 * 9 inputs\n } }",
        "layer { convolution_param { num_output: 24  # was 2*9\n } }",
    ]
    INVALID = [
        Invalid(
            "layer { convolution_param { num_output: 24  # 2(bg/fg) * 9(anchors)\n } }",
            span="num_output: 24",
            message="num_output is 24, but the comment after it computes 2(bg/fg) * 9(anchors) = 18; correct one of the"
            " two",
        ),
    ]

    def check(self, file: File) -> Iterator[Finding]:
        text = file.document.source.text
        if file.kind == "other" or "#" not in text:
            return
        for found in _LINE.finditer(text):
            product = 1
            for factor in _REMARK.sub("", found[3]).split("*"):
                product *= int(factor)
            if product != int(found[2]):
                start = found.start(1)
                computed = file.document.source.slice(*found.span(3))
                message = (
                    f"{found[1]} is {found[2]}, but the comment after it computes {computed} = {product}; correct one"
                    " of the two"
                )
                place = Place(file.document, start, found.end(2), file.layer_at(start), (found[1],))
                yield self.finding(place, message)
