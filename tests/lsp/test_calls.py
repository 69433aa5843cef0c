from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from small_project import NET

pytestmark = pytest.mark.asyncio


async def _layer(editor: Editor, part: str) -> types.CallHierarchyItem:
    params = types.CallHierarchyPrepareParams(**editor.place("net.prototxt", part))
    (item,) = await editor.client.text_document_prepare_call_hierarchy_async(params) or ()
    return item


async def test_who_makes_the_bottoms_of_a_layer_and_who_reads_its_tops(editor: Editor) -> None:
    test = 'layer { name: "accuracy" type: "Accuracy" bottom: "fc1" bottom: "label" include { phase: TEST } }'
    await editor.open("net.prototxt", NET + test)
    loss = await _layer(editor, '"SoftmaxWithLoss"')
    assert (loss.name, loss.detail) == ("loss", "SoftmaxWithLoss")
    makers = await editor.client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(loss))
    assert [(call.from_.name, len(call.from_ranges)) for call in makers or ()] == [("data", 1), ("fc1", 1)]
    label = (makers or ())[0].from_ranges[0].start
    assert NET.splitlines()[label.line].strip() == 'top: "label"'
    fc1 = (makers or ())[1].from_
    readers = await editor.client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(fc1))
    assert [call.to.name for call in readers or ()] == ["loss", "accuracy"]


async def test_a_layer_in_place_is_between(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    ask = editor.client.call_hierarchy_outgoing_calls_async
    conv1 = await _layer(editor, '"Convolution"')
    (relu1,) = await ask(types.CallHierarchyOutgoingCallsParams(conv1)) or ()
    (fc1,) = await ask(types.CallHierarchyOutgoingCallsParams(relu1.to)) or ()
    assert (relu1.to.name, fc1.to.name) == ("relu1", "fc1")


async def test_a_layer_that_has_gone_has_no_calls(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    fc1 = await _layer(editor, '"InnerProduct"')
    await editor.change("net.prototxt", 'name: "n"')
    assert (
        await editor.client.text_document_prepare_call_hierarchy_async(
            types.CallHierarchyPrepareParams(editor.identifier("net.prototxt"), types.Position(0, 1))
        )
        is None
    )
    assert not await editor.client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(fc1))
