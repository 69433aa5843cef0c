"""Values that are written in an unusual way: what they mean, and what was meant where they mean nothing."""

from __future__ import annotations

from typing import Any

from caffelint.schema.tables import BOOL, BYTES, ENUM, FLOAT, INTEGER, LIMITS, STRING, FieldType
from caffelint.text import tree
from caffelint.text.scalars import integer_value, string_bytes, string_value
from caffelint.text.tree import IDENTIFIER, Field

_INFINITE = ("inf", "infinity", "nan")
_ROUNDS_TO_MOST = 3.4028235677973366e38


def read(field_type: FieldType, item: Field) -> Any:
    """The value that Caffe's parser reads from a scalar's text; None where it refuses it.

    C++ protobuf 3.12, text_format.cc: ConsumeFieldValue, ConsumeDouble, ConsumeSignedInteger.
    """
    form, kind, text = field_type.form, item.kind, item.text
    if form == FLOAT:
        number = _number(kind, text)
        # Rounding goes to the largest float, not to infinity (stubs/common.h of protobuf, SafeDoubleToFloat).
        if number is not None and field_type.high < abs(number) <= _ROUNDS_TO_MOST:
            return field_type.high if number > 0 else field_type.low
        return number
    if form == INTEGER and kind == tree.INTEGER:
        value = integer_value(text)
        signed_zero = value == 0 and text[0] == "-" and field_type.low == 0
        return value if field_type.low <= value <= field_type.high and not signed_zero else None
    if form == STRING and kind == tree.STRING:
        return string_value(text)
    if form == BYTES and kind == tree.STRING:
        return string_bytes(text)
    if form == BOOL:
        if kind == tree.INTEGER and text[0] != "-" and integer_value(text) in (0, 1):
            return bool(integer_value(text))
        return field_type.words.get(text) if kind == IDENTIFIER else None
    if form == ENUM:
        if kind == tree.INTEGER:
            number = integer_value(text)
            return number if number in field_type.words.values() else None
        return field_type.words.get(text) if kind == IDENTIFIER else None
    return None


def _number(kind: int, text: str) -> float | None:
    if kind == tree.FLOAT:
        return float(text.rstrip("fF"))
    if kind == tree.INTEGER:
        digits = text.lstrip("-")
        return float(text) if len(digits) == 1 or digits[0] != "0" else None
    if kind == IDENTIFIER and text.lower().lstrip("-") in _INFINITE:
        return float(text)
    return None


def fits(type_name: str, item: Field) -> bool:
    """Whether a text suits a type of caffe.proto, such as `uint64`, `float`, `string`, `SolverParameter.SolverMode`."""
    kind, text = item.kind, item.text
    if type_name in LIMITS:
        low, high = LIMITS[type_name]
        return kind == tree.INTEGER and low <= integer_value(text) <= high and not (low == 0 and text[0] == "-")
    if type_name in ("float", "double"):
        return _number(kind, text) is not None
    if type_name in ("string", "bytes"):
        return kind == tree.STRING
    if type_name == "bool":
        return kind == IDENTIFIER and text in ("true", "false")
    return kind == IDENTIFIER and text[0] != "-"


def meant(field_type: FieldType, item: Field) -> tuple[Any, str]:
    """The value that was plainly meant by a text of another type, and how to write it; None and "" if none was."""
    form, text = field_type.form, item.text
    inner = string_value(text) if item.kind == tree.STRING else text
    if form == STRING:
        return inner, '"' + inner + '"'
    if form == ENUM and field_type.enum and item.kind == tree.STRING:
        values = field_type.enum.values
        name = inner if inner in values else inner.upper()
        return (values[name], name) if name in values else (None, "")
    if form == ENUM:
        return None, ""  # 0 is a number of few
    if form == BOOL:
        lowered = inner.lower()
        for value, words in ((True, ("true", "yes", "on", "1", "1.0")), (False, ("false", "no", "off", "0", "0.0"))):
            if lowered in words:
                return value, "true" if value else "false"
        return None, ""
    return _meant_number(field_type, item, inner)


def _meant_number(field_type: FieldType, item: Field, inner: str) -> tuple[Any, str]:
    try:
        if field_type.form == FLOAT:
            if item.kind == tree.INTEGER:
                return float(integer_value(inner)), ""
            return float(inner), inner if "_" not in inner else ""
        number = float(inner)
        if number.is_integer() and field_type.low <= number <= field_type.high:
            return int(number), str(int(number))
    except (ValueError, OverflowError):
        pass
    return None, ""
