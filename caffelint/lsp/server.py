"""What the editor asks, and who answers it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from caffelint import __version__
from caffelint.lint.report import own_failure
from caffelint.lsp.actions import code_actions, resolve
from caffelint.lsp.calls import incoming_calls, outgoing_calls, prepare_calls
from caffelint.lsp.completion import complete
from caffelint.lsp.diagnostics import diagnostics
from caffelint.lsp.documents import Documents, View, fs_path, path_of
from caffelint.lsp.hints import NEXT_STATE, hints, lenses
from caffelint.lsp.hover import hover
from caffelint.lsp.navigation import definition, highlights, links, prepare_rename, references, rename
from caffelint.lsp.outline import folds, selections, symbols
from caffelint.lsp.tokens import LEGEND, tokens

DELAY = 0.3
"""Seconds after the last key until a changed text is checked."""

Answer = TypeVar("Answer")


class Server(LanguageServer):
    """One editor's. All is done on one thread, each after the other: what is answered is of the text as it then is.

    Texts come whole: pygls takes form feeds and the like for line ends when it applies a part, and editors do not.
    """

    def __init__(self, config_file: Path | None, isolated: bool) -> None:
        super().__init__("caffelint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.documents = Documents(config_file, isolated)
        self.takes_snippets = False
        self.shown: dict[str, int] = {}
        """The number of the state of the net that hints are about, by real path."""
        self._published: dict[str, set[str]] = {}
        """For each open file, the files that were judged with it, by real path."""
        self._waiting: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def soon(self, path: str, delay: float = DELAY) -> None:
        """Check an open file and what goes with it, once nothing changed for so many seconds."""
        self._waiting.add(path)
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(delay, self._check_waiting)

    def _check_waiting(self) -> None:
        waiting, self._waiting = self._waiting, set()
        # A solver that names another net now leaves the old one, which says less then.
        before = {path for changed in waiting for path in self._published.get(changed, ())}
        done: set[str] = set()
        for path in sorted(waiting) + sorted(before - waiting):
            if path in self.documents.opened and path not in done:
                try:
                    done |= self._check(path)
                except Exception as error:
                    self.say(own_failure(path, error).message, types.MessageType.Error)

    def _check(self, path: str) -> set[str]:
        """Check a file and publish what is found; the files that were judged."""
        checked = self.documents.check(path)
        for file, findings in checked.findings.items():
            self._publish(file, diagnostics(file, findings, self.documents))
        together = set(checked.findings)
        for other in together & self.documents.opened.keys():
            self._published[other] = together
        for line in checked.failures:
            self.say(line, types.MessageType.Error)
        while self.documents.complaints:
            line = self.documents.complaints.pop()
            self.say(line, types.MessageType.Warning)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"caffelint: {line}"))
        return together

    def closed(self, path: str) -> None:
        """Take back what no open file has to do with any more."""
        gone = self._published.pop(path, {path})
        for left in gone.difference(*self._published.values()):
            self._publish(left, [])

    def check_all(self, delay: float = 0.0) -> None:
        for path in self.documents.opened:
            self.soon(path, delay)

    def _publish(self, path: str, found: list[types.Diagnostic]) -> None:
        opened = self.documents.opened.get(path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.documents.uri(path), found, opened.version if opened else None)
        )

    def refresh_hints(self) -> None:
        """Have the editor ask again for what is shown beside the text, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Show an error, unless nothing can be sent."""
        if source is not JsonRpcInternalError:
            super().report_server_error(error, source)

    def stop(self) -> None:
        """Check nothing any more."""
        if self._timer:
            self._timer.cancel()

    def say(self, line: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """A line in the editor's log of the server."""
        self.window_log_message(types.LogMessageParams(kind, line))

    def answer(self, uri: str, ask: Callable[[View], Answer]) -> Answer | None:
        """What `ask` says of an open text; None where it is not open, or, with a line in the log, where that fails."""
        try:
            view = self.documents.view(uri)
            return ask(view) if view else None
        except JsonRpcInvalidParams:
            raise
        except Exception as error:
            self.say(own_failure(uri, error).message, types.MessageType.Error)
            return None


