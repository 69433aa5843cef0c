"""An editor in miniature."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient


class Editor:
    """Opens and changes texts as an editor does, and waits for what the server says of them."""

    def __init__(self, client: LanguageClient, folder: Path):
        self.client = client
        self.folder = folder
        self._versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self._heard: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._listen()

    def _listen(self) -> None:
        """All notifications are kept: two may come before a test waits for the second one."""
        self.client.protocol.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, self._hear)

    def _hear(self, params: types.PublishDiagnosticsParams) -> None:
        self._heard.put_nowait(params)
        self._listen()

    async def told(self) -> types.PublishDiagnosticsParams:
        """What the server says next."""
        return await asyncio.wait_for(self._heard.get(), 60)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def identifier(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        self._versions[name] = 1
        self.texts[name] = text
        (self.folder / name).write_text(text, encoding="utf-8")  # what is on disk is what was opened first
        item = types.TextDocumentItem(self.uri(name), "prototxt", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(name)

    async def change(self, name: str, text: str) -> list[types.Diagnostic]:
        self._versions[name] += 1
        self.texts[name] = text
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.diagnostics(name)

    async def diagnostics(self, name: str) -> list[types.Diagnostic]:
        """Those of the text as it is now; they may come in any order with those of other files."""
        while True:
            params = await self.told()
            if (params.uri, params.version) == (self.uri(name), self._versions.get(name)):
                return list(params.diagnostics)

    def position(self, name: str, part: str, inside: int = 0) -> types.Position:
        """Where a part of a text is, so many characters into it."""
        at = self.texts[name].index(part) + inside
        before = self.texts[name][:at]
        return types.Position(before.count("\n"), at - before.rfind("\n") - 1)

    def place(self, name: str, part: str, inside: int = 0) -> dict[str, object]:
        return {"text_document": self.identifier(name), "position": self.position(name, part, inside)}

    def edited(self, name: str, edit: types.WorkspaceEdit) -> str:
        """What an edit makes of a text."""
        text = self.texts[name]
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for change in edit.document_changes or ():
            if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == self.uri(name):
                for one in sorted(
                    change.edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True
                ):
                    assert isinstance(one, types.TextEdit)
                    start, end = (starts[at.line] + at.character for at in (one.range.start, one.range.end))
                    text = text[:start] + one.new_text + text[end:]
        return text
