"""How fields, their types and their values are named in messages."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from caffelint.schema import tables
from caffelint.schema.bound import LAYERS
from caffelint.text import tree

if TYPE_CHECKING:
    from caffelint.schema.tables import FieldType, MessageType
    from caffelint.text.source import Source
    from caffelint.text.tree import Field

_MOST_CHOICES = 6
_LONGEST = 40


def block_name(type_: MessageType, node: Field) -> str:
    """The block that holds a field; for a whole file, what it is."""
    if node.name:
        return node.name
    return "the solver" if type_.name == "SolverParameter" else "the net"


def subject(type_: MessageType, name: str, root: Field, at: int) -> str:
    """A field as the subject of a message: with its block unless that is a layer or a whole file. at: its position."""
    node, block = root, ""
    while inner := bisect_right(node.fields, at, key=lambda field: field.start):
        node = node.fields[inner - 1]
        if node.kind not in (tree.MESSAGE, tree.LIST) or not node.value_start < at < node.end:
            break
        block = node.name if node.kind == tree.MESSAGE else block
    return f"{name} of {block}" if block and type_.name not in LAYERS else name


def shown(source: Source, item: Field) -> str:
    """A value as it is written, cut short if it is long."""
    if item.kind == tree.MESSAGE:
        return "a block"
    if item.kind == tree.LIST:
        return "a list"
    text = " ".join(source.slice(item.value_start, min(item.end, item.value_start + 4 * _LONGEST)).split())
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return f"the quoted string {text}" if item.kind == tree.STRING else text


def wanted(field_type: FieldType) -> str:
    """What a field takes: "a whole number, 0 or more", "one of MAX, AVE, STOCHASTIC (without quotes)"."""
    form = field_type.form
    if form == tables.INTEGER:
        return "a whole number" if field_type.low else "a whole number, 0 or more"
    if form == tables.ENUM and field_type.enum:
        values = field_type.enum.offered
        more = " ..." if len(values) > _MOST_CHOICES else ""
        return f"one of {', '.join(values[:_MOST_CHOICES])}{more} (without quotes)"
    return {tables.FLOAT: "a number", tables.BOOL: "true or false"}.get(form, "a string in quotes")


def out_of_range(field_type: FieldType, item: Field) -> str:
    """The message for a whole number that is too small or too large for its field."""
    text = item.text if len(item.text) <= _LONGEST else item.text[: _LONGEST - 3] + "..."
    limits = f"from {field_type.low} to {field_type.high}"
    return f"{field_type.name} {text} is out of range; it takes a whole number {limits}"
