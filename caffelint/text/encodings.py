"""Files that Caffe's parser refuses at their first byte: byte-order marks, UTF-16 and 32, and what is no text."""

from __future__ import annotations

from codecs import BOM_UTF32_BE, BOM_UTF32_LE

from caffelint.text.edits import Edit
from caffelint.text.patterns import compiled_later
from caffelint.text.source import UTF8_MARK, UTF16_MARKS, Source
from caffelint.text.tree import Problem

_SAMPLE = 4096
_CONTROL = compiled_later(rb"[\0-\x08\x0e-\x1f\x7f]")
_ASCII = compiled_later(rb"[\t\n\r -~]{24}")
"""More than words of other scripts come to by chance, of which each letter is two such bytes."""
_ASIDE = compiled_later(r"#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'")
"""Comments and strings, where letters of any script may be."""


def object_to(source: Source, problems: list[Problem]) -> int:
    """Report a file's strange encoding; where its text starts, -1 if none can be read."""
    data = source.data
    if encoding := _wide_encoding(data):
        problems.append(_wide(data, encoding))
        return -1
    if is_binary(data):
        message = "this is binary data, not prototxt; is it a .caffemodel or another file of that name?"
        problems.append(Problem("syntax-error", 0, 1, message))
        return -1
    if data.startswith(UTF8_MARK):
        message = "the file starts with a UTF-8 byte-order mark, which Caffe's parser refuses; save it without one"
        end = len(UTF8_MARK)
        problems.append(Problem("byte-order-mark", 0, end, message, repairs=(Edit(0, end, ""),), repair_is_safe=True))
        return end
    return 0


def _wide_encoding(data: bytes) -> str:
    """The name of the UTF-16 or 32 that a text is in; empty if in none. Letters have a zero byte beside them there."""
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):  # the former begins as UTF-16 does
        return "utf-32"
    if data.startswith(UTF16_MARKS):
        return "utf-16"
    sample = data[:_SAMPLE]
    for encoding, at in (("utf-32-le", 0), ("utf-32-be", 3)):
        if len(sample) > 4 and 10 * sample.count(0) > 7 * len(sample) and not _CONTROL.search(sample[at::4]):
            return encoding
    for encoding, zeros, letters in (
        ("utf-16-le", sample[1::2], sample[::2]),
        ("utf-16-be", sample[::2], sample[1::2]),
    ):
        if len(letters) > 1 and zeros.count(0) > 0.8 * len(zeros) and not _CONTROL.search(letters):
            return encoding
    return ""


def _wide(data: bytes, encoding: str) -> Problem:
    message = (
        f"the file is {encoding[:6].upper()}, which Caffe's parser refuses; save it as UTF-8 without a byte-order mark"
    )
    end = 4 if encoding.startswith("utf-32") else 2
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or _is_mixed(data, text):
        return Problem("byte-order-mark", 0, end, message)
    return Problem("byte-order-mark", 0, end, message, repairs=(Edit(0, len(data), text),), repair_is_safe=True)


def _is_mixed(data: bytes, text: str) -> bool:
    """Has it parts in another encoding, as what `echo >>` appends? These are no words of prototxt as they are read."""
    return _ASCII.search(data) is not None or not _ASIDE.sub("", text).lstrip("\ufeff").isascii()


def is_binary(data: bytes) -> bool:
    """Are there too many control characters for a text?"""
    sample = data[:_SAMPLE]
    return 20 * len(_CONTROL.findall(sample)) > len(sample) > 8
