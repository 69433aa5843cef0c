"""What can be done about a finding, or with a whole file, from the editor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from lsprotocol.types import CodeAction, CodeActionKind, CodeActionParams, Diagnostic, Range, WorkspaceEdit

from caffelint.fix.ignores import NOT_COMMENTS, at_line_ends
from caffelint.lint.finding import DISPLAY, SAFE, UNSAFE
from caffelint.lint.report import ReportedFinding
from caffelint.lsp.changes import rewritten, workspace_edit
from caffelint.lsp.diagnostics import diagnostics
from caffelint.lsp.documents import Documents, View
from caffelint.text.source import Source

REASON = "REASON"
"""What a new comment has for the user to replace."""

FIX_ALL, UPGRADE, INSERT, REMOVE = "fix-all", "upgrade", "insert-checks", "remove-checks"
_SOURCE_FIX_ALL = CodeActionKind.SourceFixAll
_LEGACY = "legacy-format"
_UPGRADE_TITLE = "Upgrade this file to the current format"


def code_actions(documents: Documents, view: View, params: CodeActionParams) -> list[CodeAction]:
    """Those for a range: of each finding there its fixes and a comment; of the whole file what rewrites it.

    The latter carry no edit yet: `resolve` makes it when it is chosen.
    """
    uri = params.text_document.uri
    only = tuple(str(getattr(kind, "value", kind)) for kind in params.context.only or ())
    found = documents.check(view.path).findings.get(view.path, ())
    actions: list[CodeAction] = []
    source = Source(view.lines.data)
    for finding, shown in zip(found, diagnostics(view.path, found, documents), strict=True):
        if _meet(shown.range, params.range):
            actions += _of_finding(documents, view, source, finding, shown)
            if finding.name == _LEGACY:
                actions.append(_whole(_UPGRADE_TITLE, CodeActionKind.QuickFix, UPGRADE, uri, [shown]))
    actions += _of_file(view, uri, found)
    return [action for action in actions if not only or str(_value(action.kind)).startswith(only)]


def resolve(documents: Documents, action: CodeAction) -> CodeAction:
    """The action with its edit, made for the text as it is now."""
    data = action.data if isinstance(action.data, dict) else {}
    view = documents.view(str(data.get("uri")))
    make = _MAKERS.get(str(data.get("what")))
    if view is not None and make is not None:
        action.edit = make(documents, view)
    return action


def _value(kind: object) -> object:
    return getattr(kind, "value", kind)


def _meet(one: Range, other: Range) -> bool:
    first, second = _pairs(one), _pairs(other)
    return first[0] <= second[1] and second[0] <= first[1]


def _pairs(one: Range) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one.start.line, one.start.character), (one.end.line, one.end.character)


def _of_finding(
    documents: Documents, view: View, source: Source, finding: ReportedFinding, shown: Diagnostic
) -> Iterator[CodeAction]:
    for fix in finding.fixes:
        if fix.safety == DISPLAY or not fix.edits:
            continue
        edit = workspace_edit(documents, fix.by_file())
        title = f"{fix.title[:1].upper()}{fix.title[1:]}" + " (unsafe: may change training)" * (fix.safety == UNSAFE)
        if edit is not None:
            preferred = fix.safety == SAFE
            yield CodeAction(title, CodeActionKind.QuickFix, [shown], preferred, edit=edit)
    if finding.name not in NOT_COMMENTS and finding.line is not None:
        comment = at_line_ends(source, [finding], REASON)
        edit = workspace_edit(documents, {view.path: comment})
        yield CodeAction(f"Ignore {finding.name} here", CodeActionKind.QuickFix, [shown], False, edit=edit)


def _of_file(view: View, uri: str, found: tuple[ReportedFinding, ...]) -> Iterator[CodeAction]:
    if any(finding.fix() for finding in found):
        yield _whole("Apply all safe fixes of caffelint", _SOURCE_FIX_ALL, FIX_ALL, uri)
    if any(finding.name == _LEGACY for finding in found):
        yield _whole(_UPGRADE_TITLE, CodeActionKind.RefactorRewrite, UPGRADE, uri)
    if view.file.net is not None and view.file.net.layers:
        from caffelint.fix.finite.remove import own_checks

        if any(own_checks(view.file.document)):
            yield _whole("Remove the checks for nan and inf", CodeActionKind.RefactorRewrite, REMOVE, uri)
        else:
            yield _whole("Insert checks for nan and inf", CodeActionKind.RefactorRewrite, INSERT, uri)


def _whole(title: str, kind: CodeActionKind, what: str, uri: str, cures: list[Diagnostic] | None = None) -> CodeAction:
    """What rewrites the whole file; its edit is made when it is chosen."""
    return CodeAction(title, kind, cures, data={"uri": uri, "what": what})


def _fixed(documents: Documents, view: View) -> WorkspaceEdit | None:
    """All safe fixes that change this file alone and do no harm, as `check --fix` would make them."""
    from caffelint.fix.mend import Mender
    from caffelint.lint.read import ReadError, read

    job = documents.job(view.path)
    texts: dict[str, bytes] = {}
    for name in job.files:
        try:
            texts[name] = documents.texts[name] if name in documents.texts else read(name)
        except ReadError:
            continue
    own = next(name for name in job.files if os.path.realpath(name) == view.path)
    new = Mender(view.config, {own}).mend(job, texts).texts.get(own)
    return workspace_edit(documents, {view.path: rewritten(texts[own], new)}) if new is not None else None


def _upgraded(documents: Documents, view: View) -> WorkspaceEdit | None:
    from caffelint.fix.upgrade import upgrade_text

    taken = view.checker.caffes.of(view.path)
    old = view.lines.data
    result = upgrade_text(old, view.path, dialect=taken.dialect, caffe=taken.caffe)
    return workspace_edit(documents, {view.path: rewritten(old, result.data)}) if result.changed else None


def _with_checks(documents: Documents, view: View) -> WorkspaceEdit | None:
    from caffelint.fix.finite import PatchError, insert_checks
    from caffelint.fix.finite.layer_file import NAME, content

    try:
        new = insert_checks(view.lines.data, path=view.path).data
    except PatchError:
        return None
    beside = os.path.join(os.path.dirname(view.path), NAME)
    created = {} if os.path.lexists(beside) else {beside: content()}
    return workspace_edit(documents, {view.path: rewritten(view.lines.data, new)}, created)


def _without_checks(documents: Documents, view: View) -> WorkspaceEdit | None:
    from caffelint.fix.finite import remove_checks

    new = remove_checks(view.lines.data, view.path)
    return workspace_edit(documents, {view.path: rewritten(view.lines.data, new)})


_MAKERS: dict[str, Callable[[Documents, View], WorkspaceEdit | None]] = {
    FIX_ALL: _fixed,
    UPGRADE: _upgraded,
    INSERT: _with_checks,
    REMOVE: _without_checks,
}
