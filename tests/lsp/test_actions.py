from __future__ import annotations

import pytest
from lsp_editor import Editor
from lsprotocol import types
from small_project import NET

pytestmark = pytest.mark.asyncio
WRONG = 'base_lr: 0.1\nlr_policy: "Step"\ngamma: 0.1\nstepsize: 10\nmax_iter: 100\nnet: "net.prototxt"\n'


async def _actions(editor: Editor, name: str, line: int, only: list[str] | None = None) -> dict[str, types.CodeAction]:
    where = types.Range(types.Position(line, 0), types.Position(line, 99))
    context = types.CodeActionContext([], only)
    params = types.CodeActionParams(editor.identifier(name), where, context)
    found = await editor.client.text_document_code_action_async(params)
    return {one.title: one for one in found or () if isinstance(one, types.CodeAction)}


def _applied(editor: Editor, name: str, edit: types.WorkspaceEdit | None) -> str:
    assert edit is not None
    text = editor.texts[name]
    starts = [0, *(at + 1 for at, one in enumerate(text) if one == "\n")]
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == editor.uri(name)
        for one in sorted(
            change.edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True
        ):
            assert isinstance(one, types.TextEdit)
            first = starts[one.range.start.line] + one.range.start.character
            last = starts[one.range.end.line] + one.range.end.character
            text = text[:first] + one.new_text + text[last:]
    return text


async def test_a_fix_an_ignore_and_all_fixes(editor: Editor) -> None:
    (editor.folder / "net.prototxt").write_text(NET)
    found = await editor.open("solver.prototxt", WRONG)
    assert "unknown-lr-policy" in [one.code for one in found]
    actions = await _actions(editor, "solver.prototxt", 1)
    (fix,) = (one for one in actions.values() if one.is_preferred)
    assert fix.kind == types.CodeActionKind.QuickFix
    assert _applied(editor, "solver.prototxt", fix.edit) == WRONG.replace('"Step"', '"step"')
    ignore = _applied(editor, "solver.prototxt", actions["Ignore unknown-lr-policy here"].edit)
    assert '"Step"  # caffelint: ignore[unknown-lr-policy] REASON\n' in ignore
    every = await _actions(editor, "solver.prototxt", 0, [types.CodeActionKind.SourceFixAll.value])
    (one,) = every.values()
    resolved = await editor.client.code_action_resolve_async(one)
    assert _applied(editor, "solver.prototxt", resolved.edit) == WRONG.replace('"Step"', '"step"')


async def test_an_old_file_is_upgraded(editor: Editor) -> None:
    text = 'layers {\n  name: "a" # kept\n  type: RELU\n  bottom: "x"\n  top: "x"\n}\ninput: "x"\n'
    text += "input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2\n"
    await editor.open("net.prototxt", text)
    actions = await _actions(editor, "net.prototxt", 0)
    resolved = await editor.client.code_action_resolve_async(actions["Upgrade this file to the current format"])
    new = _applied(editor, "net.prototxt", resolved.edit)
    assert 'layer {\n  name: "a" # kept\n  type: "ReLU"' in new
    cures = await _actions(editor, "net.prototxt", 0, [types.CodeActionKind.QuickFix.value])
    cure = cures["Upgrade this file to the current format"]
    assert [one.code for one in cure.diagnostics or ()] == ["legacy-format"]
    assert _applied(editor, "net.prototxt", (await editor.client.code_action_resolve_async(cure)).edit) == new


async def test_checks_go_in(editor: Editor) -> None:
    await editor.open("net.prototxt", NET)
    actions = await _actions(editor, "net.prototxt", 0)
    resolved = await editor.client.code_action_resolve_async(actions["Insert checks for nan and inf"])
    changes = resolved.edit.document_changes if resolved.edit else None
    assert changes
    assert not (editor.folder / "check_finite_layer.py").exists()  # only the editor creates files