def server(config_file: Path | None = None, isolated: bool = False) -> Server:
    """A server with all its features; `start_io()` runs it. For the settings see `load_config` of lint."""
    made = Server(config_file, isolated)
    _texts(made)
    _questions(made)
    return made


def _texts(server: Server) -> None:
    """What the editor tells."""
    documents = server.documents

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
        workspace = params.capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        documents.takes_document_changes = bool(edits and edits.document_changes)
        text = params.capabilities.text_document
        item = text.completion.completion_item if text and text.completion else None
        server.takes_snippets = bool(item and item.snippet_support)
        root = fs_path(folders[0])
        if root and os.path.isdir(root):
            os.chdir(root)  # Caffe looks for nets and data from where it is started, and that is the likeliest place

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        documents.encoding = server.workspace.position_encoding or types.PositionEncodingKind.Utf16

    @server.feature(types.EXIT)
    def ends(*_: object) -> None:
        server.stop()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        text = params.text_document
        server.soon(documents.put(text.uri, text.version, text.text), 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        text = params.text_document
        for change in params.content_changes:
            path = documents.put(text.uri, text.version, change.text)
            server.soon(path)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(documents.close(params.text_document.uri))
        server.check_all()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        documents.files_changed()
        server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        documents.files_changed()
        server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        documents.files_changed()
        server.check_all()


def _questions(server: Server) -> None:
    """What the editor asks of an open text."""
    documents = server.documents

    def answers(method: str, ask: Callable[[View, Any], Any], options: Any = None) -> None:
        def answer(params: Any) -> Any:
            asked = params.item if hasattr(params, "item") else params.text_document
            return server.answer(asked.uri, lambda view: ask(view, params))

        server.feature(method, options)(answer)

    def answers_with_files(method: str, ask: Callable[[Documents, View, Any], Any], options: Any = None) -> None:
        answers(method, lambda view, params: ask(documents, view, params), options)

    answers(types.TEXT_DOCUMENT_HOVER, hover)
    answers(
        types.TEXT_DOCUMENT_COMPLETION,
        lambda view, params: complete(view, params, server.takes_snippets),
        types.CompletionOptions(trigger_characters=['"', ":", " ", "/"]),
    )
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll, types.CodeActionKind.RefactorRewrite]
    answers_with_files(
        types.TEXT_DOCUMENT_CODE_ACTION, code_actions, types.CodeActionOptions(kinds, resolve_provider=True)
    )

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve_action(action: types.CodeAction) -> types.CodeAction:
        return resolve(documents, action)

    answers_with_files(types.TEXT_DOCUMENT_DEFINITION, definition)
    answers_with_files(types.TEXT_DOCUMENT_REFERENCES, references)
    answers_with_files(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, highlights)
    answers_with_files(types.TEXT_DOCUMENT_DOCUMENT_LINK, links)
    answers_with_files(types.TEXT_DOCUMENT_PREPARE_RENAME, prepare_rename)
    answers_with_files(types.TEXT_DOCUMENT_RENAME, rename, types.RenameOptions(prepare_provider=True))
    answers_with_files(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, prepare_calls)
    answers_with_files(types.CALL_HIERARCHY_INCOMING_CALLS, incoming_calls)
    answers_with_files(types.CALL_HIERARCHY_OUTGOING_CALLS, outgoing_calls)
    answers(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, symbols)
    answers(types.TEXT_DOCUMENT_FOLDING_RANGE, folds)
    answers(types.TEXT_DOCUMENT_SELECTION_RANGE, selections)
    answers(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, tokens, LEGEND)

    def state(view: View) -> int:
        return server.shown.get(view.path, 0)

    answers(types.TEXT_DOCUMENT_INLAY_HINT, lambda view, params: hints(view, params, state(view)))
    answers(types.TEXT_DOCUMENT_CODE_LENS, lambda view, params: lenses(view, params, state(view)))

    @server.command(NEXT_STATE)
    def next_state(uri: str, steps: int = 1) -> None:
        path = path_of(uri)
        server.shown[path] = server.shown.get(path, 0) + max(1, steps)
        server.refresh_hints()
