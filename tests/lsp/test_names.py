from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from small_project import NET, SOLVER

from caffelint.caffe.states import TRAIN, State
from caffelint.lint.file import loaded

OTHER = """layer { name: "x" type: "DummyData" top: "conv1" dummy_data_param { shape { dim: 4 } } }
layer { name: "y" type: "Silence" bottom: "conv1" }
"""

pytestmark = pytest.mark.asyncio


async def test_a_bottom_leads_to_the_layer_that_made_it_last(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    params = types.DefinitionParams(**editor.place("net.prototxt", 'bottom: "conv1"\n', 10))
    (found,) = await editor.client.text_document_definition_async(params)  # type: ignore[misc]
    line = NET.splitlines()[found.range.start.line]
    assert "relu1" in line  # in place, after conv1


async def test_a_solver_leads_to_its_net(editor: Editor) -> None:
    (editor.folder / "net.prototxt").write_text(NET)
    await editor.open("solver.prototxt", SOLVER)
    params = types.DefinitionParams(**editor.place("solver.prototxt", "net.prototxt", 2))
    (found,) = await editor.client.text_document_definition_async(params)  # type: ignore[misc]
    assert found.uri == editor.uri("net.prototxt")
    links = await editor.client.text_document_document_link_async(
        types.DocumentLinkParams(editor.identifier("solver.prototxt"))
    )
    assert [link.target for link in links or ()] == [editor.uri("net.prototxt")]


async def test_a_blob_is_renamed_everywhere(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    place = editor.place("net.prototxt", 'bottom: "conv1"', 10)
    references = await editor.client.text_document_references_async(
        types.ReferenceParams(**place, context=types.ReferenceContext(include_declaration=True))
    )
    assert len(references or ()) == 4
    edit = await editor.client.text_document_rename_async(types.RenameParams(**place, new_name="first"))
    assert edit is not None
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert [one.new_text for one in change.edits if isinstance(one, types.TextEdit)] == ['"first"'] * 4
    with pytest.raises(JsonRpcException, match='there is already a blob "fc1"'):
        await editor.client.text_document_rename_async(types.RenameParams(**place, new_name="fc1"))


async def test_a_layer_is_renamed_in_all_nets_of_the_solver(editor: Editor) -> None:
    await editor.open("test.prototxt", NET)
    await editor.open("net.prototxt", NET)
    await editor.open(
        "solver.prototxt", SOLVER.replace("net:", "train_net:") + 'test_net: "test.prototxt" test_iter: 1'
    )
    edit = await editor.client.text_document_rename_async(
        types.RenameParams(**editor.place("net.prototxt", 'name: "conv1"', 8), new_name="first")
    )
    assert edit is not None
    changed = [one.text_document.uri for one in edit.document_changes or () if isinstance(one, types.TextDocumentEdit)]
    assert sorted(changed) == [editor.uri("net.prototxt"), editor.uri("test.prototxt")]


async def test_a_blob_is_renamed_in_the_nets_that_have_it_in_the_same_role(editor: Editor) -> None:
    texts = {
        "train.prototxt": NET,
        "test.prototxt": NET.replace('"loss"', '"loss_of_test"'),
        "other.prototxt": OTHER,
    }
    for name, text in texts.items():
        await editor.open(name, text)
    await editor.open(
        "solver.prototxt",
        SOLVER.replace("net:", "train_net:").replace("net.prototxt", "train.prototxt")
        + 'test_net: "test.prototxt" test_iter: 1 test_net: "other.prototxt" test_iter: 1',
    )
    place = editor.place("train.prototxt", 'bottom: "conv1"', 10)
    edit = await editor.client.text_document_rename_async(types.RenameParams(**place, new_name="first"))
    assert edit is not None
    edited = {name: editor.edited(name, edit) for name in texts}
    assert edited["other.prototxt"] == OTHER  # its blob of that name is of another layer
    for name in ("train.prototxt", "test.prototxt"):
        assert _built(edited[name]) == [
            (layer, [("first" if blob == "conv1" else blob, shape) for blob, shape in blobs])
            for layer, blobs in _built(texts[name])
        ]
    with pytest.raises(JsonRpcException, match='there is already a blob "loss_of_test"'):
        await editor.client.text_document_rename_async(types.RenameParams(**place, new_name="loss_of_test"))
    params = types.DefinitionParams(**editor.place("test.prototxt", 'bottom: "conv1"\n', 10))
    (found,) = await editor.client.text_document_definition_async(params)  # type: ignore[misc]
    assert found.uri == editor.uri("test.prototxt")


def _built(text: str) -> list[tuple[str, list[tuple[str, object]]]]:
    """Each layer of a net with its blobs and their shapes."""
    net = loaded(text.encode()).net
    assert net is not None
    return [
        (layer.name, [(blob.name, blob.shape) for blob in (*layer.bottoms, *layer.tops)])
        for layer in net.likely(State(TRAIN)).layers
    ]
