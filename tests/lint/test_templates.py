"""What is said of a template beside that it is one: what is wrong whatever fills its values."""

from __future__ import annotations

import pytest

from caffelint import check_text

TWICE = "num_output: ${LABELS}\n%s\nnum_output: 34\n%s\n"


def names(control: str = "", end: str = "", before: str = "") -> set[str]:
    twice = TWICE % (control, end)
    text = f'{before}layer {{ name: "a" type: "InnerProduct" inner_product_param {{\n{twice}}} }}'
    return {finding.name for finding in check_text(text, kind="net").findings}


@pytest.mark.parametrize("remark", ["", "# For all classes", "# if that is too slow, take fewer"])
def test_a_field_that_is_set_twice_is_so_whatever_fills_it(remark: str) -> None:
    assert "repeated-scalar" in names(remark)


@pytest.mark.parametrize(
    ("control", "end"), [("{% else %}", "{% endif %}"), ("<% } else { %>", "<% } %>"), ("# ELSE", "# ENDIF")]
)
def test_of_two_values_what_fills_it_may_choose_one(control: str, end: str) -> None:
    assert "repeated-scalar" not in names(control, end)


def test_where_more_than_values_is_filled_in_nobody_knows_what_is_left() -> None:
    assert "repeated-scalar" not in names(before="$HEADER\n")
