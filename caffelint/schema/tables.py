"""What the binder needs to know of each message type, read once from its descriptor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor

FIRST_FORK_NUMBER = 10_000
"""Fields and enum values that BVLC's Caffe lacks are numbered from here on in the merged schema."""

MESSAGE, STRING, BYTES, BOOL, ENUM, FLOAT, INTEGER = range(7)
"""What the text of a value must look like."""

_FORMS = {1: FLOAT, 2: FLOAT, 8: BOOL, 9: STRING, 11: MESSAGE, 12: BYTES, 14: ENUM}
_LIMITS = {
    5: (-(1 << 31), (1 << 31) - 1, "int32"),
    13: (0, (1 << 32) - 1, "uint32"),
    3: (-(1 << 63), (1 << 63) - 1, "int64"),
    4: (0, (1 << 64) - 1, "uint64"),
}
_LABEL_REQUIRED = 2


class FieldType(NamedTuple):
    """One field of a message type. `low`, `high` and `type_name` are those of its integer type."""

    name: str
    form: int
    repeated: bool
    fork_only: bool
    message: MessageType | None
    enum: EnumType | None
    low: int
    high: int
    type_name: str


class EnumType:
    """Name and number of each value; `fork_values` are those that BVLC's Caffe lacks."""

    def __init__(self, descriptor: EnumDescriptor):
        self.name = descriptor.full_name.partition(".")[2]
        self.values = {value.name: value.number for value in descriptor.values}
        self.numbers = set(self.values.values())
        self.fork_values = {name for name, number in self.values.items() if number >= FIRST_FORK_NUMBER}


class MessageType:
    """The fields of one message type by name; made on first use, so that a net pays for what it holds only."""

    def __init__(self, descriptor: Descriptor):
        self.descriptor = descriptor
        self.name: str = descriptor.full_name.partition(".")[2]
        self._fields: dict[str, FieldType] | None = None
        self._required: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, FieldType]:
        if self._fields is None:
            self._fields = {}
            required = []
            for field in self.descriptor.fields:
                type_number: int = field.type
                low, high, type_name = _LIMITS.get(type_number, (0, 0, ""))
                self._fields[field.name] = FieldType(
                    field.name,
                    _FORMS.get(type_number, INTEGER),
                    _is_repeated(field),
                    field.number >= FIRST_FORK_NUMBER,
                    message_type(field.message_type) if field.message_type else None,
                    _enum_type(field.enum_type) if field.enum_type else None,
                    low,
                    high,
                    type_name,
                )
                if _is_required(field):
                    required.append(field.name)
            self._required = tuple(required)
        return self._fields

    @property
    def required(self) -> tuple[str, ...]:
        return self._required if self.fields else ()


def _is_repeated(field: object) -> bool:
    # `label` is deprecated in protobuf 6 and gone in 7; the properties are absent before.
    repeated = getattr(field, "is_repeated", None)
    return bool(getattr(field, "label") == 3 if repeated is None else repeated)  # noqa: B009


def _is_required(field: object) -> bool:
    required = getattr(field, "is_required", None)
    return bool(getattr(field, "label") == _LABEL_REQUIRED if required is None else required)  # noqa: B009


_messages: dict[str, MessageType] = {}
_enums: dict[str, EnumType] = {}


def message_type(descriptor: Descriptor) -> MessageType:
    """The one `MessageType` of a descriptor."""
    name: str = descriptor.full_name
    if name not in _messages:
        _messages[name] = MessageType(descriptor)
    return _messages[name]


def _enum_type(descriptor: EnumDescriptor) -> EnumType:
    name: str = descriptor.full_name
    if name not in _enums:
        _enums[name] = EnumType(descriptor)
    return _enums[name]
