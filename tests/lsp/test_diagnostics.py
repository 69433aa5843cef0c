from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from pytest_lsp import LanguageClient
from small_project import NET, SOLVER

import caffelint

pytestmark = pytest.mark.asyncio


async def test_says_what_check_says(editor: Editor) -> None:
    text = SOLVER.replace("step", "poly").replace("max_iter: 3000\n", "")
    found = await editor.open("solver.prototxt", text)
    (editor.folder / "solver.prototxt").write_text(text)
    expected = caffelint.check(editor.folder / "solver.prototxt").findings
    assert [(one.code, one.range.start.line + 1, one.range.start.character + 1) for one in found] == [
        (one.name, one.line, one.column) for one in expected
    ]
    assert all(one.source == "caffelint" and one.code_description for one in found)


async def test_a_net_is_judged_by_the_open_solver_that_names_it(editor: Editor) -> None:
    await editor.open("solver.prototxt", SOLVER)
    wrong = NET.replace('bottom: "fc1"', 'bottom: "fc2"')
    found = await editor.open("net.prototxt", wrong)
    assert "unknown-bottom" in [one.code for one in found]
    assert await editor.change("net.prototxt", NET) == []


async def test_a_change_of_the_solver_changes_what_is_said_of_the_net(editor: Editor) -> None:
    net = NET.replace('layer {\n  name: "fc1"', 'layer {\n  include { stage: "more" }\n  name: "fc1"')
    await editor.open("solver.prototxt", SOLVER)
    before = await editor.open("net.prototxt", net)
    assert "never-included" in [one.code for one in before]
    await editor.change("solver.prototxt", SOLVER + 'train_state { stage: "more" }\ntest_state { stage: "more" }\n')
    while "never-included" in [one.code for one in editor.client.diagnostics[editor.uri("net.prototxt")]]:
        await editor.told()  # or the editor waits in vain, and the test fails


async def test_what_has_no_effect_is_faded_and_the_other_place_is_shown(editor: Editor) -> None:
    found = await editor.open("solver.prototxt", SOLVER.replace('step"', 'fixed"'))
    faded = [one.code for one in found if types.DiagnosticTag.Unnecessary in (one.tags or ())]
    assert faded == ["ignored-lr-parameter"] * len(faded)
    assert faded


async def test_closing_takes_diagnostics_back(editor: Editor, client: LanguageClient) -> None:
    assert await editor.open("solver.prototxt", 'base_lr: 0.1 lr_policy: "nothing"')
    client.text_document_did_close(types.DidCloseTextDocumentParams(editor.identifier("solver.prototxt")))
    params = await editor.told()
    assert (params.uri, list(params.diagnostics)) == (editor.uri("solver.prototxt"), [])


async def test_positions_count_utf16(editor: Editor) -> None:
    text = 'base_lr: 0.1 # \U0001f600\f\nsnapshot_prefix: "\u00fc\U0001f600" lr_polcy: "fixed"'
    found = await editor.open("solver.prototxt", text)
    (start,) = [one.range.start for one in found if one.code == "unknown-field"]
    assert start == types.Position(1, text.splitlines()[-1].index("lr_polcy") + 1)
