"""What is shown beside and around the text: hints, lenses, outline, folds, colours."""

from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from small_project import NET, SOLVER

pytestmark = pytest.mark.asyncio
ALL = types.Range(types.Position(0, 0), types.Position(999, 0))


async def _hints(editor: Editor, name: str) -> list[str]:
    found = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.identifier(name), ALL))
    lines = editor.texts[name].splitlines()
    return [f"{lines[hint.position.line].strip()} <{hint.label}>" for hint in found or ()]


async def test_shapes_beside_tops_and_parameters_beside_layers(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    found = await _hints(editor, "net.prototxt")
    assert 'top: "conv1" <8x16x30x30>' in found
    assert "layer { <432 parameters>" in found
    assert 'top: "label" <8>' in found


async def test_rates_beside_the_policy(editor: Editor) -> None:
    await editor.open("solver.prototxt", SOLVER)
    assert await _hints(editor, "solver.prototxt") == [
        "stepsize: 1000 <lr 0.001 at 1,000, 0.0001 at 2,000>",
        "max_iter: 3000 <lr 0.01 to 0.0001>",
    ]


async def test_the_state_of_the_net_is_switched(editor: Editor) -> None:
    await editor.open("net.prototxt", NET.replace('name: "relu1"', 'name: "relu1" include { phase: TEST }'))
    lens = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.identifier("net.prototxt")))
    titles = [one.command.title for one in lens or () if one.command]
    assert titles[0].startswith("shown: TRAIN: 4 layers, 144,432 parameters")
    assert titles[1].startswith("TEST: 5 layers")
    assert any("not in TRAIN" in hint for hint in await _hints(editor, "net.prototxt"))
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("caffelint.nextState", [editor.uri("net.prototxt"), 1])
    )
    assert not any("not in" in hint for hint in await _hints(editor, "net.prototxt"))


async def test_outline_folds_selection(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    symbols = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(editor.identifier("net.prototxt"))
    )
    assert [(one.name, one.detail) for one in symbols or () if isinstance(one, types.DocumentSymbol)] == [
        ("data", "Input"),
        ("conv1", "Convolution"),
        ("relu1", "ReLU"),
        ("fc1", "InnerProduct"),
        ("loss", "SoftmaxWithLoss"),
    ]
    folds = await editor.client.text_document_folding_range_async(
        types.FoldingRangeParams(editor.identifier("net.prototxt"))
    )
    assert (0, 6) in [(one.start_line, one.end_line) for one in folds or ()]
    (chain,) = await editor.client.text_document_selection_range_async(  # type: ignore[misc]
        types.SelectionRangeParams(
            editor.identifier("net.prototxt"), [editor.position("net.prototxt", "num_output: 16", 13)]
        )
    )
    lengths = []
    while chain is not None:
        lengths.append((chain.range.end.line - chain.range.start.line, chain.range.end.character))
        chain = chain.parent
    assert lengths[0][0] == 0
    assert lengths[-1][0] == NET.count("\n")


async def test_words_have_their_kind(editor: Editor) -> None:
    await editor.open("net.prototxt", 'layer { # x\n  name: "a" bottom: "b"\n  include { phase: TEST }\n}')
    answer = await editor.client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(editor.identifier("net.prototxt"))
    )
    assert answer is not None
    lines, found = editor.texts["net.prototxt"].splitlines(), []
    line = character = 0
    for moved, start, length, kind, _ in zip(*[iter(answer.data)] * 5, strict=True):
        line, character = line + moved, start + (0 if moved else character)
        found.append((lines[line][character : character + length], kind))
    assert [word for word, _ in found] == [
        *("layer", "# x", "name", '"a"', "bottom", '"b"', "include", "phase", "TEST"),
    ]
    assert len({kind for word, kind in found if word in ('"a"', '"b"', "TEST", "layer", "name")}) == 5
