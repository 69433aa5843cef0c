"""The parts of a text: its outline, what can be folded, and what a selection grows to."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import (
    DocumentSymbol,
    DocumentSymbolParams,
    FoldingRange,
    FoldingRangeKind,
    FoldingRangeParams,
    SelectionRange,
    SelectionRangeParams,
    SymbolKind,
)

from caffelint.lsp.documents import View
from caffelint.lsp.spot import spot
from caffelint.text.scalars import string_value
from caffelint.text.tree import LIST, MESSAGE, STRING, Field

_DEEPEST = 16

_NESTED = 100
"""Blocks around a value, beyond which a range that holds the range around it cannot be written as JSON."""


def symbols(view: View, params: DocumentSymbolParams) -> list[DocumentSymbol]:
    """Layers by name, with their blocks below them; of a solver its fields."""
    return [_symbol(view, field, 0) for field in view.file.document.root.fields]


def _symbol(view: View, field: Field, depth: int) -> DocumentSymbol:
    is_layer = field.kind == MESSAGE and field.name in ("layer", "layers")
    name, detail, kind = field.name, field.text[:80], SymbolKind.Property
    if is_layer:
        name, detail, kind = _text(field, "name") or field.name, _text(field, "type"), SymbolKind.Class
    elif field.kind == MESSAGE:
        detail, kind = "", SymbolKind.Object
    blocks = [one for one in field.fields if one.kind == MESSAGE] if depth < _DEEPEST and field.kind == MESSAGE else []
    chosen = field.first("name") if is_layer else None
    span = chosen.value_span if chosen and field.start <= chosen.start and chosen.end <= field.end else field.name_span
    return DocumentSymbol(
        name or "?",
        kind,
        view.lines.range(*field.span),
        view.lines.range(max(span.start, field.start), min(span.end, field.end)),
        detail or None,
        children=[_symbol(view, one, depth + 1) for one in blocks] or None,
    )


def _text(block: Field, name: str) -> str:
    field = block.first(name)
    return "" if field is None else string_value(field.text) if field.kind == STRING else field.text


def folds(view: View, params: FoldingRangeParams) -> list[FoldingRange]:
    """Blocks and lists of several lines, and comments."""
    found = [
        FoldingRange(first, last)
        for field in view.file.document.root.walk()
        if field.name
        and field.kind in (MESSAGE, LIST)
        and (first := view.lines.position(field.start).line) < (last := view.lines.position(field.end).line)
    ]
    return [*found, *_comments(view)]


def _comments(view: View) -> Iterator[FoldingRange]:
    first = last = -2
    for start, _ in view.file.document.comments():
        position = view.lines.position(start)
        if view.text[view.lines.starts[position.line] : start].strip():
            continue
        if position.line != last + 1:
            if last > first:
                yield FoldingRange(first, last, kind=FoldingRangeKind.Comment)
            first = position.line
        last = position.line
    if last > first:
        yield FoldingRange(first, last, kind=FoldingRangeKind.Comment)


def selections(view: View, params: SelectionRangeParams) -> list[SelectionRange]:
    """A value, its field, the block around that, and so on."""
    found = []
    for position in params.positions:
        offset = view.lines.offset(position)
        here = spot(view.file, offset)
        fields = list(here.fields) if here else _around(view.file.document.root, offset)
        chain = SelectionRange(view.lines.range(0, len(view.lines.data)))
        for field in fields[-_NESTED:]:
            chain = SelectionRange(view.lines.range(*field.span), chain)
        if here:
            inner = here.field.name_span if here.in_name else here.field.value_span
            chain = SelectionRange(view.lines.range(*inner), chain)
        found.append(chain)
    return found


def _around(block: Field, offset: int) -> list[Field]:
    """The blocks that a byte is in."""
    found: list[Field] = []
    while inner := next((one for one in block.fields if one.fields and one.start <= offset <= one.end), None):
        found.append(inner)
        block = inner
    return found
