"""Characters, placeholders and markers that are no prototxt."""

from __future__ import annotations

import pytest

from caffelint.text.edits import apply_edits
from caffelint.text.parser import parse


@pytest.mark.parametrize(
    ("text", "message", "right"),
    [
        ("a:\u00a01", "Caffe's parser refuses a no-break space (U+00A0)", "a: 1"),
        ("a\uff1a 1", "Caffe's parser refuses a full-width colon (U+FF1A)", "a: 1"),
        ("a: \u22121", "Caffe's parser refuses a typographic minus (U+2212)", "a: -1"),
        (
            "a: 1\u3000\u3000b: 2",
            "Caffe's parser refuses a full-width space (U+3000) outside strings and comments (2 times)",
            "a: 1  b: 2",
        ),
        ("a: \u201cx\u201d", "“x” is in typographic quotes", 'a: "x"'),
        ("a: 1 \u00e9 b: 2", "Caffe's parser refuses 'é' (U+00E9)", None),
        ("a: 1\x07 b: 2", "Caffe's parser refuses the control character U+0007", None),
        ("a: 1\x7f b: 2", "Caffe's parser refuses a DEL byte", None),
        ("a: 1\0\0\n", "Caffe's parser refuses a NUL byte outside strings and comments (2 times)", "a: 1\n"),
        ("a\0b: 2", "Caffe's parser refuses a NUL byte", None),
        ("a: 1 # the rest of a line\0 b: 2", "Caffe's parser refuses a NUL byte", None),
        ("a: 'x\0y' b: 2 c: \"it's\"", "the string contains a NUL byte", None),
    ],
)
def test_characters(text: str, message: str, right: str | None) -> None:
    data = text.encode()
    (problem,) = parse(data).problems
    assert problem.kind == "unreadable-character"
    assert problem.message.startswith(message)
    repaired = apply_edits(data, problem.repairs).decode()
    assert repaired == (right or text)
    assert right is None or not parse(repaired.encode()).problems


def test_a_byte_that_is_no_utf8() -> None:
    (problem,) = parse(b"a: 1 \xff b: 2").problems
    assert problem.message.startswith("Caffe's parser refuses the byte 0xff")


@pytest.mark.parametrize("text", ['name: "\u201c\u00e9\u00a0"', "# \u201c\u00a0\uff1a", "name: '\u540d'"])
def test_strings_and_comments_hold_any_character(text: str) -> None:
    assert not parse(text.encode()).problems


@pytest.mark.parametrize(
    "placeholder",
    [
        "$X",
        "${X}",
        "$(X)",
        "$X$",
        "{{ x }}",
        "{% x %}",
        "<X>",
        "<% x %>",
        "@X@",
        "%X%",
        "%(x)d",
        "%d",
        "[[x]]",
        "???",
        "...",
        "%{x}%",
        "%{x}",
        "%[x]%",
        "%%x%%",
        "@@x@@",
        "@{x}",
        "!x!",
        "|x|",
        "<<x>>",
        "<$x$>",
        "{{{ x }}}",
        "(x)",
        "((x.y))",
    ],
)
def test_placeholders(placeholder: str) -> None:
    document = parse(f"a: {placeholder} b: 2\nc: 3".encode())
    (problem,) = document.problems
    assert problem.kind == "unfilled-template"
    assert document.source.slice(problem.start, problem.end) == placeholder
    assert [field.name for field in document.root.fields] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "value",
    [
        "<property object at 0x7fd145444418>",
        "<function pad at 0x7fd145444418>",
        "<__main__.Net object at 0x7f>",
        "<class 'int'>",
        "<built-in function max>",
    ],
)
def test_what_python_prints_for_an_object_is_no_placeholder(value: str) -> None:
    document = parse(f"a: {value} b: 2\nc: 3".encode())
    (problem,) = document.problems
    assert (problem.kind, problem.certain) == ("syntax-error", True)
    assert [field.name for field in document.root.fields] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "told"), [('a: "$X/y"', "$X"), ("a: '{{x}}'", "{{x}}"), ('a: "5$"', ""), ("# $X\na: '1'", "")]
)
def test_placeholders_in_strings_are_doubtful(text: str, told: str) -> None:
    document = parse(text.encode())
    assert [document.source.slice(p.start, p.end) for p in document.problems if not p.certain] == (
        [told] if told else []
    )
    assert not [problem for problem in document.problems if problem.certain]


@pytest.mark.parametrize(
    "text", ['{"a": 1, "b": [2, 3]}', '\n{\n  "layer" : {}}', '[ {"a": 1}, {"b": 2} ]', '{"a\\"b": 1}']
)
def test_json_is_reported_once(text: str) -> None:
    document = parse(text.encode())
    message = "this is JSON, not prototxt, which is all that Caffe reads; not checked"
    assert [(problem.kind, problem.message) for problem in document.problems] == [("syntax-error", message)]
    assert document.root.fields == []


@pytest.mark.parametrize(
    "text",
    [
        '\n\n\n<!DOCTYPE html>\n<html lang="en"><title>net.prototxt</title>\n<td>layer {</td>\n<td>"a: 1</td>',
        "<html>\n<title>solver.prototxt",
        "<!-- saved from url -->\n<HTML><body>$X net.prototxt</body>",
    ],
)
def test_a_web_page_is_reported_once(text: str) -> None:
    document = parse(text.encode())
    message = "this is a web page, not prototxt; download the raw file (not checked)"
    assert [(problem.kind, problem.message) for problem in document.problems] == [("syntax-error", message)]
    assert document.root.fields == []


@pytest.mark.parametrize("text", ["<name> b: 2", "name: 'x.prototxt' <html> b: 2", "<html> b: 2"])
def test_what_is_no_page_is_read_on(text: str) -> None:
    assert "b" in [field.name for field in parse(text.encode()).root.walk()]


@pytest.mark.parametrize("text", ["{ a: 1 } b: 2", 'x { "a": 1 } b: 2', '{ "a" } b: 2', 'b: 2 {"a": 1}'])
def test_what_is_no_json_is_read_on(text: str) -> None:
    document = parse(text.encode())
    assert document.problems
    assert "b" in [field.name for field in document.root.walk()]
