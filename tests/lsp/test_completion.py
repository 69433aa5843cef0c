from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from small_project import NET, SOLVER

pytestmark = pytest.mark.asyncio


async def _offers(editor: Editor, name: str, text: str) -> list[str]:
    """What is offered where the text has a bar."""
    await editor.open(name, text.replace("|", ""))
    editor.texts[name] = text
    place = editor.place(name, "|")
    answer = await editor.client.text_document_completion_async(types.CompletionParams(**place))
    return [item.label for item in answer.items] if isinstance(answer, types.CompletionList) else []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('layer { name: "a" type: "|" }', "Data"),
        (NET + 'layer { name: "b" | }', "type"),
        (NET + 'layer { name: "b" type: "ReLU" bottom: "|', "loss"),
        (NET + 'layer { name: "p" type: "Pooling" pooling_param { pool: | } }', "MAX"),
        (NET + 'layer { name: "c" type: "Convolution" | }', "bottom"),
        ('layer { name: "c" type: "Convolution" convolution_param { weight_filler { type: "|', "constant"),
        ('layer { type: "Softmax" include { phase: |', "TRAIN"),
    ],
)
async def test_the_likeliest_comes_first(editor: Editor, text: str, first: str) -> None:
    assert (await _offers(editor, "net.prototxt", text))[0] == first


async def test_a_solver_s_fields_values_and_files(editor: Editor) -> None:
    (editor.folder / "net.prototxt").write_text(NET)
    assert "net.prototxt" in await _offers(editor, "one.prototxt", 'base_lr: 1 net: "|"')
    assert (await _offers(editor, "two.prototxt", 'base_lr: 1 lr_policy: "|"'))[:2] == ["fixed", "step"]
    fields = await _offers(editor, "three.prototxt", SOLVER + "|")
    assert "momentum" in fields
    assert "net" not in fields
    assert "Adam" in await _offers(editor, "four.prototxt", 'base_lr: 1 type: "|"')


async def test_nothing_in_comments_and_unknown_blocks(editor: Editor) -> None:
    assert await _offers(editor, "net.prototxt", NET + "# |") == []
    assert await _offers(editor, "other.prototxt", NET + "layer { what { | } }") == []


async def test_a_block_above_without_its_brace(editor: Editor) -> None:
    text = NET.replace("  }\n}\nlayer { name", "  \nlayer { name") + 'layer { name: "x" type: "ReLU" bottom: "|" }'
    assert "fc1" in await _offers(editor, "net.prototxt", text)
