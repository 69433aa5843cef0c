"""The tree of a text becomes Caffe's own protobuf messages, each of which knows where it stands in the text.

What C++ protobuf 3.12 refuses (text_format.cc, ConsumeField and ConsumeFieldValue) is a problem here, and binding
goes on behind it: all that can be understood is in the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.schema import tables
from caffelint.schema.tables import FieldType, MessageType, message_type
from caffelint.text.scalars import integer_value, string_bytes, string_value
from caffelint.text.tree import BROKEN, IDENTIFIER, LIST, MESSAGE, STRING, Field, Problem, Span
from caffelint.text.tree import FLOAT as FLOAT_TEXT
from caffelint.text.tree import INTEGER as INTEGER_TEXT

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from caffelint.text.parser import Document

_MAX_DEPTH = 64
_TRUE, _FALSE = ("true", "True", "t"), ("false", "False", "f")


class ForkUse(NamedTuple):
    """A field or enum value of the text that BVLC's Caffe does not know, or knows with another label or type."""

    field: Field
    forks: frozenset[str]
    name: str
    is_value: bool = False


class Bound:
    """A document as a message of Caffe's schema, with the way back to the text."""

    def __init__(self, document: Document, message: Message, dialect: str | None):
        self.document = document
        self.message: Any = message
        self.dialect = dialect
        self.problems: list[Problem] = []
        self.fork_uses: list[ForkUse] = []
        self._nodes: dict[int, Field] = {id(message): document.root}
        self._kept: list[Message] = [message]

    def link(self, new: Message, old: Message) -> None:
        """Let `new`, which Caffe's upgrade made of `old`, point to where `old` stands."""
        node = self._nodes.get(id(old))
        if node is not None:
            self.place(new, node)

    def place(self, message: Message, node: Field) -> None:
        # The message is kept so that its id stays its own.
        self._nodes[id(message)] = node
        self._kept.append(message)

    def node(self, message: Message) -> Field | None:
        """The block of the text that a message stems from; None for one that nobody wrote."""
        return self._nodes.get(id(message))

    def origin(self, message: Message, field: str = "", index: int = 0) -> Span | None:
        """Where a message, or its field (of a repeated one, the item `index`), stands in the text."""
        node = self.node(message)
        if node is None or not field:
            return node.span if node else None
        found = node.all(field)
        return found[index].span if index < len(found) else None


def bind(document: Document, message: Message, dialect: str | None = None) -> Bound:
    """Fill `message` (a new NetParameter or SolverParameter) from the document.

    `dialect` is a fork's name of `caffelint.schema.provenance`: fields that it lacks become problems then.
    """
    bound = Bound(document, message, dialect)
    _Binder(bound).fill(message, message_type(message.DESCRIPTOR), document.root, 0)
    return bound


