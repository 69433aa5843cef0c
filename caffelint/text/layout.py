"""Where a field goes in or comes out of a text so that it looks as if the author had written it.

What is put in takes the indentation, the line ends and the one-line or many-line form of what stands around it. What
is taken out takes its line along, and never a comment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from caffelint.text.edits import Edit
from caffelint.text.parser import Document
from caffelint.text.tree import LIST, MESSAGE, Field

Value = str | Sequence[tuple[str, str]]
"""A scalar as it is written, or the fields of a block."""

_BLANK = " \t\r\f\v"


def put_in(document: Document, block: Field, name: str, value: Value, behind: Field | None = None) -> Edit:
    """A new field of a block, behind the given one or its last."""
    text = document.source.text
    last = behind or (block.fields[-1] if block.fields else None)
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
    gone = list(fields)
    spans = []
    # What holds each of them: itself, or the list that it is an item of.
    for field in dict.fromkeys(block.fields[bisect_right(block.fields, one.start, key=_start) - 1] for one in gone):
        if field in gone or field.kind == LIST and field.fields and all(item in gone for item in field.fields):
            spans.append(_whole(text, field))
        elif field.kind == LIST:
            spans += _items(field, gone)
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return [Edit(start, end, "") for start, end in merged]


def _start(field: Field) -> int:
    return field.start


def _items(field: Field, gone: list[Field]) -> list[tuple[int, int]]:
    """Spans of a list's items with the comma that goes with each."""
    items = field.fields
    return [
        (items[index - 1].end, item.end)
        if any(other not in gone for other in items[:index])
        else (item.start, items[index + 1].start)
        for index, item in enumerate(items)
        if item in gone
    ]


def _whole(text: str, field: Field) -> tuple[int, int]:
    """The span of a field with the blanks, the separator and the line that go with it."""
    start, end = field.start, _behind_separator(text, field.end)
    line_start, line_end = _line_start(text, start), _line_end(text, end)
    before, behind = text[line_start:start], text[end:line_end]
    if before.strip(_BLANK):
        touched = behind[:1] not in _BLANK + "}>#"  # `c` in `a: 1 b: "x"c: 2`
        return start if touched else start - (len(before) - len(before.rstrip(_BLANK))), end
    if behind.strip(_BLANK):
        return start, end + len(behind) - len(behind.lstrip(_BLANK))
    if line_end < len(text):
        return line_start, line_end + 1
    return max(line_start - len(_newline(text)), 0), line_end


def _one_line(name: str, value: Value) -> str:
    if isinstance(value, str):
        return f"{name}: {value}"
    inner = " ".join(f"{key}: {part}" for key, part in value)
    return f"{name} {{ {inner} }}" if inner else f"{name} {{ }}"


def _behind_separator(text: str, end: int) -> int:
    return end + 1 if text[end : end + 1] in (",", ";") else end


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
    before = text[_line_start(text, field.start) : field.start]
    return before if not before.strip(" \t") else None


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
    text = document.source.text
    for outer in (block, *document.root.fields):
        indent = _own_indent(text, outer)
        for field in outer.fields:
            inner = _own_indent(text, field)
            if inner is not None and indent is not None and len(inner) > len(indent) and inner.startswith(indent):
                return inner[len(indent) :]
    return "  "
