"""What real files contain that is not prototxt: word processors' characters, unfilled placeholders, merge markers."""

from __future__ import annotations

import re

from caffelint.text.ahead import end_of_line
from caffelint.text.edits import Edit
from caffelint.text.patterns import compiled_later
from caffelint.text.source import Source
from caffelint.text.tree import Problem

CONFLICT = compiled_later(r"(?:<{7}|>{7}|={7}|\|{7})(?=[ \r\n]|\Z)[^\n]*")
CONFLICT_END = compiled_later(r"^>{7}(?=[ \r\n]|\Z)[^\n]*\n?", re.MULTILINE)
_TO_DO = compiled_later(r"[ \t]{0,20}:[ \t]{0,20}#[ \t]{0,20}(?:(TO[ _-]?DO|FIXME)\b|(?=[\"']))", re.IGNORECASE)
"""In place of a value: `test_iter: # TODO`, and what is commented out, as in `source: #"<your folder>/train_lmdb"`."""
PLACEHOLDER = compiled_later(
    r"\$#[^\n#]{0,200}#\$|\{\{[^\n}]{0,200}\}{2,3}|\{%[^\n%]{0,200}%\}|\$\{[^\n}]{0,200}\}|\$\([^\n)]{0,200}\)|\$\w+\$?|<%[^\n%]{0,200}%>"
    r"|<[A-Za-z_][^<>\n{}:\"]{0,200}>|@\w+@|%\w+%|%\(\w+\)[sdfg]|%[sdfg](?!\w)|\[\[[^\n\]]{0,200}\]\]|#\{[^\n}]{0,200}\}"
    r"|\?{2,}|\.{3}",
    re.ASCII,
)
WRAPPED = compiled_later(
    r"[%$@!^&*|?`]{1,3}[\[({<]{1,3}[ \t]{0,9}[A-Za-z_][\w.]{0,200}[ \t]{0,9}[\])}>]{1,3}[%$@!^&*|?`]{0,3}"
    r"|[%$@!^&*|?`]{1,3}[A-Za-z_][\w.]{0,200}[%$@!^&*|?`]{1,3}"
    r"|[\[(<][%$@!^&*|?`]{1,3}[ \t]{0,9}[A-Za-z_][\w.]{0,200}[ \t]{0,9}[%$@!^&*|?`]{0,3}[\])>]"
    r"|<{2,3}[ \t]{0,9}[A-Za-z_][\w.]{0,200}[ \t]{0,9}>{2,3}|\({1,3}[ \t]{0,9}[A-Za-z_][\w.]{0,200}[ \t]{0,9}\){1,3}",
    re.ASCII,
)
"""A name between signs, brackets or both, as no value begins: `%{rate}%`, `@@rate@@`, `(rate)`."""
REMARK = compiled_later(r"//[ \t]*[A-Za-z_][\w \t]{0,200}(?=\r?\n|\Z)", re.ASCII)
"""In place of a value, words after C++'s comment sign, as in `base_lr: //TODO`; a path would have another slash."""
BRACED_NAME = compiled_later(r"\{[ \t]*\w+[ \t]*\}", re.ASCII)
"""A placeholder that looks like a block: `stride: {scale}`."""

_PYTHON_OBJECT = compiled_later(
    r"<(?:[^<>\n]{1,200} at 0x[0-9A-Fa-f]{1,16}|class '[\w.]{1,200}'|built-in \w{1,40} [\w.]{1,200})>", re.ASCII
)
"""What a script writes that puts a function, a property or a class in place of a value."""
_JSON = compiled_later(r"\s*(?P<start>\[(?:\s*\[)*\s*\{|\{)\s*\"(?:[^\"\\\n]|\\.)*\"\s*:")
_PAGE = compiled_later(
    r"\s*(?:<!--[^\n]{0,500}-->\s*|<\?xml[^\n>]{0,200}>\s*)?(?P<start><!doctype[ \t]+html|<html\b)", re.IGNORECASE
)
_STRING_OR_COMMENT = compiled_later(r"\#[^\n\0]*|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?")
_IN_STRING = compiled_later(
    r"\$#\w+#\$|%\(\w+\)[sdfg]|\$\{\w+\}|\$\(\w+\)|\$[A-Za-z_]\w*\$?|\{\{[ \t]*\w+[ \t]*\}\}|[%@]\{\w+\}|@[A-Z_]+@",
    re.ASCII,
)

_MOST = 100

_NAMES = {
    "\xa0": "a no-break space",
    "\u2009": "a thin space",
    "\u3000": "a full-width space",
    "\u200b": "a zero-width space",
    "\u2028": "a line separator",
    "\ufeff": "a byte-order mark in the middle of the text",
    "\uff1a": "a full-width colon",
    "\u201c": "a typographic quote",
    "\u201d": "a typographic quote",
    "\u2018": "a typographic quote",
    "\u2019": "a typographic quote",
    "\u2013": "an en dash",
    "\u2014": "an em dash",
    "\u2212": "a typographic minus",
    "\uff0c": "a full-width comma",
    "\uff1b": "a full-width semicolon",
    "\uff5b": "a full-width brace",
    "\uff5d": "a full-width brace",
    "\0": "a NUL byte",
    "\x7f": "a DEL byte",
}
MEANT = {
    "\xa0": " ",
    "\u2009": " ",
    "\u3000": " ",
    "\u200b": "",
    "\u2028": "\n",
    "\ufeff": "",
    "\uff1a": ":",
    "\u201c": '"',
    "\u201d": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2013": "-",
    "\u2212": "-",
    "\uff0c": ",",
    "\uff1b": ";",
    "\uff5b": "{",
    "\uff5d": "}",
    "\0": "",
}
"""What was plainly meant instead of a character."""

