"""From a name to where it is made, to all of its places, and to another name; from a path to its file."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lsprotocol.types import (
    DefinitionParams,
    DocumentHighlight,
    DocumentHighlightKind,
    DocumentHighlightParams,
    DocumentLink,
    DocumentLinkParams,
    Location,
    Position,
    PrepareRenameParams,
    Range,
    ReferenceParams,
    RenameParams,
    WorkspaceEdit,
)
from pygls.exceptions import JsonRpcInvalidParams

from caffelint.lint.disk import exists, is_template
from caffelint.lint.edits import quoted
from caffelint.lint.project.python_layers import python_classes
from caffelint.lint.reach import Reach
from caffelint.lsp.changes import workspace_edit
from caffelint.lsp.documents import Documents, View, real
from caffelint.lsp.names import BLOB, FILES, Use, name_at, nets_of, taken, uses
from caffelint.lsp.spot import layer_at, spot
from caffelint.text.edits import Edit
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING, Field

_TOP = Range(Position(0, 0), Position(0, 0))


def definition(documents: Documents, view: View, params: DefinitionParams) -> list[Location]:
    """Where a blob is made last above, a layer or parameter first; the file of a path, the class of a Python layer."""
    offset = view.lines.offset(params.position)
    name = name_at(view, offset)
    if name is None:
        return list(_elsewhere(documents, view, offset))
    found = [use for use in uses(view, name) if use.path == view.path]
    if name.kind != BLOB:
        return [_location(documents, use) for use in found][:1]
    layer = layer_at(view.nets, offset)
    makers = {
        maker.layer.index: maker.layer
        for phase in (layer.phases if layer else ())
        for bottom, blob in enumerate(layer.bottoms if layer else ())
        if blob == name.name and layer and (maker := layer.maker(bottom, phase))
    }
    spans = [maker.node for maker in makers.values() if maker.node is not None]
    within = [use for use in found if use.makes and any(one.start <= use.field.start < one.end for one in spans)]
    return [_location(documents, use) for use in within or [use for use in found if use.makes][:1]]


def _elsewhere(documents: Documents, view: View, offset: int) -> Iterator[Location]:
    found = spot(view.file, offset)
    layer = layer_at(view.nets, offset)
    if layer is not None and found and len(found.fields) > 1 and found.fields[-2].name == "python_param":
        for one in python_classes(layer):
            at = Position(max(0, one.line - 1), 0)
            yield Location(documents.uri(one.module.path), Range(at, at))
    if found and found.field.kind == STRING and found.field.name in FILES and (path := _file(view, found.field)):
        yield Location(documents.uri(path), _TOP)


def _file(view: View, field: Field) -> str | None:
    """The file of the project that a path means."""
    text = string_value(field.text)
    if is_template(text) or "\0" in text or len(text) > 1000:
        return None
    reach = Reach(os.path.dirname(view.path), view.config.roots)
    for base in dict.fromkeys((*reach.above, os.getcwd(), *view.config.roots)):
        path = os.path.join(base, text)
        if reach.holds(path) and exists(path) and os.path.isfile(path):
            return path
    return None


def links(documents: Documents, view: View, params: DocumentLinkParams) -> list[DocumentLink]:
    """The paths that lead to a file."""
    found = []
    for field in view.file.document.root.walk():
        if field.kind == STRING and field.name in FILES and (path := _file(view, field)):
            span = view.lines.range(field.value_start + 1, field.end - 1)
            found.append(DocumentLink(span, documents.uri(path)))
    return found


def references(documents: Documents, view: View, params: ReferenceParams) -> list[Location]:
    name = name_at(view, view.lines.offset(params.position))
    found = uses(view, name) if name else []
    return [_location(documents, use) for use in found if params.context.include_declaration or not use.makes]


def highlights(documents: Documents, view: View, params: DocumentHighlightParams) -> list[DocumentHighlight]:
    name = name_at(view, view.lines.offset(params.position))
    kinds = {True: DocumentHighlightKind.Write, False: DocumentHighlightKind.Read}
    return [
        DocumentHighlight(view.lines.range(use.field.value_start + 1, use.field.end - 1), kinds[use.makes])
        for use in (uses(view, name) if name else ())
        if use.path == view.path
    ]


def prepare_rename(documents: Documents, view: View, params: PrepareRenameParams) -> Range | None:
    name = name_at(view, view.lines.offset(params.position))
    return view.lines.range(name.field.value_start + 1, name.field.end - 1) if name else None


def rename(documents: Documents, view: View, params: RenameParams) -> WorkspaceEdit | None:
    """Another name for a blob, a layer or a parameter, at all places at once.

    Raises `JsonRpcInvalidParams` for one that is taken, as two would become one, or that is no name.
    """
    name, new = name_at(view, view.lines.offset(params.position)), params.new_name
    if name is None or new == name.name:
        return None
    if not new or not new.isprintable():
        raise JsonRpcInvalidParams(message=f"{quoted(new)} is no name; give one that is not empty, on one line")
    if new in taken(nets_of(view, name), name.kind):
        raise JsonRpcInvalidParams(message=f'there is already a {name.kind} "{new}"; give another name')
    edits: dict[str, list[Edit]] = {}
    for use in uses(view, name):
        old = view.files[use.path].document.source.text[use.field.value_start : use.field.end]
        plain = old[:1] == "'" and not {"'", "\\"} & set(new)
        text = f"'{new}'" if plain else quoted(new)
        edits.setdefault(use.path, []).append(Edit(use.field.value_start, use.field.end, text))
    return workspace_edit(documents, edits)


def _location(documents: Documents, use: Use) -> Location:
    lines = documents.lines(real(use.path))
    return Location(documents.uri(use.path), lines.range(use.field.value_start, use.field.end) if lines else _TOP)
