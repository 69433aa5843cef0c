"""What the binder needs to know of each message type, read once from its descriptor."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from caffelint.text import tree

if TYPE_CHECKING:
    from caffelint.schema.template import Template

FIRST_FORK_NUMBER = 10_000
"""Fields and enum values that BVLC's Caffe lacks are numbered from here on in the merged schema."""

MESSAGE, STRING, BYTES, BOOL, ENUM, FLOAT, INTEGER = range(7)
"""What the text of a value must look like."""

_FORMS = {1: FLOAT, 2: FLOAT, 8: BOOL, 9: STRING, 11: MESSAGE, 12: BYTES, 14: ENUM}
USUAL = {
    MESSAGE: tree.MESSAGE,
    STRING: tree.STRING,
    BYTES: tree.STRING,
    BOOL: tree.IDENTIFIER,
    ENUM: tree.IDENTIFIER,
    FLOAT: tree.FLOAT,
    INTEGER: tree.INTEGER,
}
LARGEST = {"double": 1.7976931348623157e308, "float": 3.4028234663852886e38}
_NAMES = {1: "double", 2: "float", 5: "int32", 13: "uint32", 3: "int64", 4: "uint64"}
LIMITS = {
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
    "uint64": (0, (1 << 64) - 1),
}
BOOLS: dict[str, int] = {"true": True, "True": True, "t": True, "false": False, "False": False, "f": False}


class FieldType:
    """One field of a message type.

    `usual` is the kind of text (`caffelint.text.tree`) that a value mostly has, `words` what identifiers mean
    in BVLC's Caffe; `low` and `high` are the limits of a number. `kept`: has the merged schema a place for its values?
    `kept_as_list`: is that place a repeated field?
    """

    __slots__ = (
        "enum",
        "fork_only",
        "form",
        "high",
        "kept",
        "kept_as_list",
        "low",
        "message",
        "name",
        "repeated",
        "usual",
        "words",
    )

    def __init__(self, descriptor: Any):
        self.kept = True
        self.name: str = descriptor.name
        self.form = _FORMS.get(descriptor.type, INTEGER)
        self.usual = USUAL[self.form]
        self.repeated = self.kept_as_list = _is_repeated(descriptor)
        self.fork_only = bool(descriptor.number >= FIRST_FORK_NUMBER)
        self.message = message_type(descriptor.message_type) if descriptor.message_type else None
        self.enum = _enum_type(descriptor.enum_type) if descriptor.enum_type else None
        largest = LARGEST.get(_NAMES.get(descriptor.type, ""), 0.0)
        self.low: float
        self.high: float
        self.low, self.high = LIMITS.get(_NAMES.get(descriptor.type, ""), (-largest, largest))
        self.words: dict[str, int] = self.enum.of_bvlc if self.enum else BOOLS if self.form == BOOL else {}


class EnumType:
    """Name and number of each value; `of_bvlc` are those that BVLC's Caffe has.

    `unkept` are values of a project's own Caffe that the merged schema has no number for; `offered` are the names that
    a message gives to choose from.
    """

    def __init__(self, name: str, values: dict[str, int], unkept: tuple[str, ...] = ()):
        self.name = name
        self.values = values
        self.of_bvlc = {name: number for name, number in self.values.items() if number < FIRST_FORK_NUMBER}
        self.unkept = unkept
        self.offered = [*self.values, *unkept] if unkept else list(self.of_bvlc or self.values)


class MessageType:
    """The fields of one message type by name; each is made on first use, so that a net pays for what it holds only.

    `made` are those that were asked for so far; `required` names those that must be set. `templates` are the blocks of
    this type that are known, by `Block.frame`.
    """

    def __init__(self, descriptor: Any, name: str = ""):
        self.descriptor = descriptor
        self.name: str = descriptor.full_name.partition(".")[2] if descriptor is not None else name
        self.made: dict[str, FieldType] = {}
        self.templates: dict[str | None, Template] = {}
        self._fields: dict[str, FieldType] | None = None

    def field(self, name: str) -> FieldType | None:
        """The field of that name; None where the message has none."""
        found = self.made.get(name) or self._make(name)
        if found is not None:
            self.made[name] = found
        return found

    def of_others(self, name: str) -> FieldType | None:
        """The field of that name which other Caffes have and this one lacks."""
        return None

    def _make(self, name: str) -> FieldType | None:
        descriptor = self.descriptor.fields_by_name.get(name)
        return None if descriptor is None else FieldType(descriptor)

    @property
    def fields(self) -> dict[str, FieldType]:
        """All fields, in the order of the schema."""
        if self._fields is None:
            self._fields = {
                field.name: self.made.get(field.name) or FieldType(field) for field in self.descriptor.fields
            }
            self.made.update(self._fields)
        return self._fields

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.descriptor.fields if _is_required(field))


def _is_repeated(field: Any) -> bool:
    # `label` is deprecated in protobuf 6 and gone in 7; the properties are absent before.
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)


def _is_required(field: Any) -> bool:
    required = getattr(field, "is_required", None)
    return bool(field.label == field.LABEL_REQUIRED if required is None else required)


_messages: dict[str, MessageType] = {}
_enums: dict[str, EnumType] = {}


def message_type(descriptor: Any) -> MessageType:
    """The one `MessageType` of a descriptor."""
    name: str = descriptor.full_name
    if name not in _messages:
        _messages[name] = MessageType(descriptor)
    return _messages[name]


def _enum_type(descriptor: Any) -> EnumType:
    name: str = descriptor.full_name
    if name not in _enums:
        values = {value.name: value.number for value in descriptor.values}
        _enums[name] = EnumType(name.partition(".")[2], values)
    return _enums[name]


@lru_cache(maxsize=1000)
def is_field(name: str) -> bool:
    """Whether any message of any known Caffe has a field of that name."""
    from caffelint.schema.messages import NetParameter

    messages: list[Any] = list(NetParameter.DESCRIPTOR.file.message_types_by_name.values())
    while messages:
        message = messages.pop()
        if name in message.fields_by_name:
            return True
        messages += message.nested_types
    return False
