"""What may be typed here: the fields of a block, the values of a field, the likeliest first."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    CompletionParams,
    InsertTextFormat,
    MarkupContent,
    MarkupKind,
    TextEdit,
)

from caffelint.caffe.fillers import FILLERS
from caffelint.caffe.layers import BVLC_TYPES, layer_class
from caffelint.caffe.learning_rate import FORK_POLICIES, POLICIES
from caffelint.lint.reach import Reach
from caffelint.lsp.cursor import Cursor, cursor
from caffelint.lsp.documents import View
from caffelint.lsp.habits import Habits
from caffelint.lsp.hover import signature
from caffelint.lsp.names import FILES
from caffelint.schema.comments import comment
from caffelint.schema.provenance import provenance
from caffelint.schema.tables import BOOL, BYTES, ENUM, MESSAGE, STRING, FieldType, MessageType
from caffelint.text.scalars import string_value

_USUAL = {
    "LayerParameter": ("name", "type", "bottom", "top", "param"),
    "SolverParameter": (
        *("net", "train_net", "test_net", "test_iter", "test_interval", "base_lr", "momentum", "weight_decay"),
        *("lr_policy", "gamma", "stepsize", "stepvalue", "power", "display", "max_iter", "snapshot"),
        *("snapshot_prefix", "solver_mode", "type"),
    ),
}
"""The order in which most people write them."""
_OLD = frozenset(["layers", "input", "input_dim", "input_shape", "solver_type", "blobs", "blobs_lr", "weight_decay"])
"""Fields of older formats, and those that only stored nets have: last."""
_MOST_FILES = 200


_NONE: Counter[str] = Counter()


class _Offer(NamedTuple):
    """`text` is what is inserted, `shown` what the list shows."""

    shown: str
    text: str
    kind: CompletionItemKind
    detail: str = ""
    told: str = ""


def complete(view: View, params: CompletionParams, snippets: bool) -> CompletionList | None:
    """What may be typed at a position. `snippets`: the editor takes places to go on from."""
    at = cursor(view.file, view.lines.offset(params.position))
    if at is None or at.frame.message is None:
        return None
    habits = Habits(view.file.document.root, at.start)
    if at.field:
        type_ = at.frame.message.field(at.field)
        offers = list(_values(view, at, type_, habits)) if type_ else []
    else:
        offers = list(_fields(view, at, habits, snippets))
    where = view.lines.range(at.start, at.end)
    items = [
        CompletionItem(
            offer.shown,
            kind=offer.kind,
            detail=offer.detail or None,
            documentation=MarkupContent(MarkupKind.Markdown, offer.told) if offer.told else None,
            sort_text=f"{rank:04}",
            filter_text=offer.shown,
            preselect=rank == 0 or None,
            insert_text_format=InsertTextFormat.Snippet if snippets and not at.field else InsertTextFormat.PlainText,
            text_edit=TextEdit(where, offer.text),
        )
        for rank, offer in enumerate(offers)
    ]
    return CompletionList(is_incomplete=False, items=items)


def _kind(at: Cursor) -> str:
    """The kind of the block at the cursor, as `Habits` has it."""
    type_ = at.value("type") if at.frame.name in ("layer", "layers") else ""
    return f"{at.frame.name} {type_}" if type_ else at.frame.name


def _fields(view: View, at: Cursor, habits: Habits, snippets: bool) -> Iterator[_Offer]:
    message = at.frame.message
    assert message is not None
    names = [name for name, _ in at.frame.written]
    last = names[-1] if names else ""
    present = {*names, *(name for name, _ in at.after)}
    kind = _kind(at)
    follows, used = habits.next.get((kind, last), _NONE), habits.fields.get(kind, _NONE)
    is_layer = message.name == "LayerParameter"
    block = layer_class(string_value(at.value("type"))).block if is_layer and at.value("type") else ""
    usual = [*_USUAL.get(message.name, ()), *([block, "include"] if is_layer else ())]
    begun = usual.index(last) + 1 if last in usual else 0
    order = {name: number for number, name in enumerate([*usual[begun:], *usual[:begun]])}

    def rank(type_: FieldType) -> tuple[object, ...]:
        name = type_.name
        stranger = is_layer and name.endswith("_param") and name != block
        return (
            name not in message.required or name in present,
            -follows.get(name, 0),
            name in present,
            -used.get(name, 0),
            name in _OLD and message.name != "SolverParameter" or name == "solver_type",
            type_.fork_only,
            stranger,
            order.get(name, len(order)),
        )

    wanted = [type_ for type_ in message.fields.values() if type_.repeated or type_.name not in present]
    is_typed = view.text[at.end : at.end + 40].lstrip(" \t")[:1] in (":", "{") and at.end > at.start
    for type_ in sorted(filter(lambda type_: _has(view, message, type_), wanted), key=rank):
        text = type_.name if is_typed else _written(type_, snippets)
        told = comment(f"{message.name}.{type_.name}")
        yield _Offer(type_.name, text, CompletionItemKind.Field, signature(message, type_), told)


def _has(view: View, message: MessageType, type_: FieldType) -> bool:
    """Has the Caffe of the file the field, if that is known?"""
    dialect = view.file.dialect
    if dialect is None or view.file.caffe:
        return True
    facts = provenance().field(message.name, type_.name)
    return facts is None or dialect in facts.forks


def _written(type_: FieldType, snippets: bool) -> str:
    stop = "$0" if snippets else ""
    if type_.form == MESSAGE:
        return f"{type_.name} {{\n  {stop}\n}}" if snippets else f"{type_.name} {{"
    return f'{type_.name}: "{stop}"' if type_.form in (STRING, BYTES) else f"{type_.name}: {stop}"


def _values(view: View, at: Cursor, type_: FieldType, habits: Habits) -> Iterator[_Offer]:
    names = list(dict.fromkeys(_candidates(view, at, type_, habits)))
    used = habits.values.get((_kind(at), at.field), _NONE)
    if at.field not in ("bottom", "top", "name") and not (at.field == "type" and _is_layer(at)):
        names.sort(key=lambda name: -used.get(_quoted(name, type_), 0))
    kinds = {ENUM: CompletionItemKind.EnumMember, BOOL: CompletionItemKind.Keyword}
    kind = CompletionItemKind.File if at.field in FILES else kinds.get(type_.form, CompletionItemKind.Value)
    for name in names:
        text = name if at.in_string else _quoted(name, type_)
        told = comment(f"{type_.enum.name}.{name}") if type_.enum else ""
        yield _Offer(name, text, kind, told=told)


def _quoted(name: str, type_: FieldType) -> str:
    return f'"{name}"' if type_.form in (STRING, BYTES) else name


def _is_layer(at: Cursor) -> bool:
    return at.frame.message is not None and at.frame.message.name == "LayerParameter"


def _candidates(view: View, at: Cursor, type_: FieldType, habits: Habits) -> Iterator[str]:
    owner = at.frame.message.name if at.frame.message else ""
    if type_.enum:
        yield from type_.enum.offered
    elif type_.form == BOOL:
        yield from ("true", "false")
    elif at.field == "type" and owner == "LayerParameter":
        yield from _layer_types(view, at, habits)
    elif at.field == "type" and owner == "FillerParameter":
        yield from (*FILLERS, *(view.file.caffe.registered.fillers if view.file.caffe else ()))
    elif at.field == "type" and owner == "SolverParameter":
        types = provenance().solver_types()
        yield from sorted(types, key=lambda one: "bvlc" not in provenance().solver_type(one))
    elif at.field == "lr_policy":
        yield from (*POLICIES, *FORK_POLICIES)
    elif at.field == "regularization_type":
        yield from ("L2", "L1")
    elif at.field == "bottom":
        yield from _blobs(view, at)
    elif at.field == "top":
        yield from _tops(view, at, habits)
    elif at.field in FILES and type_.form == STRING:
        yield from _files(view, at)
    elif type_.form not in (MESSAGE, STRING, BYTES):
        yield from (text for text, _ in (habits.values.get((_kind(at), at.field)) or _NONE).most_common(8))
    elif type_.form == STRING and at.field != "name":
        found = (habits.values.get((_kind(at), at.field)) or _NONE).most_common(8)
        yield from (string_value(text) for text, _ in found)


def _layer_types(view: View, at: Cursor, habits: Habits) -> Iterator[str]:
    """The type whose block is there already, then what follows the type of the layer above, then all."""
    blocks = {name for name, _ in (*at.frame.written, *at.after)}
    known = provenance()
    types = sorted(BVLC_TYPES)
    yield from (name for name in types if layer_class(name).block in blocks)
    above = [field for field in view.file.document.root.fields if field.end <= at.start]
    first = above[-1].first("type") if above else None
    before = first.text if first else ""
    if before or not above:
        yield from (string_value(text) for text, _ in habits.types.get(before, _NONE).most_common(4))
    counted = sum(habits.types.values(), _NONE)
    yield from (string_value(text) for text, _ in counted.most_common())
    last = layer_class(string_value(before)) if before else None

    def follows(name: str) -> bool | None:
        kind = layer_class(name)
        if last is None:
            return kind.is_data
        return kind.is_activation or kind.normalises if last.has_weights else kind.has_weights

    yield from (name for name in types if follows(name))
    yield from types
    caffe, dialect = view.file.caffe, view.file.dialect
    own = caffe.registered.layers if caffe else ()
    yield from sorted(own)
    if not own:
        yield from (name for name in known.layer_types() if dialect is None or known.may_have_type(dialect, name))


def _blobs(view: View, at: Cursor) -> Iterator[str]:
    """The tops of the layers above, the nearest first; for a loss that has its scores, labels first."""
    above = [field for field in view.file.document.root.fields if field.end <= at.start]
    taken = {string_value(text) for name, text in at.frame.written if name == "bottom"}
    tops = [(field, [string_value(top.text) for top in field.all("top")]) for field in above]
    if taken:
        kind = layer_class(string_value(at.value("type")))
        if kind.is_loss or kind.types == ("Accuracy",):
            yield from (name for field, names in tops if not field.first("bottom") for name in names[1:])
    read: set[str] = {string_value(bottom.text) for field in above for bottom in field.all("bottom")}
    near = [name for _, names in reversed(tops) for name in reversed(names) if name not in taken]
    yield from near[:2]
    yield from (name for name in near if name not in read)
    yield from near
    inputs = view.file.document.root.all("input")
    yield from (string_value(field.text) for field in inputs)


def _tops(view: View, at: Cursor, habits: Habits) -> Iterator[str]:
    """The layer's own name, or, where such layers work in place, its bottom; then what is read below and not made."""
    type_ = at.value("type")
    name, bottom = string_value(at.value("name")), string_value(at.value("bottom"))
    kind = layer_class(string_value(type_)) if type_ else None
    in_place = habits.in_place[type_] > 0 or bool(kind and kind.is_activation)
    yield from filter(None, (bottom, name) if in_place else (name, bottom))
    root = view.file.document.root
    made = {string_value(top.text) for field in root.fields for top in field.all("top")}
    yield from (
        text
        for field in root.fields
        if field.start > at.start
        for one in field.all("bottom")
        if (text := string_value(one.text)) not in made
    )
    if kind is not None and kind.is_data:
        yield from ("data", "label")


def _files(view: View, at: Cursor) -> Iterator[str]:
    """The files and folders that go on from what is typed, from the file's folder or one above it, never outside."""
    typed = view.text[at.start : at.end]
    folder = os.path.dirname(typed)
    if os.path.isabs(typed) or "\0" in typed:
        return
    reach = Reach(os.path.dirname(view.path), view.config.roots)
    for base in dict.fromkeys((*reach.above, os.getcwd(), *view.config.roots)):
        place = os.path.join(base, folder)
        if reach.holds(place):
            yield from _listed(place, folder)


def _listed(place: str, folder: str) -> Iterable[str]:
    try:
        names: Sequence[str] = sorted(os.listdir(place))[:_MOST_FILES]
    except OSError:
        return ()
    shown = (name for name in names if not name.startswith("."))
    return [os.path.join(folder, name + "/" * os.path.isdir(os.path.join(place, name))) for name in shown]
