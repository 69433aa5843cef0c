"""What is said of a template beside that it is one: what is wrong whatever fills its values."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

from caffelint import check_text
from caffelint.schema.messages import SolverParameter

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


def test_a_field_that_no_caffe_has_is_told() -> None:
    assert "unknown-field" in names(before='layer { name: "p" type: "Pooling" botom: "a" top: "p" }\n')


def test_what_is_part_of_a_string_is_filled_in_without_quotes() -> None:
    text = 'net: "net-<run>.prototxt"\nsnapshot_prefix: <run>\n'
    (found,) = [one for one in check_text(text).findings if one.name == "wrong-value-type"]
    (fix,) = found.fixes
    with pytest.raises(text_format.ParseError):
        text_format.Parse(text.replace("<run>", "3"), SolverParameter())
    (_, edit), *_ = fix.edits
    mended = text[: edit.start] + edit.text + text[edit.end :]
    text_format.Parse(mended.replace("<run>", "3"), SolverParameter())


@pytest.mark.parametrize(
    "text",
    [
        "snapshot_prefix: <run>\n",
        'net: "<run>"\nsnapshot_prefix: <run>\n',
        'net: "$RUN_net.prototxt"\nsnapshot_prefix: $RUN\n',
        '# "net-<run>.prototxt"\nsnapshot_prefix: <run>\n',
        'net: "net-<run>.prototxt"\nmax_iter: <run>\n',
    ],
)
def test_what_is_filled_in_may_have_quotes(text: str) -> None:
    assert [one.name for one in check_text(text, kind="solver").findings if one.name == "wrong-value-type"] == []


def test_beside_placeholders_a_name_for_a_number_is_one() -> None:
    text = "base_lr: {{ rate }}\nmomentum: mom\n"
    assert [one.name for one in check_text(text, kind="solver").findings] == ["unfilled-template"]
