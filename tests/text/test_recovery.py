"""One mistake is one problem, at its place, and what stands around it is still read."""

from __future__ import annotations

import pytest

from caffelint.text.edits import apply_edits
from caffelint.text.mistakes import MOST_PROBLEMS
from caffelint.text.parser import Document, parse
from caffelint.text.tree import BROKEN, INTEGER, LIST, MESSAGE


def told(text: str) -> list[tuple[str, str]]:
    document = parse(text.encode())
    return [(document.source.slice(p.start, p.end), p.message) for p in document.problems]


def mended(text: str) -> str:
    edits = {edit for problem in parse(text.encode()).problems for edit in problem.repairs}
    return apply_edits(text.encode(), edits).decode()


def names(document: Document) -> list[str]:
    return [field.name for field in document.root.walk() if field.name]


MISTAKES = [
    ("a 1 b: 2", "a", '":" is missing between a and its value', "a: 1 b: 2"),
    ('a "x" b: 2', "a", '":" is missing between a and its value', 'a: "x" b: 2'),
    ("a MAX\nb: 2", "a", '":" is missing between a and its value', "a: MAX\nb: 2"),
    ("a [1, 2] b: 2", "a", '":" is missing between a and its value', "a: [1, 2] b: 2"),
    ("a -1 b: 2", "a", '":" is missing between a and its value', "a: -1 b: 2"),
    ("a = 1 b: 2", "=", 'a is followed by "="; write ":" before its value', "a : 1 b: 2"),
    ("a: +1 b: 2", "+", 'a number cannot start with "+"; remove it', "a: 1 b: 2"),
    ("a: 1\nc\nb: 2", "c", "c has no value; remove it, or write c: value or c { ... }", None),
    ("a: \nb: 2", "a", 'a has no value after its ":"', None),
    ("x { a: } b: 2", "a", 'a has no value after its ":"', None),
    ("b: 2 a:", "a", 'a has no value after its ":"', None),
    ("a: 1;; b: 2", ";", '";" separates nothing here; remove it', "a: 1; b: 2"),
    ("a: 1; ;,, b: 2", ";,,", '";" separates nothing here; remove it', "a: 1;  b: 2"),
    ("a: [1,, , 2] b: 2", ", ,", '"," separates nothing here; remove it', "a: [1, 2] b: 2"),
    ("a: [1, 2,] b: 2", "]", 'a list takes no "," after its last item; remove it', None),
    ("a: [1 2] b: 2", "1", '"," is missing between two items of a list', "a: [1, 2] b: 2"),
    ("a: [1, 2 b: 2", "a: [", 'the list of a is not closed with "]"', None),
    ("a: [1, [2]] b: 2", "[", "a list cannot hold other lists; remove the inner brackets", None),
    (
        "a: 1, 2, 3\nb: 2",
        "1, 2, 3",
        "a takes one value at a time; write several as a: [1, 2, 3]",
        "a: [1, 2, 3]\nb: 2",
    ),
    ("a: 1 2 3\nb: 2", "1 2 3", "a takes one value at a time; write several as a: [1, 2, 3]", "a: [1, 2, 3]\nb: 2"),
    (
        "a: 1,000\nb: 2",
        "1,000",
        "1,000 has a thousands separator, which prototxt does not allow; write 1000",
        "a: 1000\nb: 2",
    ),
    (
        "a: 10,080, 500, 1,500 b: 2",
        "10,080, 500, 1,500",
        "10,080, 500, 1,500 has a thousands separator, which prototxt does not allow; write [10080, 500, 1500]",
        "a: [10080, 500, 1500] b: 2",
    ),
    ("a: 1,500\nb: 2", "1,500", "a takes one value at a time; write several as a: [1, 500]", "a: [1, 500]\nb: 2"),
    ("a: 1, 0\nb: 2", "1, 0", "a takes one value at a time; write several as a: [1, 0]", "a: [1, 0]\nb: 2"),
    ("a: 1x b: 2", "1x", "1x is not a number; if it is meant as a string, put it in quotes", 'a: "1x" b: 2'),
    ("a: 224x224 b: 2", "224x224", "224x224 is not a number; if it is meant as a string, put it in quotes", None),
    ("a: 10b: 2", "b", "a space is missing between 10 and b", "a: 10 b: 2"),
    ("a: 1.2.3 b: 2", "1.2", "1.2 is followed by a second decimal point", None),
    ("a: 1e b: 2", "1e", "1e has no exponent after its e", None),
    ("a: 0x b: 2", "0x", "0x needs hexadecimal digits after it", None),
    ("a: 08 b: 2", "08", "08 starts with 0, which makes it octal, and octal has no digit 8; drop the leading 0", None),
    ("a: x/y.txt b: 2", "x/y.txt", "x/y.txt is a string without quotes; put it in quotes", 'a: "x/y.txt" b: 2'),
    ("a: x+/y.txt b: 2", "x+/y.txt", "x+/y.txt is a string without quotes; put it in quotes", 'a: "x+/y.txt" b: 2'),
    (
        "a: 'x' and the y.txt of train2\nb: 2",
        "and the y.txt of train2",
        '"and the y.txt of train2" is not a field; start a comment with "#"',
        None,
    ),
    ("a: ./x.txt b: 2", "./x.txt", "./x.txt is a string without quotes; put it in quotes", 'a: "./x.txt" b: 2'),
    (
        "a: A=1;B=2;;C=D:\\x;\nb: 2",
        "A=1;B=2;;C=D:\\x;",
        "A=1;B=2;;C=D:\\x; is a string without quotes; put it in quotes",
        'a: "A=1;B=2;;C=D:\\\\x;"\nb: 2',
    ),
    ("a: A=1; B=2; b: 2", "A=1; B=2", "A=1; B=2 is a string without quotes; put it in quotes", 'a: "A=1; B=2"; b: 2'),
    ('a: "x-"s"-y"\nb: 2', '"', 'this string contains a bare quote; write \\" for it', 'a: "x-\\"s\\"-y"\nb: 2'),
    ('a: "x"s"\nb: 2', '"', 'this string contains a bare quote; write \\" for it', None),
    ('a: "x"s "y"\nb: 2', "s", '":" is missing between s and its value', 'a: "x"s: "y"\nb: 2'),
    ("this was a test\nb: 2", "this was a test", '"this was a test" is not a field; start a comment with "#"', None),
    ("a: C:\\x b: 2", "C:\\x", "C:\\x is a string without quotes; put it in quotes", 'a: "C:\\\\x" b: 2'),
    ('a: x" b: 2', 'x"', "the string x has no opening quote", 'a: "x" b: 2'),
    ('a: "x b: 2', '"x', 'the string that starts here has no closing "', 'a: "x" b: 2'),
    ('a: "x\nb: 2', '"x', 'the string that starts here has no closing "', 'a: "x"\nb: 2'),
    ('x { a: "{DIR}\nb: 2 }', '"{DIR}', 'the string that starts here has no closing "', 'x { a: "{DIR}"\nb: 2 }'),
    ('a: "x  # why\nb: 2', '"x', 'the string that starts here has no closing "', 'a: "x"  # why\nb: 2'),
    ("x { a: 'y } b: 2", "'y", "the string that starts here has no closing '", "x { a: 'y' } b: 2"),
    ('a: "\\d" b: 2', "\\d", '"\\d" is not an escape sequence; write \\\\ for a backslash', 'a: "\\\\d" b: 2'),
    ("a: 1 } b: 2", "}", '"}" closes nothing; a brace is missing above, or this one is extra', None),
    ("x { a: 1 ) } b: 2", ")", '")" cannot close the "{" on line 1; write "}"', None),
    ("x { a: 1 > b: 2", ">", '">" cannot close the "{" on line 1; write "}"', "x { a: 1 } b: 2"),
    ("{ a: 1 } b: 2", "{", '"{" has no field name before it', None),
    ("b: 2 3d { a: 1 }", "3d", "a field name is expected here, not 3d", None),
    ("a: 1\n// why\nb: 2", "//", '"//" does not start a comment in prototxt; write "#"', "a: 1\n# why\nb: 2"),
    ("a: 1 /* why\n b: 3 */ b: 2", "/*", '"/*" does not start a comment in prototxt; write "#" before each line', None),
    ("a: (1) b: 2", "(1)", '"(1)" is not a value; a needs a number, a name or a quoted string', None),
    ("a: $X b: 2", "$X", "$X is an unfilled template placeholder; write a value", None),
    ("a: {x} b: 2", "{x}", "{x} is an unfilled template placeholder; write a value", None),
    ("a: <x> b: 2", "<x>", "<x> is an unfilled template placeholder; write a value", None),
    (
        "a: {{ x }} b: 2",
        "{{ x }}",
        "{{ x }} is an unfilled template placeholder; write a value",
        None,
    ),
    ("x { b: 2", "x", 'the block x that starts on line 1 is never closed with "}"', None),
]


