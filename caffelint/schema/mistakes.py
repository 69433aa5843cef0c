"""Where a text and the schema disagree: what to say, and what was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caffelint.schema import tables
from caffelint.schema.bind import ForkUse
from caffelint.schema.provenance import provenance
from caffelint.schema.spelling import suggest
from caffelint.text.scalars import integer_value, string_value
from caffelint.text.tree import BROKEN, IDENTIFIER, INTEGER, LIST, MESSAGE, STRING, Field, Problem

if TYPE_CHECKING:
    from caffelint.schema.bind import Bound
    from caffelint.schema.tables import EnumType, FieldType, MessageType

_LAYERS = ("LayerParameter", "V1LayerParameter")


def _line(bound: Bound, offset: int) -> int:
    return bound.document.source.position(offset).line


def _block(node: Field, type_: MessageType) -> str:
    """How to name the block that a field stands in."""
    if node.name:
        return node.name
    return "a solver" if type_.name == "SolverParameter" else "a net"


# Fields.


def unknown_field(bound: Bound, type_: MessageType, field: Field, node: Field) -> FieldType | None:
    """Report a field that no known Caffe has; the field that was meant, where one is near and not there yet."""
    name, types = field.name, type_.fields
    start, end = field.name_span
    if field.name == "" or field.kind == BROKEN and any(p.start == field.start for p in bound.document.problems):
        return None
    if name in ("layer", "layers") and type_.name in _LAYERS:
        message = f"{name} stands inside the {node.name} of line {_line(bound, node.start)}: a '}}' is missing above it"
        _add(bound, "syntax-error", start, end, message, field=name)
        return None
    if name.lower() in types and name != name.lower() and bound.dialect == "bvlc":
        pass
    known = [other.name for other in types.values() if not other.fork_only]
    meant = suggest(name, known) or suggest(name, types)
    where = _block(node, type_)
    if meant is not None:
        said = f"{where} has no field {name}; did you mean {meant}?"
        _add(bound, "unknown-field", start, end, said, repairs=((start, end, meant),), field=name)
        there = any(other.name == meant for other in node.fields)
        return None if there or types[meant].fork_only and bound.dialect else types[meant]
    home = _other_home(type_, name, node)
    if home:
        _add(bound, "unknown-field", start, end, f"{where} has no field {name}; it belongs into {home}", field=name)
        return None
    certain = bound.dialect is not None
    whose = f"the Caffe of dialect {bound.dialect}" if bound.dialect else "no Caffe that caffelint knows"
    said = f"{where} has no field {name} in {whose}" if certain else f"{whose} has a field {name} in {where}"
    _add(bound, "unknown-field", start, end, said, certain=certain, field=name)
    return None


def _other_home(type_: MessageType, name: str, node: Field) -> str:
    """The neighbouring block that a field was meant for: one that stands beside it, or its type's own."""
    for other in node.fields:
        inner = type_.fields.get(other.name)
        if inner and inner.message and other.kind == MESSAGE and _has(inner.message, name):
            return f"the {other.name} block"
    if type_.name == "LayerParameter":
        written = node.first("type")
        layer_type = string_value(written.text) if written and written.kind == STRING else ""
        for block in sorted(provenance().param_blocks(layer_type)) if layer_type else ():
            inner = type_.fields.get(block)
            if inner and inner.message and _has(inner.message, name):
                return f"a {block} block"
        if name in ("lr_mult", "decay_mult"):
            return "a param block"
    return ""


def _has(type_: MessageType, name: str) -> bool:
    field = type_.fields.get(name)
    return field is not None and not field.fork_only


def fork_field(bound: Bound, type_: MessageType, field_type: FieldType, field: Field) -> bool:
    """Note a field that only forks have; with a dialect, report one that it lacks."""
    dialect = bound.dialect
    if dialect == "bvlc" and not field_type.fork_only:
        return True
    facts = provenance().field(type_.name, field_type.name)
    forks = facts.forks if facts else frozenset()
    if dialect is None:
        bound.fork_uses.append(ForkUse(field, forks, field.name))
    elif dialect not in forks:
        start, end = field.name_span
        whose = provenance().describe(forks)
        message = f"{field.name} is a field of {whose}, and dialect {dialect} lacks it"
        _add(bound, "fork-field", start, end, message, field=field.name)
    return True


def repeated_scalar(bound: Bound, type_: MessageType, field_type: FieldType, field: Field, node: Field) -> None:
    """A single-valued field that stands twice: protobuf refuses it, unless a fork repeats that field."""
    if _fork_repeats(bound, type_, field_type, field):
        return
    first = node.first(field_type.name) or node.first(field.name) or field
    line = _line(bound, first.start)
    what = "block " if field_type.form == tables.MESSAGE else ""
    message = f"{what}{field.name} stands twice in {_block(node, type_)} (first on line {line}); Caffe takes it once"
    start, end = field.name_span
    _add(bound, "repeated-scalar", start, end, message, field=field.name)


