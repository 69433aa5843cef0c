"""Whatever state a text is in while it is typed, every question is answered, and the log has no failure of ours."""

from __future__ import annotations

import random
from pathlib import Path

import bench_curves
import bench_texts
import pytest
from lsprotocol import types
from seeds import NIGHTLY, SEED, draws

from caffelint.lsp.actions import code_actions, resolve
from caffelint.lsp.calls import incoming_calls, outgoing_calls, prepare_calls
from caffelint.lsp.completion import complete
from caffelint.lsp.diagnostics import diagnostics
from caffelint.lsp.documents import Documents
from caffelint.lsp.hints import hints, lenses
from caffelint.lsp.hover import hover
from caffelint.lsp.navigation import definition, highlights, links, prepare_rename, references, rename
from caffelint.lsp.outline import folds, selections, symbols
from caffelint.lsp.tokens import tokens

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "fixtures").rglob("*.prototxt"))
WHOLE = types.Range(types.Position(0, 0), types.Position(99999, 0))


def _ask_everything(documents: Documents, uri: str, text: str, offset: int) -> None:
    path = documents.put(uri, 1, text)
    checked = documents.check(path)
    assert not checked.failures, checked.failures
    shown = {file: diagnostics(file, found, documents) for file, found in checked.findings.items()}
    view = documents.view(uri)
    assert view is not None
    last = view.lines.position(len(view.lines.data))
    for one in shown.get(view.path, ()):
        assert (one.range.start.line, one.range.start.character) <= (one.range.end.line, one.range.end.character)
        assert one.range.end.line <= last.line
    document = types.TextDocumentIdentifier(uri)
    position = view.lines.position(offset)
    assert view.lines.offset(position) <= len(view.lines.data)
    for snippets in (True, False):
        complete(view, types.CompletionParams(document, position), snippets)
    hover(view, types.HoverParams(document, position))
    definition(documents, view, types.DefinitionParams(document, position))
    references(documents, view, types.ReferenceParams(types.ReferenceContext(True), document, position))
    highlights(documents, view, types.DocumentHighlightParams(document, position))
    links(documents, view, types.DocumentLinkParams(document))
    if prepare_rename(documents, view, types.PrepareRenameParams(document, position)):
        rename(documents, view, types.RenameParams(document, position, "another_name"))
    for item in prepare_calls(documents, view, types.CallHierarchyPrepareParams(document, position)) or ():
        incoming_calls(documents, view, types.CallHierarchyIncomingCallsParams(item))
        outgoing_calls(documents, view, types.CallHierarchyOutgoingCallsParams(item))
    symbols(view, types.DocumentSymbolParams(document))
    folds(view, types.FoldingRangeParams(document))
    selections(view, types.SelectionRangeParams(document, [position]))
    assert len(tokens(view, types.SemanticTokensParams(document)).data) % 5 == 0
    for state in (0, 1):
        hints(view, types.InlayHintParams(document, WHOLE), state)
        lenses(view, types.CodeLensParams(document), state)
    found = code_actions(documents, view, types.CodeActionParams(document, WHOLE, types.CodeActionContext([])))
    for action in found[:3]:
        resolve(documents, action)


@pytest.mark.parametrize("number", range(draws(10, 50)))
def test_texts_that_are_being_typed(number: int) -> None:
    """Prefixes of a file, and the file with a character less: some in each run, all at night."""
    choice = random.Random(SEED + 1600 + number)
    file = choice.choice([file for file in FILES if file.stat().st_size < 20_000])
    text = file.read_text(encoding="utf-8", errors="replace")
    documents = Documents(isolated=True)
    places = range(len(text) + 1) if NIGHTLY else [choice.randrange(len(text) + 1) for _ in range(12)]
    for at in places:
        for broken in (text[:at], text[: max(0, at - 1)] + text[at:]):
            _ask_everything(documents, file.as_uri(), broken, len(broken[:at].encode()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "layer",
        "layer {",
        'layer { name: "',
        "layer { top: [",
        "}}}}",
        "layers { layer { name: 'a' } } layer < name: 'b' >",
        'layer { name: "\\' + "u0000" + '" type: "" top: "" }',
        "\ufeffname: 'x'\r\rlayer { }\r\n\x0c\u2028 # \U0001f600",
        "base_lr: \ud800 net: '../../../../etc/passwd'",
        "layer { " * 300,
    ],
)
def test_texts_that_nobody_types(text: str) -> None:
    documents = Documents(isolated=True)
    for offset in {0, len(text) // 2, len(text)}:
        _ask_everything(documents, (ROOT / "nowhere" / "net.prototxt").as_uri(), text, offset)


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "file:///", "git:/a/b.prototxt?x", "file:///a%00b.prototxt", ""]
)
def test_uris_of_no_file(uri: str) -> None:
    _ask_everything(Documents(isolated=True), uri, 'layer { name: "a" type: "ReLU" bottom: "x" top: "y" }', 20)


@pytest.mark.parametrize(
    "name", ["layers", "layers that read one blob", "bottoms of a layer", "tops of a layer", "blobs of one Concat"]
)
def test_what_is_asked_grows_no_faster_than_the_text(name: str, tmp_path: Path) -> None:
    def asked(size: int) -> int:
        text = bench_texts.TEXTS[name](size)
        documents = Documents(isolated=True)
        uri = (tmp_path / "net.prototxt").as_uri()
        offset = text.find('"', len(text) // 2) + 1
        _ask_everything(documents, uri, text, offset)
        return bench_curves.calls(lambda: _ask_everything(documents, uri, text, offset))

    before = asked(96)
    assert asked(384) < 4.6 * before
