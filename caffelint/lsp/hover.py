"""What a thing in the text is, for whoever points at it: a field, a value, a layer, a blob, a rule."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from textwrap import indent

from lsprotocol.types import Hover, HoverParams, MarkupContent, MarkupKind

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net import Layer, Net
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.shapes import count
from caffelint.caffe.shapes import text as shape_text
from caffelint.lint.registry import find_rule
from caffelint.lint.weights import starts_from_weights
from caffelint.lsp.builds import assumption, builds, built_layer, shown_shape, state_name, unknown_data
from caffelint.lsp.documents import View
from caffelint.lsp.spot import Spot, layer_at, spot
from caffelint.lsp.training import beginning, gradient_flow
from caffelint.schema.comments import comment
from caffelint.schema.provenance import provenance
from caffelint.schema.tables import BOOL, ENUM, MESSAGE, FieldType, MessageType
from caffelint.text.scalars import string_value

_DIRECTIVE = re.compile(r"#\s*caffelint:\s*ignore(?:-file)?\[([^\]\n]*)\]?")
_SCALARS = {
    1: "double",
    2: "float",
    3: "int64",
    4: "uint64",
    5: "int32",
    8: "bool",
    9: "string",
    12: "bytes",
    13: "uint32",
}
_MOST_READERS = 8


def hover(view: View, params: HoverParams) -> Hover | None:
    """What is at a position, in Markdown; None where nothing is."""
    offset = view.lines.offset(params.position)
    if (rule := _rule(view, offset)) is not None:
        text, start, end = rule
        return _hover(view, text, start, end)
    found = spot(view.file, offset)
    if found is None:
        return None
    span = found.field.name_span if found.in_name else found.field.value_span
    return _hover(view, "\n\n".join(_about(view, found)), *span)


def _hover(view: View, text: str, start: int, end: int) -> Hover | None:
    return Hover(MarkupContent(MarkupKind.Markdown, text), view.lines.range(start, end)) if text else None


def _about(view: View, found: Spot) -> Iterator[str]:
    field = found.field
    layer = layer_at(view.nets, field.start)
    outer = found.fields[-2].name if len(found.fields) > 1 else ""
    is_own = layer is not None and (field is layer.node or found.fields[-2:-1] == (layer.node,))
    if layer is not None and is_own and (field is layer.node or field.name in ("name", "type") and not found.in_name):
        yield from _layer(layer)
        if field is layer.node:
            return
    if layer is not None and found.is_blob and not found.in_name:
        yield from _blob(layer, field.name, string_value(field.text))
        return
    if type_ := found.types[-1]:
        yield from _field(found.messages[-1], type_, outer)
        if type_.enum and not found.in_name and (told := comment(f"{type_.enum.name}.{field.text}")):
            yield f"`{field.text}`: {told}"


def _field(message: MessageType | None, type_: FieldType, outer: str) -> Iterator[str]:
    """What a field is: its type and default, what it does, which Caffes have it."""
    owner = message.name if message else ""
    name = f"{outer}.{type_.name}" if outer else type_.name
    yield f"**{name}**: `{signature(message, type_)}`"
    if told := comment(f"{owner}.{type_.name}") or (comment(type_.message.name) if type_.message else ""):
        yield f"```\n{told}\n```" if "\n" in told else told
    if type_.enum:
        yield "Values: " + ", ".join(f"`{value}`" for value in type_.enum.offered)
    facts = provenance().field(owner, type_.name)
    if facts and "bvlc" not in facts.forks:
        yield f"Not in BVLC's Caffe: only {provenance().describe(facts.forks)} {provenance().has(facts.forks)} it."


def signature(message: MessageType | None, type_: FieldType) -> str:
    """Label, type and default of a field, as caffe.proto would have it: `optional uint32 = 1`."""
    descriptor = message.descriptor.fields_by_name.get(type_.name) if message and message.descriptor else None
    required = message is not None and type_.name in message.required
    label = "repeated" if type_.repeated else "required" if required else "optional"
    if type_.form == MESSAGE:
        return f"{label} {type_.message.name}" if type_.message else label
    kind = type_.enum.name if type_.form == ENUM and type_.enum else "bool" if type_.form == BOOL else ""
    if descriptor is None:
        return f"{label} {kind}".strip()
    kind = kind or _SCALARS.get(descriptor.type, "")
    if type_.repeated or not (descriptor.has_default_value or type_.form in (BOOL, ENUM)):
        return f"{label} {kind}"
    return f"{label} {kind}, default {default(descriptor)}"


def default(descriptor: object) -> str:
    """The default of a field as prototxt writes it."""
    value = descriptor.default_value  # type: ignore[attr-defined]
    enum = descriptor.enum_type  # type: ignore[attr-defined]
    if enum is not None:
        return str(enum.values_by_number[value].name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _layer(layer: Layer) -> Iterator[str]:
    """A layer as Caffe builds it, in each state of the net."""
    yield f'**{layer.type} "{layer.name}"**'
    made = [(built, one) for built in builds(layer.net) if (one := built_layer(built, layer)) is not None]
    told = [(built, [*_built(one), *_trained(built, one, layer.net)]) for built, one in made]
    yield from _by_state([(built, "\n".join(lines)) for built, lines in told])
    if not made:
        yield "Not part of the net in any state that is built."
    if layer.node is not None and layer.node.name == "layers":
        yield f"Written in an older format; Caffe reads it as\n```\nlayer {{\n{indent(str(layer.message), '  ')}}}\n```"


def _by_state(told: Sequence[tuple[BuiltNet, str]]) -> Iterator[str]:
    """Texts on what several states build; the same text once, and the states named where there are several texts."""
    shown: dict[str, list[BuiltNet]] = {}
    for built, text in told:
        shown.setdefault(text, []).append(built)
    for text, states in shown.items():
        yield text if len(shown) == 1 else f"In {' and '.join(map(state_name, states))}:\n{text}"
    for assumed in dict.fromkeys(filter(None, (assumption(built) for built, _ in told))):
        yield f"The text does not give the shape of the data; this is for {assumed}."
    for blob in dict.fromkeys(filter(None, (unknown_data(built) for built, _ in told))):
        yield f'The text does not give the shape of "{blob}"; the setting `input-shape` can.'


def _built(layer: BuiltLayer) -> Iterator[str]:
    for blob in layer.bottoms:
        yield f'- bottom "{blob.original.name}" {shown_shape(blob)}'
    for blob in layer.tops:
        yield f'- top "{blob.original.name}" {shown_shape(blob)}'
    if layer.params:
        shapes = ", ".join(shape_text(param.shape) for param in layer.params)
        yield f"- parameters {sum(count(param.shape) for param in layer.params):,} ({shapes})"
        rates = [f"{param.lr_mult:g}" for param in layer.params]
        yield f"- lr_mult {', '.join(rates)}"
    elif layer.params is None:
        yield "- parameters unknown"
    if all(blob.shape is not None for blob in (*layer.bottoms, *layer.tops)) and (cost := layer.multiply_adds()):
        yield f"- multiply-adds {cost:,}"
    if any(layer.loss_weights):
        yield f"- loss weight {', '.join(f'{weight:g}' for weight in layer.loss_weights)}"


def _trained(built: BuiltNet, layer: BuiltLayer, net: Net) -> Iterator[str]:
    if flow := gradient_flow(built, layer):
        yield f"- {flow}"
    if built.has_loss and not starts_from_weights(net):
        yield from beginning(built, layer)


def _blob(layer: Layer, field: str, name: str) -> Iterator[str]:
    """A blob: its shape, who makes it, who reads it."""
    yield f'**blob "{name}"**'
    told = []
    for built in builds(layer.net):
        one = built_layer(built, layer)
        blobs = () if one is None else one.bottoms if field == "bottom" else one.tops
        if (blob := next((blob for blob in blobs if blob.original.name == name), None)) is not None:
            told.append((built, "\n".join(_about_blob(blob))))
    yield from _by_state(told)


def _about_blob(blob: Blob) -> Iterator[str]:
    blob = blob.original
    yield f"- shape {shown_shape(blob)}"
    if blob.maker is not None:
        yield f'- made by {blob.maker.type} "{blob.maker.name}"' + (" in place" if blob.previous else "")
    readers = [*dict.fromkeys(reader for reader, _ in blob.readers)]
    more = f" and {len(readers) - _MOST_READERS} more" if len(readers) > _MOST_READERS else ""
    named = ", ".join(f'{reader.type} "{reader.name}"' for reader in readers[:_MOST_READERS])
    yield f"- read by {named}{more}" if readers else "- read by no layer"


def _rule(view: View, offset: int) -> tuple[str, int, int] | None:
    """The explanation of a rule that a comment names, and where that name is."""
    line = view.lines.position(offset).line
    start = view.lines.starts[line]
    text = view.text[start : view.lines.end_of(line)]
    for directive in _DIRECTIVE.finditer(text):
        for name in re.finditer(r"[\w-]+", directive[1]):
            first = start + directive.start(1) + name.start()
            if first <= offset <= first + len(name[0]) and (info := find_rule(name[0])):
                told = inspect.cleandoc(info.load().__doc__ or "")
                return f"**{info.code} {info.name}** ({info.severity})\n\n{told}", first, first + len(name[0])
    return None
