from __future__ import annotations

import pytest
from lsp_editor import NET, SOLVER, Editor
from lsprotocol import types

pytestmark = pytest.mark.asyncio


async def _hover(editor: Editor, name: str, part: str, inside: int = 0) -> str:
    found = await editor.client.text_document_hover_async(types.HoverParams(**editor.place(name, part, inside)))
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_a_field_a_layer_a_blob_a_rule(editor: Editor) -> None:
    await editor.open("net.prototxt", "# caffelint: ignore-file[unused-blob]\n" + NET)
    field = await _hover(editor, "net.prototxt", "bias_term")
    assert field.startswith("**convolution_param.bias_term**: `optional bool, default true`")
    layer = await _hover(editor, "net.prototxt", '"Convolution"', 3)
    assert '**Convolution "conv1"**' in layer
    assert '- bottom "data" 8x3x32x32\n- top "conv1" 8x16x30x30\n- parameters 432 (16x3x3x3)' in layer
    blob = await _hover(editor, "net.prototxt", 'bottom: "conv1"', 10)
    assert blob == '**blob "conv1"**\n\n- shape 8x16x30x30\n- made by Convolution "conv1"\n- read by ReLU "relu1"'
    assert "unused-blob" in await _hover(editor, "net.prototxt", "unused-blob", 3)
    assert not await _hover(editor, "net.prototxt", "ignore-file", 3)


async def test_the_solver_says_which_stages_the_net_is_built_with(editor: Editor) -> None:
    await editor.open("net.prototxt", NET.replace('name: "relu1"', 'name: "relu1" include { stage: "more" }'))
    assert "Not part of the net" in await _hover(editor, "net.prototxt", '"ReLU"', 2)
    await editor.open("solver.prototxt", SOLVER + 'train_state { stage: "more" }')
    assert "top" in await _hover(editor, "net.prototxt", '"ReLU"', 2)


async def test_the_value_of_an_enum(editor: Editor) -> None:
    await editor.open("net.prototxt", 'layer { name: "p" type: "Pooling" pooling_param { pool: AVE } }')
    assert "Values: `MAX`, `AVE`, `STOCHASTIC`" in await _hover(editor, "net.prototxt", "AVE")
