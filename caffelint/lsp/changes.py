"""Changes of texts as the editor is to make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from lsprotocol.types import (
    CreateFile,
    CreateFileOptions,
    OptionalVersionedTextDocumentIdentifier,
    Position,
    Range,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

from caffelint.lsp.documents import Documents, real
from caffelint.lsp.positions import Lines
from caffelint.text.edits import Edit, with_line_ends_of

_MOST_LINES = 3000
"""Lines that differ; more are replaced as one, since to match them takes too long."""


def workspace_edit(
    documents: Documents, edits: Mapping[str, Iterable[Edit]], created: Mapping[str, bytes] | None = None
) -> WorkspaceEdit | None:
    """Edits by path, and new files; None where a file cannot be read, or the editor cannot create one."""
    found: dict[str, list[TextEdit]] = {}
    for path, own in edits.items():
        lines = documents.lines(path)
        if lines is None:
            return None
        found[path] = [_text_edit(lines, edit) for edit in own]
    if not documents.takes_document_changes:
        return None if created else WorkspaceEdit(changes={documents.uri(path): own for path, own in found.items()})
    changes: list[TextDocumentEdit | CreateFile] = []
    for path, data in (created or {}).items():
        whole = [TextEdit(Range(Position(0, 0), Position(0, 0)), data.decode())]
        changes += [
            CreateFile(documents.uri(path), options=CreateFileOptions(ignore_if_exists=True)),
            TextDocumentEdit(OptionalVersionedTextDocumentIdentifier(documents.uri(path)), whole),
        ]
    for path, made in found.items():
        opened = documents.opened.get(real(path))
        version = opened.version if opened else None
        changes.append(TextDocumentEdit(OptionalVersionedTextDocumentIdentifier(documents.uri(path), version), made))
    return WorkspaceEdit(document_changes=changes)


def rewritten(old: bytes, new: bytes) -> list[Edit]:
    """The edits that make one text of another, by lines, so that cursors and folds elsewhere stay."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    first = next((i for i, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), None)
    first = min(len(before), len(after)) if first is None else first
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    middle = before[first : len(before) - last], after[first : len(after) - last]
    if sum(map(len, middle)) > _MOST_LINES:
        return [Edit(starts[first], starts[len(before) - last], _text(middle[1]))]
    blocks = SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    return [
        Edit(starts[first + a], starts[first + b], _text(middle[1][c:d]))
        for kind, a, b, c, d in blocks
        if kind != "equal"
    ]


def _text(lines: Iterable[bytes]) -> str:
    return b"".join(lines).decode("utf-8", "surrogateescape")


def _text_edit(lines: Lines, edit: Edit) -> TextEdit:
    text = with_line_ends_of(lines.data, edit.text)
    return TextEdit(lines.range(edit.start, edit.end), text.encode("utf-8", "replace").decode())