_QUOTES = ("\u201c", "\u201d", "\u2018", "\u2019")


def is_strange(char: str) -> bool:
    """Whether a character (one byte of the file) has no place in prototxt outside of strings and comments."""
    return char >= "\x7f" or (char < " " and char not in " \t\r\n\f\v")


def character(text: str, start: int) -> tuple[str, int]:
    """The character whose UTF-8 starts there, and the number of its bytes; a byte that starts none is itself."""
    first = text[start]
    length = 1 if first < "\xc0" else 2 if first < "\xe0" else 3 if first < "\xf0" else 4
    try:
        return text[start : start + length].encode("latin-1").decode("utf-8"), length
    except UnicodeDecodeError:
        return first, 1


def is_letter(text: str, start: int) -> bool:
    return character(text, start)[0].isalnum()


def unreadable(text: str, start: int) -> Problem:
    """The problem of a strange character; runs of the same one are reported once."""
    char, length = character(text, start)
    end = start + length
    while text[end : end + length] == text[start : start + length]:
        end += length
    meant = MEANT.get(char) if length > 1 or char == "\0" and _stands_alone(text, start, end) else None
    repairs = (Edit(start, end, meant * ((end - start) // length)),) if meant is not None else ()
    many = f" ({(end - start) // length} times)" if end - start > length else ""
    message = f"Caffe's parser refuses {_name(char, length)} outside strings and comments{many}"
    return Problem("unreadable-character", start, end, message, True, "", repairs, bool(repairs))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether NUL bytes may go: neither in a comment, which would swallow what follows, nor in a string or a word."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if {"#", '"', "'"}.intersection(before):
        return False
    return not (before[-1:].isalnum() and text[end : end + 1].isalnum())


def _name(char: str, length: int) -> str:
    if length == 1 and char > "\x7f":
        return f"the byte 0x{ord(char):02x}"
    if char in _NAMES:
        return f"{_NAMES[char]} (U+{ord(char):04X})" if length > 1 else _NAMES[char]
    return f"{char!r} (U+{ord(char):04X})" if char.isprintable() else f"the control character U+{ord(char):04X}"


def quoted(source: Source, start: int, line_end: int) -> tuple[Problem, int, int, int] | None:
    """A text in typographic quotes on one line: its problem, content start, content end, and end."""
    text = source.text
    if character(text, start)[0] not in _QUOTES:
        return None
    for end in range(start + 3, line_end):
        closing = 1 if text[end] == '"' else 3 if text[end] == "\xe2" and character(text, end)[0] in _QUOTES else 0
        if closing:
            whole = source.slice(start, end + closing)
            message = f"{whole} is in typographic quotes, which Caffe's parser refuses; use \" on both sides"
            repairs = (Edit(start, start + 3, '"'), Edit(end, end + closing, '"'))
            problem = Problem("unreadable-character", start, end + closing, message, True, "", repairs, True)
            return problem, start + 3, end, end + closing
    return None


def stranger(text: str, position: int) -> Problem | None:
    """The one problem of a whole text that is JSON, or a web page that shows a prototxt, as GitHub has them."""
    if found := _JSON.match(text, position):
        message = "this is JSON, not prototxt, which is all that Caffe reads; not checked"
    elif (found := _PAGE.match(text, position)) and "prototxt" in text:
        message = "this is a web page, not prototxt; download the raw file (not checked)"
    else:
        return None
    return Problem("syntax-error", found.start("start"), found.start("start") + 1, message)


def placeholder_at(text: str, start: int) -> re.Match[str] | None:
    """The placeholder that begins there, in the style of any language of templates."""
    return PLACEHOLDER.match(text, start) or WRAPPED.match(text, start)


def unfilled(placeholder: re.Match[str]) -> Problem:
    """The problem of a template's placeholder, or of how Python prints an object, which nothing fills in."""
    if _PYTHON_OBJECT.fullmatch(placeholder[0]):
        message = f"{placeholder[0]} is how Python prints an object, which Caffe refuses; write a value, or remove the"
        return Problem("syntax-error", placeholder.start(), placeholder.end(), f"{message} field")
    message = f"{placeholder[0]} is an unfilled template placeholder; write a value"
    return Problem("unfilled-template", placeholder.start(), placeholder.end(), message)


def unfilled_in_strings(text: str) -> list[Problem]:
    """The problems of placeholders inside quotes, which Caffe's parser accepts."""
    found = []
    for piece in _STRING_OR_COMMENT.finditer(text):
        if piece[0][0] != "#" and (placeholder := _IN_STRING.search(text, piece.start() + 1, piece.end() - 1)):
            message = f"{placeholder[0]} looks like a placeholder, which Caffe takes literally; write the value"
            found.append(Problem("unfilled-template", placeholder.start(), placeholder.end(), message, False))
            if len(found) == _MOST:
                break
    return found


def part_of_string(text: str, placeholder: str) -> int | None:
    """Where a string begins of which a placeholder is a part, so that what fills it in has no quotes of its own."""
    for piece in _STRING_OR_COMMENT.finditer(text):
        inside = piece[0][1:-1]
        if piece[0][0] != "#" and placeholder in inside and placeholder != inside:
            if any(one[0] == placeholder for one in PLACEHOLDER.finditer(inside)):
                return piece.start()
    return None


def to_do(text: str, behind_name: int) -> tuple[int, int] | None:
    """Where a comment in place of a value says that one is still to be written."""
    found = _TO_DO.match(text, behind_name)
    if found and not found[1]:
        found = PLACEHOLDER.search(text, found.end(), end_of_line(text, found.end()))
    return found.span(found.lastindex or 0) if found else None