def list_of_one(bound: Bound, type_: MessageType, field_type: FieldType, field: Field) -> None:
    """`[a, b]` for a field that takes one value."""
    if _fork_repeats(bound, type_, field_type, field):
        return
    message = f"{field.name} takes one value, not a list"
    repairs: tuple[tuple[int, int, str], ...] = ()
    if len(field.fields) == 1:
        item = field.fields[0]
        repairs = ((field.value_start, field.end, bound.document.source.slice(item.value_start, item.end)),)
    _add(bound, "wrong-value-type", field.value_start, field.end, message, repairs=repairs, safe=True, field=field.name)


def _fork_repeats(bound: Bound, type_: MessageType, field_type: FieldType, field: Field) -> bool:
    facts = provenance().field(type_.name, field_type.name)
    forks: frozenset[str] = frozenset()
    for alternative in facts.alternatives if facts else ():
        if alternative.label == "repeated":
            forks |= alternative.forks
    if bound.dialect is not None:
        return bound.dialect in forks
    if forks:
        bound.fork_uses.append(ForkUse(field, forks, f"repeated {field.name}"))
    return bool(forks)


def no_block(bound: Bound, field_type: FieldType, item: Field) -> None:
    """A scalar or a list where a message is wanted."""
    if item.kind == BROKEN:
        return
    start, end = item.value_span
    message = f"{item.name} is a block: write {item.name} {{ ... }}, not {_shown(bound, item)}"
    _add(bound, "wrong-value-type", start, end, message, field=item.name)


def missing_required(bound: Bound, type_: MessageType, name: str, node: Field) -> None:
    start, end = node.name_span if node.name else (0, 0)
    message = f"{_block(node, type_)} lacks {name}, which Caffe's schema requires"
    _add(bound, "missing-required-field", start, end, message, field=name)


# Values.


def wrong_value(bound: Bound, type_: MessageType, field_type: FieldType, item: Field) -> Any:
    """Report a value of another type than its field's; the value that was meant, None if that is not plain."""
    if _alternative_fits(bound, type_, field_type, item):
        return None
    start, end = item.value_span
    if item.kind in (MESSAGE, LIST):
        message = f"{item.name} takes {_wanted(field_type)}, not a {'block' if item.kind == MESSAGE else 'list'}"
        _add(bound, "wrong-value-type", start, end, message, field=item.name)
        return None
    if type_.name == "V1LayerParameter" and item.name == "type" and item.kind == STRING:
        return _v2_type_in_v1(bound, field_type, item)
    if type_.name == "LayerParameter" and item.name == "type" and item.kind == IDENTIFIER:
        return _v1_type_in_v2(bound, item)
    value, repair = _meant(field_type, item)
    message = f"{item.name} takes {_wanted(field_type)}, not {_shown(bound, item)}"
    if item.kind == INTEGER and field_type.form == tables.INTEGER:
        message = _out_of_range(field_type, item)
    elif item.kind == INTEGER and field_type.form == tables.FLOAT:
        message = f"{item.name} takes a decimal number, and {item.text} is written in octal or hexadecimal"
    repairs = ((start, end, repair),) if repair else ()
    _add(bound, "wrong-value-type", start, end, message, repairs=repairs, safe=bool(repair), field=item.name)
    return value


def _alternative_fits(bound: Bound, type_: MessageType, field_type: FieldType, item: Field) -> bool:
    """Whether a fork gives the field another type, one that the text suits."""
    facts = provenance().field(type_.name, field_type.name)
    for alternative in facts.alternatives if facts else ():
        if not alternative.type or (bound.dialect is not None and bound.dialect not in alternative.forks):
            continue
        suits = {
            "string": item.kind == STRING,
            "bool": item.kind == IDENTIFIER and item.text in ("true", "false"),
            "float": item.kind not in (STRING, MESSAGE, LIST, IDENTIFIER),
            "double": item.kind not in (STRING, MESSAGE, LIST, IDENTIFIER),
        }.get(alternative.type, _is_enum(alternative.type) and item.kind == IDENTIFIER)
        if "int" in alternative.type and item.kind == INTEGER:
            suits = not (alternative.type.startswith("u") and item.text[0] == "-")
        if suits:
            if bound.dialect is None:
                bound.fork_uses.append(ForkUse(item, alternative.forks, item.name))
            return True
    return False


def _is_enum(type_name: str) -> bool:
    return type_name[:1].isupper() or "." in type_name


def _shown(bound: Bound, item: Field) -> str:
    text = bound.document.source.slice(item.value_start, item.end)
    if item.kind == MESSAGE:
        return "a block"
    if item.kind == LIST:
        return "a list"
    if len(text) > 40:
        text = text[:37] + "..."
    kind = "the quoted text " if item.kind == STRING else ""
    return kind + text.replace("\n", " ")


def _wanted(field_type: FieldType) -> str:
    form = field_type.form
    if form == tables.INTEGER:
        return "a whole number" if field_type.low else "a whole number, 0 or more"
    if form == tables.ENUM and field_type.enum:
        values = [name for name in field_type.enum.values if name not in field_type.enum.fork_values]
        listed = ", ".join(values[:6]) + (" ..." if len(values) > 6 else "")
        return f"one of {listed} (without quotes)"
    return {tables.FLOAT: "a number", tables.STRING: "a text in quotes", tables.BOOL: "true or false"}.get(form, "bytes")


