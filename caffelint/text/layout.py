"""Where a field goes in or comes out of a text so that it looks as if the author had written it.

What is put in takes the indentation, the line ends and the one-line or many-line form of what is around it. What
is taken out takes its line along, and never a comment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from caffelint.text.edits import Edit
from caffelint.text.parser import Document
from caffelint.text.tree import LIST, MESSAGE, Field

Value = str | Sequence[tuple[str, str]]
"""A scalar as it is written, or the fields of a block."""

_BLANK = " \t\r\f\v"


def put_in(document: Document, block: Field, name: str, value: Value, after: Field | None = None) -> Edit:
    """A new field of a block, after the given one or its last."""
    text = document.source.text
    last = after or (block.fields[-1] if block.fields else None)
    at = _behind_separator(text, last.end) if last else block.value_start + (block is not document.root)
    newline = _newline(text)
    line_end = _line_end(text, at)
    rest = text[at:line_end].lstrip(_BLANK)
    if rest[:1] != "#" and (rest or last and _own_indent(text, last) is None):
        field = _one_line(name, value)
        before = "" if at == 0 or text[at - 1] in " \t\n" else " "
        return Edit(at, at, f"{before}{field}{' ' if text[at : at + 1].strip() else ''}")
    indent = _indent_inside(document, block)
    many = isinstance(value, str) or not _prefers_one_line(text, block)
    lines = [f"{name}: {value}"] if isinstance(value, str) else [_one_line(name, value)]
    if many and not isinstance(value, str):
        inner = indent + _unit(document, block)
        lines = [f"{name} {{", *(f"{inner}{key}: {part}" for key, part in value), f"{indent}}}"]
    if at == 0:
        return Edit(0, 0, newline.join([*lines, ""]))
    end = line_end - text[at:line_end].endswith("\r") if newline == "\r\n" else line_end
    return Edit(end, end, "".join(newline + (indent if i == 0 else "") + line for i, line in enumerate(lines)))


def take_out(document: Document, block: Field, fields: Iterable[Field]) -> list[Edit]:
    """Fields of a block, or items of its lists, gone; touching spans are one edit."""
    text = document.source.text
    spans = []
    lists: dict[int, tuple[Field, list[Field]]] = {}
    for field in fields:
        own = block.fields[bisect_right(block.fields, field.start, key=_start) - 1]
        if own is field:
            spans.append(_whole(text, field))
        elif own.kind == LIST:
            lists.setdefault(id(own), (own, []))[1].append(field)
    for own, gone in lists.values():
        spans += [_whole(text, own)] if len(gone) == len(own.fields) else _items(own, gone)
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return [Edit(*_with_line(text, start, end), "") for start, end in merged]


def _with_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with its line where nothing else is on it: several fields may have shared it."""
    newline = _newline(text)
    left, right = _left_of_blanks(text, start, newline), end
    while right < len(text) and text[right] in _BLANK and text[right] != newline[-1]:
        right += 1
    begins = not left or text[left - 1] == newline[-1]
    ends = text[right : right + 1] == newline[-1] and text[end - 1] != newline[-1]
    return (left, right + 1) if begins and ends else (start, end)


def _items(field: Field, gone: list[Field]) -> list[tuple[int, int]]:
    """Spans of a list's items with the comma that goes with each."""
    items = field.fields
    spans = []
    for before, index in enumerate(sorted(bisect_right(items, item.start, key=_start) - 1 for item in gone)):
        if index > before:  # an item before it stays
            spans.append((items[index - 1].end, items[index].end))
        else:
            spans.append((items[index].start, items[index + 1].start))
    return spans


def _whole(text: str, field: Field) -> tuple[int, int]:
    """The span of a field with the blanks, the separator and the line that go with it."""
    start, end = field.start, _behind_separator(text, field.end)
    newline = _newline(text)
    left, right = _left_of_blanks(text, start, newline), end
    while right < len(text) and text[right] in _BLANK and text[right] != newline[-1]:
        right += 1
    if left and text[left - 1] != newline[-1]:
        touched = right == end and text[end : end + 1] not in ("", "\n", "}", ">", "#", newline[-1])
        return start if touched else left, end  # `c` in `a: 1 b: "x"c: 2`
    if right < len(text) and text[right] != newline[-1]:
        return start, right
    if right < len(text):
        return left, right + 1
    return max(left - len(newline), 0), right


def _left_of_blanks(text: str, at: int, newline: str) -> int:
    """Where the blanks of a line begin that end at a place."""
    while at and text[at - 1] in _BLANK and text[at - 1] != newline[-1]:
        at -= 1
    return at


def _one_line(name: str, value: Value) -> str:
    if isinstance(value, str):
        return f"{name}: {value}"
    inner = " ".join(f"{key}: {part}" for key, part in value)
    return f"{name} {{ {inner} }}" if inner else f"{name} {{ }}"


def _behind_separator(text: str, end: int) -> int:
    return end + 1 if text[end : end + 1] in (",", ";") else end


@lru_cache(maxsize=2)
def _newline(text: str) -> str:
    """How lines end: LF, CRLF, or CR in files without any LF."""
    first = text.find("\n")
    if first < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if text[first - 1 : first] == "\r" else "\n"


def _line_start(text: str, at: int) -> int:
    return text.rfind(_newline(text)[-1], 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find(_newline(text)[-1], at)
    return len(text) if end < 0 else end


def _is_one_line(text: str, field: Field) -> bool:
    return _line_end(text, field.start) >= field.end


def _prefers_one_line(text: str, block: Field) -> bool:
    """Are the blocks inside a block written on one line each?"""
    inner = [field for field in block.fields if field.kind == MESSAGE]
    return bool(inner) and all(_is_one_line(text, field) for field in inner)


def _own_indent(text: str, field: Field) -> str | None:
    """The blanks in front of a field that begins its line; None for one that does not."""
    start = field.start
    while start and text[start - 1] in " \t":
        start -= 1
    return text[start : field.start] if not start or text[start - 1] == _newline(text)[-1] else None


def _indent_inside(document: Document, block: Field) -> str:
    text = document.source.text
    for field in reversed(block.fields):
        indent = _own_indent(text, field)
        if indent is not None:
            return indent
    if block is document.root:
        return ""
    line = text[_line_start(text, block.start) : block.start]
    return line[: len(line) - len(line.lstrip(" \t"))] + _unit(document, block)


def _unit(document: Document, block: Field) -> str:
    """What one level is indented by: as in the block, else in the first one with a line of its own inside."""
    return _unit_of([block], document.source.text) or _unit_outside(document)


@lru_cache(maxsize=2)
def _unit_outside(document: Document) -> str:
    return _unit_of(document.root.fields, document.source.text) or "  "


def _unit_of(blocks: Sequence[Field], text: str) -> str:
    for outer in blocks:
        indent = _own_indent(text, outer)
        if indent is None:
            continue
        for field in outer.fields:
            inner = _own_indent(text, field)
            if inner is not None and len(inner) > len(indent) and inner.startswith(indent):
                return inner[len(indent) :]
    return ""


def _start(field: Field) -> int:
    return field.start
