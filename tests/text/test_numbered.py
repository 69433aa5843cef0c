"""A text that was copied together with its line numbers is one mistake, mended by removing them."""

from __future__ import annotations

import pytest

import caffelint
from caffelint.text.numbered import line_numbers

NET = (
    'name: "n"\nlayer {\n  name: "in"\n  type: "Input"\n  top: "a"\n'
    "  input_param { shape { dim: 1\n\n    dim: 3 } }\n}\n"
    'layer { name: "p" type: "Power" bottom: "a" top: "b" }\n'
)
LINES = NET.splitlines(keepends=True)
ABOVE = "".join(f"{number}\n{line}" for number, line in enumerate(LINES, 1))
BEFORE = "".join(f"{number:3} {line}" for number, line in enumerate(LINES, 7))


def errors(text: str) -> list[tuple[str, int]]:
    found = caffelint.check_text(text, kind="net").findings
    return [(one.message, len(one.fixes)) for one in found if one.severity == "error"]


@pytest.mark.parametrize("text", [ABOVE, BEFORE, ABOVE.replace("\n", "\r\n"), ABOVE.replace("\n3\n", "\n")])
def test_numbers_are_one_mistake(text: str) -> None:
    last = text.count("\n") - (text is not BEFORE)
    message = f"lines 1 to {last} were pasted with line numbers, so Caffe refuses them; remove the numbers"
    assert errors(text) == [(message, 1)]
    (fix,) = [fix for one in caffelint.check_text(text).findings for fix in one.fixes if one.code == "P001"]
    for start, end, _ in sorted((edit for _, edit in fix.edits), reverse=True):
        text = text[:start] + text[end:]
    assert "".join(text.split()) == "".join(NET.split())


def test_a_text_in_the_middle_of_a_block_is_not_mended_by_that() -> None:
    (message, fixes), *_ = errors(NET.replace('type: "Input"\n', f'type: "Input"\n{ABOVE}'))
    assert message.startswith("lines 5 to 23 were pasted with line numbers, so Caffe refuses them; remove these lines,")
    assert fixes == 0


def test_few_numbers_and_numbers_without_order_are_none() -> None:
    assert len(line_numbers("1\n2\n3\n4\n5\n", 0)) == 5
    assert len(line_numbers("1\n7\n2\n9\n3\n4\n\n5\n", 0)) == 5
    for text in (
        "1\n2\n3\n4\n",
        "1\n5\n9\n13\n17\n",
        "5\n4\n3\n2\n1\n",
        "1x\n2\n3\n4\n5\n",
        "1\n" + "\n" * 99 + "2\n3\n4\n5\n",
    ):
        assert not line_numbers(text, 0)
    assert not line_numbers("dim: 1\n2\n3\n4\n5\n6\n", 5)
