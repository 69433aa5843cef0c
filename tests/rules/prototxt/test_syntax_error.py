"""A string without its closing quote is one whatever the placeholders of a template are filled with."""

from __future__ import annotations

import pytest

from caffelint import check_text

_TEMPLATE = "layer {{ convolution_param {{ num_output: {{{{ outputs }}}} {} }} }}\n"


def _found(text: str) -> list[tuple[str, int]]:
    return [(one.message, one.line) for one in check_text(text).findings if one.name == "syntax-error"]


def test_an_open_string_is_told_in_a_template() -> None:
    found = _found('name: "NAME_train\n"\n' + _TEMPLATE.format(""))
    assert found[0] == ('the string that starts here has no closing "', 1)


def test_what_follows_an_open_string_is_not_told() -> None:
    text = "layer { python_param { param_str: \"{\n'scale': $SCALE,\n'pad': $PAD }\" } }\nname: \"a\n"
    assert [line for _, line in _found(text + _TEMPLATE.format(""))] == [1]


@pytest.mark.parametrize(
    "text",
    [
        # What is filled in may close it.
        'name: "{{ name }}\n' + _TEMPLATE.format(""),
        "layer { python_param { param_str: \"{ $SCALE,\n'pad': 3 }\" } }\n" + _TEMPLATE.format(""),
        # Of another kind.
        _TEMPLATE.format("kernel_size 3"),
        # Parts of it are chosen.
        '{% if deploy %}\nname: "a\n{% endif %}\n' + _TEMPLATE.format(""),
    ],
)
def test_anything_else_is_left_to_what_fills_it(text: str) -> None:
    assert _found(text) == []
