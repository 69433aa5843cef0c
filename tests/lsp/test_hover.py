from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from small_project import NET, SOLVER

from caffelint.cli.scaled import Asked, scaled
from caffelint.lint.config import Config

DUMMY = 'dummy_data_param { data_filler { type: "gaussian" } data_filler { type: "constant" } '

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


async def test_a_net_with_input_fields_and_layers_of_the_older_format(editor: Editor) -> None:
    text = 'input: "data" input_dim: 8 input_dim: 3 input_dim: 9 input_dim: 9\n'
    text += 'layers { name: "pool" type: POOLING bottom: "data" top: "pool" pooling_param { kernel_size: 3 } }\n'
    await editor.open("net.prototxt", text)
    layer = await _hover(editor, "net.prototxt", "POOLING", 2)
    assert '- top "pool" 8x3x7x7' in layer
    assert 'Caffe reads it as\n```\nlayer {\n  name: "pool"\n  type: "Pooling"\n' in layer
    blob = await _hover(editor, "net.prototxt", 'bottom: "data"', 10)
    assert blob == '**blob "data"**\n\n- shape 8x3x9x9\n- made by Input "input"\n- read by Pooling "pool"'
    assert await _hover(editor, "net.prototxt", 'input: "data"', 9) == blob


async def test_the_value_of_an_enum(editor: Editor) -> None:
    await editor.open("net.prototxt", 'layer { name: "p" type: "Pooling" pooling_param { pool: AVE } }')
    assert "Values: `MAX`, `AVE`, `STOCHASTIC`" in await _hover(editor, "net.prototxt", "AVE")


async def test_whether_a_loss_reaches_a_layer(editor: Editor) -> None:
    side = (
        'layer { name: "side" type: "InnerProduct" bottom: "conv1" top: "side" inner_product_param { num_output: 2 } }'
    )
    await editor.open("net.prototxt", NET.replace('top: "fc1"', 'top: "fc1" param { lr_mult: 0 }') + side)
    assert "- runs backward\n" in await _hover(editor, "net.prototxt", '"Convolution"', 3)
    fc1 = await _hover(editor, "net.prototxt", 'type: "InnerProduct"', 9)
    assert "- runs backward; lr_mult 0, so its parameters stay as they are" in fc1
    assert "- no backward pass: no loss depends on it" in await _hover(editor, "net.prototxt", '"side" type', 2)
    await editor.change("net.prototxt", NET.replace('top: "conv1"\n', 'top: "conv1" param { lr_mult: 0 }\n'))
    relu1 = await _hover(editor, "net.prototxt", '"ReLU"', 2)
    assert "- no backward pass: no gradient is needed, or none arrives" in relu1


async def test_what_a_layer_begins_with(editor: Editor) -> None:
    """The figures are those of `caffelint scales`."""
    net = NET.replace('"Input"', '"DummyData"').replace("input_param { shape", DUMMY + "shape")
    await editor.open("net.prototxt", net)
    await editor.open("solver.prototxt", SOLVER)
    path = str(editor.folder / "net.prototxt")
    rows = scaled(Asked(path), Config()).rows
    for layer in ("conv1", "fc1"):
        row = next(row for row in rows if row.layer.name == layer)
        assert row.size
        assert row.gradient
        told = f'before the first update "{layer}" is about {row.size:.3g}, its gradient {row.gradient:.3g}'
        assert told in await _hover(editor, "net.prototxt", f'name: "{layer}"', 8)
    assert "- first loss 2." in await _hover(editor, "net.prototxt", '"SoftmaxWithLoss"', 3)
    await editor.change("solver.prototxt", SOLVER + 'weights: "a.caffemodel"')
    assert "before the first update" not in await _hover(editor, "net.prototxt", 'name: "fc1"', 8)
