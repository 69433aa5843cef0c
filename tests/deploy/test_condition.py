"""Conditions of facts: Python's own answers where all is known, and three-valued logic where something is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffelint.deploy.condition import compile_condition
from caffelint.deploy.wrong_facts import WrongFacts


class Known:
    """A subject with values by name."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def value(self, name: str) -> Any:
        return self.values[name]

    def given(self, field: str) -> bool:
        return self.values.get(field) is not None


NUMBERS = st.integers(-3, 3)
ATOMS = st.one_of(NUMBERS.map(str), st.sampled_from(["a", "b", "c"]))
COMPARED = st.tuples(ATOMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), ATOMS).map(" ".join)
CONDITIONS = st.recursive(
    st.one_of(COMPARED, st.tuples(ATOMS, ATOMS).map(lambda two: f"{two[0]} in [a, {two[1]}]")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda three: f"({' '.join(three)})"),
        inner.map(lambda one: f"(not {one})"),
        st.tuples(ATOMS, st.sampled_from("+-*"), ATOMS, inner).map(
            lambda four: f"({four[0]} {four[1]} {four[2]} == 1 or {four[3]})"
        ),
    ),
    max_leaves=8,
)


@given(CONDITIONS, NUMBERS, NUMBERS, NUMBERS)
def test_as_python_where_all_is_known(text: str, a: int, b: int, c: int) -> None:
    expected = eval(text, {"__builtins__": {}}, {"a": a, "b": b, "c": c})
    assert bool(compile_condition(text)(Known(a=a, b=b, c=c))) == bool(expected)


@given(CONDITIONS, NUMBERS, NUMBERS)
def test_never_surer_than_what_is_known(text: str, a: int, b: int) -> None:
    """What is answered without `c` holds whatever `c` is."""
    condition = compile_condition(text)
    answer = condition(Known(a=a, b=b, c=None))
    if answer is not None:
        assert all(bool(condition(Known(a=a, b=b, c=c))) == bool(answer) for c in range(-3, 4))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("c == 1 and a == 2", False),
        ("c == 1 or a == 1", True),
        ("c == 1 and a == 1", None),
        ("not c", None),
        ("len([a, a, a]) == 3", True),
        ("[a, c][0] == 1", None),
        ("distinct([a, a]) > 1", False),
        ('given("c")', False),
    ],
)
def test_unknown_is_a_third_answer(text: str, answer: bool | None) -> None:
    assert compile_condition(text)(Known(a=1, b=2, c=None)) is answer


@pytest.mark.parametrize(
    "text", ["open('x')", "a.b", "lambda: 1", "a if b else c", "__import__('os')", "a ==", "[x for x in a]"]
)
def test_nothing_else_is_a_condition(text: str) -> None:
    with pytest.raises(WrongFacts):
        compile_condition(text)
