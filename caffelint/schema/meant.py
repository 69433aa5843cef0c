"""The field of a block that an unknown one was meant to be: by its name, and by the value that is written for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from caffelint.schema.spelling import suggest
from caffelint.schema.tables import BOOL, BYTES, ENUM, FLOAT, INTEGER, MESSAGE, STRING, FieldType, MessageType
from caffelint.text import tree
from caffelint.text.tree import Field

_WRITTEN = {
    MESSAGE: (tree.MESSAGE,),
    STRING: (tree.STRING,),
    BYTES: (tree.STRING,),
    BOOL: (tree.IDENTIFIER,),
    ENUM: (tree.IDENTIFIER,),
    FLOAT: (tree.FLOAT, tree.INTEGER),
    INTEGER: (tree.INTEGER,),
}
"""The kinds of text that a value is mostly written as."""


def may_hold(field_type: FieldType, kind: int) -> bool:
    """Whether a field takes a block where one is written, and a value where one is."""
    return kind in (tree.BROKEN, tree.LIST) or (kind == tree.MESSAGE) == (field_type.form == MESSAGE)


@lru_cache(1 << 14)
def near_field(type_: MessageType, name: str, kind: int) -> str | None:
    """The field that a name is a slip of; remembered, since a text that is mended is read many times.

    That holds for all names of a text: of one that has more than are remembered, none would be when it is read again.
    """
    fitting, others, of_forks = _by_kind(type_, kind)
    return suggest(name, fitting) or suggest(name, others) or suggest(name, of_forks)


def meant_field(type_: MessageType, field: Field) -> str | None:
    """The field that a name is a slip of, or `layer` for a block of a net that holds what a layer does."""
    is_block = "layer" in type_.fields and field.kind == tree.MESSAGE
    holds = is_block and field.first("type") and (field.first("top") or field.first("bottom"))
    return near_field(type_, field.name, field.kind) or ("layer" if holds else _cut_off(type_, field))


def _cut_off(type_: MessageType, field: Field) -> str | None:
    """The one field of which a text that was copied without its first letters has the end: `me: "VGG"`."""
    fields = type_.fields.values() if field.start == 0 else ()
    ending = [one.name for one in fields if not one.fork_only and one.name.endswith(field.name)]
    return ending[0] if len(ending) == 1 and field.kind in _WRITTEN[type_.fields[ending[0]].form] else None


@lru_cache(256)
def _by_kind(type_: MessageType, kind: int) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The names of BVLC's fields that may hold such a value, of its others, and of those that only forks have."""
    of_bvlc = [field for field in type_.fields.values() if not field.fork_only]
    fitting = [field.name for field in of_bvlc if may_hold(field, kind)]
    others = [field.name for field in of_bvlc if not may_hold(field, kind)]
    return fitting, others, [field.name for field in type_.fields.values() if field.fork_only]


@lru_cache(1024)
def longer_field(type_: MessageType, name: str, kind: int) -> str | None:
    """The one field whose name has a word more, and which takes such a value: `mean_value` for `mean: 104`."""
    found = [
        field.name
        for field in type_.fields.values()
        if not field.fork_only
        and (field.name.startswith(f"{name}_") or field.name.endswith(f"_{name}"))
        and kind in _WRITTEN[field.form]
    ]
    return found[0] if len(found) == 1 else None


@lru_cache(1024)
def sibling_field(type_: MessageType, name: str, kind: int) -> str | None:
    """The one field of BVLC's that takes such a value, and whose name begins as an unknown one does.

    Either the unknown name has a word more, `mean_file_size` for `mean_file`, or its last word differs: `iter_step` for
    `iter_size`. That is a guess, which a fork's own field beside it disproves.
    """
    stem, _, last = name.rpartition("_")
    fitting = [field.name for field in type_.fields.values() if not field.fork_only and kind in _WRITTEN[field.form]]
    if stem in fitting:
        return stem
    found = [other for other in fitting if stem and last and other.rpartition("_")[0] == stem]
    return found[0] if len(found) == 1 else None


def is_list(types: Mapping[str, FieldType], name: str) -> bool:
    """Whether what has a value may be given another: no `stride`, which is a list for the sake of more axes."""
    return types[name].repeated and f"{name}_h" not in types


def may_be_block(meant: FieldType, block: Field) -> bool:
    """May an unknown block, or field, be a slip of this one: does it take all that stands in that?"""
    inner = meant.message
    return inner is None or all(takes(inner, field, True) for field in block.fields)


def takes(type_: MessageType, field: Field, of_forks: bool = False) -> bool:
    """Whether a message of BVLC's Caffe, or of any, has a field of that name for a value like the written one."""
    known = type_.fields.get(field.name)
    return known is not None and (of_forks or not known.fork_only) and may_hold(known, field.kind)
