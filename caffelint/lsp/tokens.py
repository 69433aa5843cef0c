"""What each word of a text is, for its colour: exact where a grammar of an editor can only guess."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import SemanticTokens, SemanticTokensLegend, SemanticTokensParams

from caffelint.lsp.documents import View
from caffelint.lsp.names import BLOB, LAYER, PARAM, kind_of
from caffelint.text.tree import BROKEN, FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, STRING, Field

_TYPES = [
    "namespace",
    "property",
    "string",
    "number",
    "enumMember",
    "keyword",
    "variable",
    "class",
    "type",
    "parameter",
    "comment",
]
LEGEND = SemanticTokensLegend(_TYPES, ["declaration"])
_NUMBER = {name: number for number, name in enumerate(_TYPES)}
_OF_NAMES = {BLOB: "variable", LAYER: "class", PARAM: "parameter"}
_WORDS = frozenset(["true", "false", "True", "False", "t", "f"])


def tokens(view: View, params: SemanticTokensParams) -> SemanticTokens:
    """All of a text, each relative to the one before, as the protocol has them."""
    found = [
        *_of_fields(view.file.document.root),
        *((start, end, "comment") for start, end in view.file.document.comments()),
    ]
    data: list[int] = []
    line = character = done = 0
    for start, end, type_ in sorted(found):
        if start < done or end <= start:
            continue
        done = end
        first, last = view.lines.position(start), view.lines.position(end)
        if first.line != last.line:
            continue
        moved = first.line - line
        length = last.character - first.character
        data += (moved, first.character - (0 if moved else character), length, _NUMBER[type_], 0)
        line, character = first.line, first.character
    return SemanticTokens(data)


def _of_fields(root: Field) -> Iterator[tuple[int, int, str]]:
    pending: list[tuple[Field, tuple[str, ...]]] = [(root, ())]
    while pending:
        block, blocks = pending.pop()
        for field in block.fields:
            if field.start != field.value_start and field.kind != BROKEN:
                yield *field.name_span, "namespace" if field.kind == MESSAGE else "property"
            if field.kind == MESSAGE:
                pending.append((field, (field.name,)))  # the innermost block tells what a name is of
                continue
            for item in field.fields if field.kind == LIST else (field,):
                if item.kind == MESSAGE:
                    pending.append((item, (item.name,)))
                else:
                    yield item.value_start, item.end, _type(item, blocks)


def _type(field: Field, blocks: tuple[str, ...]) -> str:
    if field.kind == STRING:
        named = _OF_NAMES.get(kind_of(blocks, field.name))
        return named or ("type" if field.name == "type" else "string")
    if field.kind == IDENTIFIER:
        return "keyword" if field.text in _WORDS else "enumMember"
    return "number" if field.kind in (INTEGER, FLOAT) else "string"
