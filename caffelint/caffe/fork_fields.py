"""Fields that only forks of Caffe have."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.place import FieldPath
from caffelint.schema.tables import FIRST_FORK_NUMBER


def bvlc_fields(message: Any, *blocks: str) -> frozenset[str]:
    """The names of the fields that Caffe 1.0 has in these blocks of a message's type."""
    types = (message.DESCRIPTOR.fields_by_name[block].message_type for block in blocks)
    return frozenset(field.name for type_ in types for field in type_.fields if field.number < FIRST_FORK_NUMBER)


def has_fork_fields(message: Any) -> bool:
    """Does a layer use a field that only forks have? What such a fork makes of the rest cannot be known."""
    return message is not None and fork_field(message, ()) is not None


def fork_field(message: Any, path: FieldPath) -> tuple[FieldPath, str] | None:
    """Path of the first field inside that Caffe 1.0 lacks, and the message type that lacks it."""
    for field, value in message.ListFields():
        here = (*path, field.name)
        if field.number >= FIRST_FORK_NUMBER:
            return here, message.DESCRIPTOR.full_name
        if field.message_type is not None:
            for item in [value] if hasattr(value, "CopyFrom") else value:
                found = fork_field(item, here)
                if found is not None:
                    return found
    return None
