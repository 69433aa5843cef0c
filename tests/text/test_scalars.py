"""What scalars mean."""

from __future__ import annotations

import pytest

from caffelint.text.scalars import TOO_LARGE, integer_value, string_bytes, string_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("42", 42),
        ("-7", -7),
        ("010", 8),
        ("-010", -8),
        ("0x1F", 31),
        ("0Xff", 255),
        ("-0x10", -16),
    ],
)
def test_integers(text: str, value: int) -> None:
    assert integer_value(text) == value


@pytest.mark.parametrize(
    "text", ["9" * 100_000, "0" + "7" * 100_000, "0x" + "f" * 100_000, str(TOO_LARGE), str(10**30)]
)
def test_integers_beyond_all_types_are_all_alike(text: str) -> None:
    assert integer_value(text) == TOO_LARGE
    assert integer_value("-" + text) == -TOO_LARGE


def test_leading_zeros_do_not_make_an_integer_large() -> None:
    assert integer_value("0" * 100_000 + "17") == 15


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a"', b"a"),
        ("'a\"b'", b'a"b'),
        ('"a" \'b\'\n"c"', b"abc"),
        ('"a" # "no"\n "b"', b"ab"),
        (r'"\a\b\f\n\r\t\v\\\?\'\""', b"\a\b\f\n\r\t\v\\?'\""),
        (r'"\0\101\777\x41\xfff"', b"\0A\xffA\xfff"),
        (r'"\u00e9\u20ac\U0001F600"', "é€\U0001f600".encode()),
        (r'"\ud83d\ude00"', "\U0001f600".encode()),
        (r'"\ud83dx"', b"\xed\xa0\xbdx"),
        (r'"\U00110000"', b"\xf4\x90\x80\x80"),
        ('"\xc3\xa9"', "é".encode()),
        ("", b""),
    ],
)
def test_strings(text: str, value: bytes) -> None:
    assert string_bytes(text) == value


def test_strings_that_are_no_utf8_are_latin1() -> None:
    assert string_value('"\xe9"') == "é"
    assert string_value('"\xc3\xa9"') == "é"


def test_a_string_without_end_takes_no_time() -> None:
    assert string_bytes('"' + "a" * 100_000 + ' \\"') == b"a" * 100_000 + b' "'
