"""Names of enum values, as prototxt writes them."""

from __future__ import annotations

from typing import Any


def enum_name(message: Any, field: str) -> str:
    """The name of a field's value, such as `MAX` for `pool`, which may be a fork's; "" where the field is no enum."""
    enum = message.DESCRIPTOR.fields_by_name[field].enum_type
    return str(enum.values_by_number[getattr(message, field)].name) if enum else ""
