"""The tree of a text becomes Caffe's own protobuf messages, each of which knows where it is in the text.

What C++ protobuf 3.12 refuses (text_format.cc, ConsumeField and ConsumeFieldValue) is a problem here, and binding
goes on after it: all that can be understood is in the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from caffelint.schema.bound import NET, Bound, ForkUse
from caffelint.schema.tables import ENUM, FLOAT, INTEGER, MESSAGE, STRING, FieldType, MessageType, message_type
from caffelint.schema.template import Template, learn
from caffelint.text import tree
from caffelint.text.parser import Block
from caffelint.text.scalars import string_value
from caffelint.text.tree import LIST, Field

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from caffelint.schema.project import ProjectCaffe
    from caffelint.text.parser import Document

_MAX_DEPTH = 64
_SAFE_DIGITS = 9
"""So many digits fit into every integer type."""
_SAFE_FLOAT = 3.4e38


def bind(document: Document, message: Message, dialect: str | None = None, caffe: ProjectCaffe | None = None) -> Bound:
    """Fill `message` (a new NetParameter or SolverParameter) from the document.

    `dialect` is a fork's name of `caffelint.schema.provenance`: fields that it lacks become problems then.
    So do those that `caffe` lacks, the one of the text's own project, in place of a dialect.
    """
    bound = Bound(document, message, dialect, caffe)
    binder = _Binder(bound)
    descriptor: Any = message.DESCRIPTOR
    type_ = caffe.message_type(descriptor.name, descriptor) if caffe else message_type(descriptor)
    binder.fill(message, type_, document.root)
    binder.finish()
    return bound


def _is_plain(number: str) -> bool:
    """Is a number decimal digits alone, few enough to fit any field, and not octal?"""
    return number.isdigit() and (number[0] != "0" or number == "0") and len(number) <= _SAFE_DIGITS


class _Nothing:
    """Stands in for a message that nobody needs: the fields of its type are not kept either."""

    layer: tuple[()] = ()
    layers: tuple[()] = ()


class _Binder:
    """Fills messages from blocks. What is unusual is left to `Mistakes`, which is made when first needed."""

    def __init__(self, bound: Bound):
        self.bound = bound
        self.nodes = bound._nodes
        self.kept = bound._kept
        self.of_a_fork = not bound.has_bvlc_dialect
        self.parents: list[MessageType] = []
        self.strays: list[Field] = []
        self.asked = 0
        """How often something was unusual."""
        self.fork_uses: dict[Template, list[ForkUse]] = {}
        """Those of the first layer of each template; they stand for those of the layers after it, too."""
        self._mistakes: Any = None

    @property
    def mistakes(self) -> Any:
        self.asked += 1
        if self._mistakes is None:
            from caffelint.schema.mistakes import Mistakes

            self._mistakes = Mistakes(self.bound, self.parents)
        return self._mistakes

    def finish(self) -> None:
        if self._mistakes is not None:
            self._mistakes.finish()

    def fill(self, message: Any, type_: MessageType, node: Field) -> None:
        types = type_.made
        of_a_fork = self.of_a_fork
        seen: set[str] = set()
        for field in node.fields:
            field_type = types.get(field.name) or type_.field(field.name)
            if field_type is None:
                field_type = self._unknown(type_, field, node)
                if field_type is None:
                    continue
            elif field_type.fork_only or of_a_fork:
                asked = self.asked
                self.mistakes.fork_field(type_, field_type, field)
                if not self.bound.knows_caffe:
                    self.asked = asked  # it was noted, and nothing objected to
            name = field_type.name
            repeated = field_type.repeated
            if not repeated:
                if name in seen:
                    self.mistakes.repeated_scalar(type_, field_type, field, node)
                    continue
                seen.add(name)
            kind = field.kind
            if kind == LIST:
                self._list(message, type_, field_type, field)
                continue
            form = field_type.form
            # A whole number is the usual way to write lr_mult and most other floats.
            if kind != field_type.usual and not (form == FLOAT and kind == tree.INTEGER and _is_plain(field.text)):
                self._unusual(message, type_, field_type, field)
                continue
            if form == MESSAGE:
                self._message(message, type_, field_type, field)
                if self.strays and type_.name == NET:
                    self._adopt(message, type_)
                continue
            text = field.text
            if form == STRING:
                value: Any = text[1:-1]
                if "\\" in value or text[0] in value or not value.isascii():
                    value = string_value(text)
            elif form == INTEGER:
                if not _is_plain(text):
                    self._unusual(message, type_, field_type, field)
                    continue
                value = int(text)
            elif form == FLOAT:
                if text[-1] in "fF" or not -_SAFE_FLOAT < (value := float(text)) < _SAFE_FLOAT:
                    self._unusual(message, type_, field_type, field)
                    continue
            else:
                value = field_type.words.get(text)
                if value is None or (of_a_fork and form == ENUM):
                    self._unusual(message, type_, field_type, field)
                    continue
            if not field_type.kept:
                continue
            if field_type.kept_as_list:
                getattr(message, name).append(value)
            else:
                setattr(message, name, value)
        if type_.required:
            self.mistakes.missing_required(type_, seen, node)
        if type_.name == NET and len(message.layer) and len(message.layers):
            self.mistakes.mixed_formats(node)

    def _message(self, message: Any, type_: MessageType, field_type: FieldType, field: Field) -> None:
        if not field_type.kept:
            self._dropped(type_, field_type, field)
            return
        inner: Any = getattr(message, field_type.name)
        if field_type.kept_as_list:
            inner = inner.add()
        else:
            inner.SetInParent()
        self.nodes[id(inner)] = field
        self.kept.append(inner)
        parents = self.parents
        inner_type = field_type.message
        if len(parents) >= _MAX_DEPTH or inner_type is None:
            return
        block = field if isinstance(field, Block) and field.frame is not None and not self.of_a_fork else None
        if block is not None and (template := inner_type.templates.get(block.frame)) is not None:
            known = template in self.fork_uses or not template.has_fork_fields
            if known and (made := template.serialized(block.strings)) is not None:
                inner.MergeFromString(made)
                self.bound.fork_uses += self.fork_uses.get(template, ())
                self.bound.folded.append((inner, field))
                return
        asked, uses = self.asked, len(self.bound.fork_uses)
        parents.append(type_)
        self.fill(inner, inner_type, field)
        parents.pop()
        if block is not None and self.asked == asked:
            found = self.bound.fork_uses[uses:]
            if not found or type_.name == NET:
                self.fork_uses[learn(inner, inner_type, block, bool(found))] = found

    def _dropped(self, type_: MessageType, field_type: FieldType, field: Field) -> None:
        """Check a block that the merged schema has no place for."""
        if len(self.parents) < _MAX_DEPTH and field_type.message is not None:
            self.parents.append(type_)
            self.fill(_Nothing(), field_type.message, field)
            self.parents.pop()

    def _adopt(self, message: Any, type_: MessageType) -> None:
        """Bind layers that are inside another one, because a brace is missing, as if they came after it."""
        for stray in self.strays:  # which may find more
            if field_type := type_.field(stray.name):
                self._message(message, type_, field_type, stray)
        self.strays.clear()

    def _list(self, message: Any, type_: MessageType, field_type: FieldType, field: Field) -> None:
        items: Sequence[Field] = field.fields
        if not field_type.repeated:
            items = self.mistakes.list_of_one(type_, field_type, field)
        elif field_type.form != MESSAGE:
            self.mistakes.list_without_colon(field)
        for item in items:
            if item.kind == field_type.usual == tree.MESSAGE:
                self._message(message, type_, field_type, item)
            else:
                self._unusual(message, type_, field_type, item)

    def _unusual(self, message: Any, type_: MessageType, field_type: FieldType, item: Field) -> None:
        """A scalar that is written in another way than most, or wrongly."""
        value = self.mistakes.value(type_, field_type, item)
        if value is None or not field_type.kept:
            return
        with suppress(ValueError):  # a number of 64 bits, where the merged schema has 32
            if field_type.kept_as_list:
                getattr(message, field_type.name).append(value)
            else:
                setattr(message, field_type.name, value)

    def _unknown(self, type_: MessageType, field: Field, node: Field) -> FieldType | None:
        if field.name in ("layer", "layers") and field.kind == tree.MESSAGE and type_.name != NET:
            if any(parent.name == NET for parent in self.parents):
                self.mistakes.nested_layer(field, node)
                self.strays.append(field)
                return None
        known: FieldType | None = self.mistakes.unknown_field(type_, field, node)
        return known