@pytest.mark.parametrize(("text", "span", "message", "right"), MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_one_mistake_is_one_problem(text: str, span: str, message: str, right: str | None) -> None:
    assert told(text) == [(span, message)]
    document = parse(text.encode())
    assert "b" in names(document), "what follows a mistake is read"
    b = next(field for field in document.root.walk() if field.name == "b")
    assert b.text == "2"
    if right is not None:
        assert mended(text) == right
        assert parse(right.encode()).problems == []


def test_several_mistakes_are_each_reported() -> None:
    assert [span for span, _ in told('a 1\nb: "x\nc = 3\nd: 08\n}')] == ["a", '"x', "=", "08", "}"]


def test_a_missing_brace_keeps_later_blocks_apart() -> None:
    document = parse(b'layer { name: "a" {\nlayer { name: "b" }\nlayer { name: "c" }\n')
    assert [field.name for field in document.root.fields] == ["layer", "layer", "layer"]


def test_two_missing_braces() -> None:
    text = "l { a: 1\nl { a: 2 }\nl { p { a: 3\nl { a: 4 }\n"
    spans = told(text)
    assert [message for _, message in spans] == [
        '"}" is missing before this l: the l on line 1 is still open here',
        '"} }" are missing before this l: the l on line 3 is still open here',
    ]
    assert [field.name for field in parse(text.encode()).root.fields] == ["l"] * 4


def test_a_merge_conflict_is_read_on_one_side() -> None:
    text = "<<<<<<< HEAD\na: 1\n||||||| base\na: 0\n=======\na: 2\n>>>>>>> other\nb: 3\n"
    document = parse(text.encode())
    assert [problem.kind for problem in document.problems] == ["merge-conflict-marker"]
    assert [(field.name, field.text) for field in document.root.fields] == [("a", "1"), ("b", "3")]


def test_values_without_a_name_become_a_list() -> None:
    field = parse(b"dim: 1, 28, 28").root.fields[0]
    assert field.kind == LIST
    assert [item.text for item in field.fields] == ["1", "28", "28"]


def test_deep_nesting_is_reported_once() -> None:
    document = parse(b"a {" * 1000)
    (problem,) = document.problems
    assert problem.message.endswith("; 1000 blocks are open at the end of the file")
    assert document.root.fields[0].kind == MESSAGE


def test_reading_stops_where_nothing_is_prototxt() -> None:
    problems = parse(b"a b c d \n" * 10_000).problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert "reading stops" in problems[-1].message


def test_numbers_that_are_none_among_values_without_a_name() -> None:
    (field,) = parse(b"dim: 1, 3, 08x").root.fields
    assert [item.kind for item in field.fields] == [INTEGER, INTEGER, BROKEN]


def test_a_number_with_a_thousands_separator_is_no_value() -> None:
    (field,) = parse(b"max_iter: 1,000").root.fields
    assert (field.kind, field.span) == (BROKEN, (0, 15))


@pytest.mark.parametrize(
    ("text", "safe"),
    [("a: x/y\nb: 2", [True]), ("a { b: x/y }", [True]), ("a: x/y # z", [True]), ("a: A=1;B=2", [False])],
)
def test_quotes_around_a_text_are_safe_where_its_end_is_plain(text: str, safe: list[bool]) -> None:
    assert [problem.repair_is_safe for problem in parse(text.encode()).problems] == safe


@pytest.mark.parametrize("text", ["a: x/y z.txt\nb: 2", "a: ./my own/list.txt\nb: 2", "a dummy test\nb: 2"])
def test_what_may_be_meant_in_two_ways_is_not_mended(text: str) -> None:
    problems = parse(text.encode()).problems
    assert problems
    assert not any(problem.repairs for problem in problems)


@pytest.mark.parametrize("before", ["a: ", "a: -", "a: [", "a: [1, "])
def test_strange_characters_without_end(before: str) -> None:
    """Each of them is passed over by itself, as neighbours differ."""
    document = parse(before.encode() + "\xa0\u200b".encode() * 200 + b"5")
    assert "5" in [field.text for field in document.root.walk()]
    problems = parse(before.encode() + "\xa0\u200b".encode() * 100_000 + b"5").problems
    assert len(problems) <= MOST_PROBLEMS + 2
    assert "reading stops" in "".join(problem.message for problem in problems)