def _out_of_range(field_type: FieldType, item: Field) -> str:
    shown = item.text if len(item.text) < 30 else item.text[:27] + "..."
    return f"{item.name} is {shown}; it takes a whole number from {field_type.low} to {field_type.high}"


def _meant(field_type: FieldType, item: Field) -> tuple[Any, str]:
    """The value that was plainly meant, and how to write it."""
    form, text = field_type.form, item.text
    inner = string_value(text) if item.kind == STRING else text
    if form == tables.STRING and item.kind != STRING:
        return inner, '"' + inner + '"'
    if form == tables.ENUM and field_type.enum and item.kind == STRING:
        values = field_type.enum.values
        name = inner if inner in values else inner.upper()
        return (values[name], name) if name in values else (None, "")
    if form == tables.BOOL:
        lowered = inner.lower()
        if lowered in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            value = lowered in ("true", "yes", "on", "1")
            return value, "true" if value else "false"
        return None, ""
    try:
        if form == tables.FLOAT and item.kind in (STRING, INTEGER):
            value = float(inner) if item.kind == STRING else float(integer_value(inner))
            return value, inner if item.kind == STRING else ""
        if form == tables.INTEGER:
            number = float(inner)
            if number.is_integer() and field_type.low <= number <= field_type.high:
                return int(number), str(int(number))
    except (ValueError, OverflowError):
        pass
    return None, ""


def _v2_type_in_v1(bound: Bound, field_type: FieldType, item: Field) -> Any:
    written = string_value(item.text)
    enum = field_type.enum
    names = [name for name in (enum.values if enum else ()) if provenance().v1_type(name) == written]
    hint = f"write type: {names[0]} here, or layer in place of layers" if names else "write layer in place of layers"
    message = f'type: "{written}" is the form of a layer block, this one is layers; {hint}'
    start, end = item.value_span
    repairs = ((start, end, names[0]),) if names else ()
    _add(bound, "mixed-layer-formats", start, end, message, repairs=repairs, field="type")
    return enum.values[names[0]] if enum and names else None


def _v1_type_in_v2(bound: Bound, item: Field) -> Any:
    start, end = item.value_span
    meant = provenance().v1_type(item.text)
    if meant:
        message = f'type: {item.text} is the form of a layers block, this one is layer; write type: "{meant}"'
        _add(bound, "mixed-layer-formats", start, end, message, repairs=((start, end, f'"{meant}"'),), field="type")
        return meant
    message = f'a layer\'s type is a text in quotes: type: "{item.text}"'
    repairs = ((start, end, f'"{item.text}"'),)
    _add(bound, "wrong-value-type", start, end, message, repairs=repairs, safe=True, field="type")
    return item.text


def unknown_enum_value(bound: Bound, type_: MessageType, field_type: FieldType, item: Field) -> int | None:
    """An enum value that no known Caffe has; the number of the one that was meant, if one is near."""
    enum = field_type.enum
    assert enum is not None
    if _alternative_fits(bound, type_, field_type, item):
        return None
    start, end = item.value_span
    known = [name for name in enum.values if name not in enum.fork_values]
    meant = suggest(item.text, known) or suggest(item.text, enum.values)
    v2 = provenance().v1_type(item.text) is None and type_.name == "V1LayerParameter" and item.name == "type"
    said = f"{item.name} has no value {item.text}"
    if meant:
        message = f"{said}; did you mean {meant}?"
        _add(bound, "unknown-enum-value", start, end, message, repairs=((start, end, meant),), field=item.name)
        return enum.values[meant]
    certain = bound.dialect is not None
    choices = "" if v2 else f"; it takes {_wanted(field_type).removesuffix(' (without quotes)')}"
    whose = f" in dialect {bound.dialect}" if certain else " in any Caffe that caffelint knows"
    _add(bound, "unknown-enum-value", start, end, said + whose + choices, certain=certain, field=item.name)
    return None


def fork_enum_value(bound: Bound, enum: EnumType, field_type: FieldType, item: Field) -> None:
    """Note an enum value that only forks have; with a dialect, report one that it lacks."""
    dialect = bound.dialect
    if dialect == "bvlc" and item.text not in enum.fork_values:
        return
    forks = provenance().enum_value(enum.name, item.text)
    if dialect is None:
        bound.fork_uses.append(ForkUse(item, forks, item.text, is_value=True))
    elif dialect not in forks:
        start, end = item.value_span
        message = f"{item.text} is a value of {item.name} in {provenance().describe(forks)}, and dialect {dialect} lacks it"
        _add(bound, "fork-field", start, end, message, field=item.name)


def _add(
    bound: Bound,
    kind: str,
    start: int,
    end: int,
    message: str,
    *,
    certain: bool = True,
    repairs: tuple[tuple[int, int, str], ...] = (),
    safe: bool = False,
    field: str = "",
) -> None:
    bound.problems.append(Problem(kind, start, end, message, certain, "", repairs, safe, field))
