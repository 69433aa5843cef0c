"""Writes a layer as the one before it is written: its indent, line ends and braces, on one line or many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from caffelint.text.tree import LIST, MESSAGE, Field

Item: TypeAlias = "Field | tuple[str, str | Sequence[Item]]"
"""A field of the text to be repeated, or a name with its value as it goes into the text, or a block of items."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_TAIL = re.compile(r"[ \t\f\v]*(#[^\n]*)?(?=\r?\n|\r|\Z)")
_NEAR = 1000
"""So many letters after a layer its line's end is looked for; in one line of many layers that would take long."""
_COLON = re.compile(r"[ \t]*:[ \t]*")
_BLANK = re.compile(r"\s*")
_CLOSING = {"{": "}", "<": ">"}


class Style(NamedTuple):
    """How the layers around are written.

    outer, inner: what a line begins with outside and inside of a layer's block; inner is None where a layer is on one
    line. head: `layer {`. nested: what is between the name of a block and its content. pad: what is inside of the
    braces on one line.
    """

    line_end: str
    outer: str
    inner: str | None
    head: str
    nested: str
    colon: str
    pad: str

    def layer(self, text: str, items: Sequence[Item]) -> str:
        return self._block(text, self.head, items, 0)

    def _block(self, text: str, head: str, items: Sequence[Item], depth: int) -> str:
        close = _CLOSING[head[-1]]
        fields = [self._item(text, item, depth) for item in items]
        if self.inner is None:
            return f"{head}{self.pad}{' '.join(fields)}{self.pad}{close}"
        start = self.line_end + self._indent(depth + 1)
        return head + "".join(start + field for field in fields) + self.line_end + self._indent(depth) + close

    def _item(self, text: str, item: Item, depth: int) -> str:
        if isinstance(item, Field):
            return self._again(text, item)
        name, value = item
        if isinstance(value, str):
            return f"{name}{self.colon}{value}"
        return self._block(text, f"{name}{self.nested}", value, depth + 1)

    def _indent(self, depth: int) -> str:
        if depth == 0 or self.inner is None:
            return self.outer
        unit = self.inner[len(self.outer) :] if self.inner.startswith(self.outer) else "  "
        return self.inner + (unit or "  ") * (depth - 1)

    def _again(self, text: str, field: Field) -> str:
        """A field as written in the text; its comments are not repeated."""
        written = text[field.start : field.end]
        if "#" in written or self.inner is None and _LINE_END.search(written):
            return _compact(field)
        return written


def _compact(field: Field) -> str:
    if field.kind == MESSAGE:
        return f"{field.name} {{ {' '.join(_compact(inner) for inner in field.fields)} }}"
    if field.kind == LIST:
        return " ".join(_compact(item) for item in field.fields)
    return f"{field.name}: {field.text}"


@lru_cache(maxsize=1)
def _line_end(text: str) -> str:
    found = _LINE_END.search(text)
    return found[0] if found else "\n"


@lru_cache(maxsize=2)
def style_of(text: str, layer: Field) -> Style:
    """The style of a layer's block, which is asked for once for each of its tops."""
    fields = layer.fields
    near = _LINE_END.search(text, layer.start, layer.end + _NEAR)
    line_end = near[0] if near else _line_end(text)
    head = text[layer.start : layer.value_start + 1]
    first_of_line = next((f for f in fields if _indent_of(text, f.start) is not None and f.start > layer.start), None)
    outer = _indent_of(text, layer.start)
    inner = _indent_of(text, first_of_line.start) if first_of_line else None
    if first_of_line and not _LINE_END.search(text, layer.start, first_of_line.start):
        inner = None
    if outer is None:
        outer = ""
    if "#" in head or (inner is None and _LINE_END.search(head)):
        head = "layer {"
    scalar = next((f for f in fields if f.kind not in (MESSAGE, LIST)), None)
    colon = text[scalar.start + len(scalar.name) : scalar.value_start] if scalar else ": "
    block = next((f for f in fields if f.kind == MESSAGE and f.start < f.value_start), None)
    if block:
        nested = text[block.start + len(block.name) : block.value_start + 1]
    else:
        nested = head[len(layer.name) :]
    if "#" in nested or nested[-1:] not in _CLOSING or (inner is None and _LINE_END.search(nested)):
        nested = " {"
    tight = inner is None and fields and fields[0].start == layer.value_start + 1
    return Style(line_end, outer, inner, head, nested, colon if _COLON.fullmatch(colon) else ": ", "" if tight else " ")


def place_after(text: str, node: Field, style: Style) -> tuple[int, str]:
    """The offset for a block after a node, and the space to put before the block.

    A comment on the node's line stays before the block, and the space that follows stays after it, so that removing the
    block and all space before it gives the old text back.
    """
    at = node.end
    if text[at : at + 1] in (";", ","):
        at += 1
    tail = _TAIL.match(text, at)
    if tail is None:
        return at, " "
    line_end = style.line_end
    if tail[1]:
        at = tail.start(1) + len(tail[1].rstrip())
        if line_end == "\r":  # which ends no comment
            line_end = "\n"
    gap = _BLANK.match(text, at)
    lines = len(_LINE_END.findall(gap[0])) if gap and gap.end() < len(text) else _blank_lines_before(text, node)
    return at, line_end * max(1, min(lines, 2)) + style.outer


def _blank_lines_before(text: str, node: Field) -> int:
    """At the end of a file: how the node itself follows what is before it."""
    before = text[: node.start]
    return len(_LINE_END.findall(before[len(before.rstrip()) :])) if before.strip() else 1


def _indent_of(text: str, offset: int) -> str | None:
    """The space that begins a line, where the offset is the first thing on it; else None."""
    start = offset
    while start and text[start - 1].isspace() and text[start - 1] not in "\r\n":
        start -= 1
    return text[start:offset] if not start or text[start - 1] in "\r\n" else None


def quote(value: str) -> str:
    """A string as a scalar of the text format; not ASCII is kept as UTF-8, one character a byte."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'".encode().decode("latin-1")