class _Binder:
    def __init__(self, bound: Bound):
        self.bound = bound
        self.problems = bound.problems
        self.nodes = bound._nodes
        self.kept = bound._kept
        self.dialect = bound.dialect

    def fill(self, message: Any, type_: MessageType, node: Field, depth: int) -> None:
        types = type_.fields
        seen: set[str] = set()
        strict = self.dialect is not None
        for field in node.fields:
            name = field.name
            field_type = types.get(name)
            if field_type is None:
                field_type = self._unknown(type_, field, node)
                if field_type is None:
                    continue
                name = field_type.name
            elif strict or field_type.fork_only:
                if not self._fork_only(type_, field_type, field):
                    continue
            if field_type.repeated:
                items = field.fields if field.kind == LIST else (field,)
            else:
                if name in seen:
                    self._repeated(type_, field_type, field, node)
                    continue
                seen.add(name)
                if field.kind == LIST:
                    self._list(type_, field_type, field)
                    items = tuple(field.fields[:1])
                else:
                    items = (field,)
            for item in items:
                kind = item.kind
                if field_type.form == tables.MESSAGE:
                    if kind != MESSAGE:
                        self._no_block(field_type, item)
                        continue
                    if field_type.repeated:
                        inner = getattr(message, name).add()
                    else:
                        inner = getattr(message, name)
                        inner.SetInParent()
                    self.nodes[id(inner)] = item
                    self.kept.append(inner)
                    if depth < _MAX_DEPTH and field_type.message is not None:
                        self.fill(inner, field_type.message, item, depth + 1)
                    continue
                if kind == BROKEN:
                    continue
                value = self._value(type_, field_type, item)
                if value is None:
                    continue
                try:
                    if field_type.repeated:
                        getattr(message, name).append(value)
                    else:
                        setattr(message, name, value)
                except (ValueError, TypeError):
                    self._wrong(field_type, item, f"{item.text} does not fit")
        if type_.required:
            self._required(type_, seen, node)

    def _value(self, type_: MessageType, field_type: FieldType, item: Field) -> Any:
        """The value of a scalar; None where its text is none of its type, which is then a problem."""
        form, kind, text = field_type.form, item.kind, item.text
        if form == tables.INTEGER:
            if kind == INTEGER_TEXT:
                value = int(text) if text[0] not in "-0" else integer_value(text)
                if field_type.low <= value <= field_type.high and not (value == 0 and text[0] == "-" and not field_type.low):
                    return value
        elif form == tables.FLOAT:
            if kind == FLOAT_TEXT:
                return float(text.rstrip("fF"))
            if kind == INTEGER_TEXT:
                digits = text.lstrip("-")
                if len(digits) == 1 or digits[0] != "0":
                    return float(text)
            elif kind == IDENTIFIER and text.lower().lstrip("-") in ("inf", "infinity", "nan"):
                return float(text)
        elif form == tables.STRING:
            if kind == STRING:
                return string_value(text)
        elif form == tables.ENUM:
            value = self._enum_value(type_, field_type, item)
            if value is not None:
                return value
            if kind == IDENTIFIER and text[0] != "-":
                return self._unknown_enum_value(type_, field_type, item)
        elif form == tables.BOOL:
            if kind == IDENTIFIER and text in _TRUE:
                return True
            if kind == IDENTIFIER and text in _FALSE:
                return False
            if kind == INTEGER_TEXT and text[0] != "-" and integer_value(text) in (0, 1):
                return bool(integer_value(text))
        elif kind == STRING:
            return string_bytes(text)
        from caffelint.schema.mistakes import wrong_value

        return wrong_value(self.bound, type_, field_type, item)

    def _enum_value(self, type_: MessageType, field_type: FieldType, item: Field) -> int | None:
        enum = field_type.enum
        assert enum is not None
        if item.kind == INTEGER_TEXT:
            number = integer_value(item.text)
            return number if number in enum.numbers else None
        if item.kind != IDENTIFIER:
            return None
        value = enum.values.get(item.text)
        if value is not None and (self.dialect is not None or item.text in enum.fork_values):
            from caffelint.schema.mistakes import fork_enum_value

            fork_enum_value(self.bound, enum, field_type, item)
        return value

    # The unusual, out of the way of the usual.

    def _unknown(self, type_: MessageType, field: Field, node: Field) -> FieldType | None:
        from caffelint.schema.mistakes import unknown_field

        return unknown_field(self.bound, type_, field, node)

    def _fork_only(self, type_: MessageType, field_type: FieldType, field: Field) -> bool:
        from caffelint.schema.mistakes import fork_field

        return fork_field(self.bound, type_, field_type, field)

    def _repeated(self, type_: MessageType, field_type: FieldType, field: Field, node: Field) -> None:
        from caffelint.schema.mistakes import repeated_scalar

        repeated_scalar(self.bound, type_, field_type, field, node)

    def _list(self, type_: MessageType, field_type: FieldType, field: Field) -> None:
        from caffelint.schema.mistakes import list_of_one

        list_of_one(self.bound, type_, field_type, field)

    def _no_block(self, field_type: FieldType, item: Field) -> None:
        from caffelint.schema.mistakes import no_block

        no_block(self.bound, field_type, item)

    def _wrong(self, field_type: FieldType, item: Field, message: str) -> None:
        self.problems.append(Problem("wrong-value-type", item.value_start, item.end, message, field=field_type.name))

    def _unknown_enum_value(self, type_: MessageType, field_type: FieldType, item: Field) -> int | None:
        from caffelint.schema.mistakes import unknown_enum_value

        return unknown_enum_value(self.bound, type_, field_type, item)

    def _required(self, type_: MessageType, seen: set[str], node: Field) -> None:
        for name in type_.required:
            if name not in seen:
                from caffelint.schema.mistakes import missing_required

                missing_required(self.bound, type_, name, node)
