from __future__ import annotations

import pytest
from lsp_editor import NET, SOLVER, Editor
from lsprotocol import types
from pygls.exceptions import JsonRpcException

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
