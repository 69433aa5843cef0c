"""`layers { type: CONVOLUTION }` to `layer { type: "Convolution" }`.

UpgradeNetDataTransformation and UpgradeV1Net in Caffe's util/upgrade_proto.cpp.
"""

from __future__ import annotations

from caffelint.caffe.old_formats import (
    TRANSFORM_FIELDS,
    TRANSFORMED_TYPES,
    V1_FORK_TYPES,
    V1_PARAM_FIELDS,
    V1_TYPES,
)
from caffelint.caffe.upgrade import same_kind
from caffelint.fix.upgrade.left import CannotUpgrade
from caffelint.fix.upgrade.pieces import Block, Layout, Piece, comment_lines, comments_in
from caffelint.fix.upgrade.v0 import connections
from caffelint.fix.upgrade.wrap import set_on_line, spread_lists, wrap
from caffelint.schema.messages import LayerParameter, V1LayerParameter
from caffelint.schema.provenance import provenance
from caffelint.text.scalars import integer_value

_CURRENT = 2
_REST = "and write each blobs_lr as param { lr_mult: ... }"
_ORDER = ("param", "blobs_lr", "weight_decay", "blob_share_mode")


def upgrade_net(layout: Layout) -> int:
    """Write the layers in the current format; in how many of them transformation fields moved."""
    moved = sum(_upgrade_layer(layout, block) for _, block in connections(layout.root))
    for piece in layout.root.all("layers"):
        piece.name = "layer"
    return moved


def _upgrade_layer(layout: Layout, layer: Block) -> bool:
    moved = False
    for piece in layer.pieces:
        if piece.name not in ("type", *V1_PARAM_FIELDS) and not _has_home(piece.name):
            raise CannotUpgrade(
                piece.start,
                f"{piece.name} is a field of layers {{ }}, and no known Caffe has it in layer {{ }}; remove it, or keep"
                " this file as it is",
            )
    type_piece = layer.first("type")
    if type_piece and str(type_piece.value)[0] in "\"'":
        raise CannotUpgrade(
            type_piece.start,
            f"type: {type_piece.value} is a type of layer {{ }}, but this block is layers {{ }}; rename the block to"
            f" layer, {_REST if layer.first('blobs_lr') else 'as caffelint check --fix does'}",
        )
    if type_piece:
        enum_name = _enum_name(str(type_piece.value))
        name = _type_name(enum_name)
        if name is None:
            raise CannotUpgrade(
                type_piece.start,
                f"type: {enum_name} is a fork's and has no known name in the current format; rewrite the layer, or keep"
                " this file as it is",
            )
        type_piece.value = f'"{name}"'
        if block := TRANSFORMED_TYPES.get(enum_name):
            moved = _move_transform(layout, layer, block)
    spread_lists(layout, layer, _ORDER)
    rows: list[list[Piece]] = []
    for name in _ORDER:
        for index, piece in enumerate(layer.all(name)):
            if index == len(rows):
                rows.append([])
            rows[index].append(piece)
            piece.name = V1_PARAM_FIELDS[name]
    if rows:
        wrap(layout, layer, rows, "param", short=layout.one_line)
    return moved


def _has_home(name: str) -> bool:
    old = V1LayerParameter.DESCRIPTOR.fields_by_name.get(name)
    return old is not None and same_kind(old, LayerParameter.DESCRIPTOR.fields_by_name.get(name))


def _enum_name(text: str) -> str:
    if text[0].isdigit() or text[0] == "-":
        return str(V1LayerParameter.LayerType.Name(integer_value(text)))
    return text


def _move_transform(layout: Layout, layer: Block, block: str) -> bool:
    """Put what older nets say in data_param of cropping, scaling and the like into transform_param."""
    data = layer.first(block)
    fields = data.block.all(*TRANSFORM_FIELDS) if data else []
    if data is None or not fields:
        return False
    transform = layer.first("transform_param")
    if transform is None:
        _beside(layout, layer, data, fields)
    else:
        _into(layout, transform.block, data.block, fields)
    return True


def _beside(layout: Layout, layer: Block, data: Piece, fields: list[Piece]) -> None:
    """Make a transform_param after `data`."""
    wrap(layout, data.block, [fields], "transform_param")
    made = next(piece for piece in data.block.pieces if piece.name == "transform_param")
    own_line = layer.starts_line(data) and data.ends_line
    data.block.take(made)
    made.lead = comment_lines(made.lead)
    layer.pieces.insert(layer.index(data) + 1, made)
    if own_line:
        set_on_line(layout, made, data.indent)
        return
    said = comments_in(made.after)
    made.indent, made.after = " ", data.after
    data.after = "".join(f"  {comment}{layout.newline}" for comment in said)


def _into(layout: Layout, target: Block, source: Block, fields: list[Piece]) -> None:
    """Put the fields at the end of a transform_param that is there; what it says itself counts no more."""
    for field in fields:
        source.take(field)
        present = target.first(field.name)
        if present:
            target.take(present)
            field.lead += layout.lines(comments_in(present.write()), field.indent)
        last = target.pieces[-1] if target.pieces else None
        if last is None or (target.starts_line(last) and last.ends_line):
            if not target.head.endswith("\n") and last is None:
                target.head, target.tail = layout.newline, target.tail or " "
            target.pieces.append(field)
            set_on_line(layout, field, last.indent if last else layout.indent_in(target))
        elif field.lead or "#" in field.after:
            last.after += layout.newline
            target.pieces.append(field)
            set_on_line(layout, field, layout.indent_in(target))
        else:
            field.indent, field.after = " ", last.after
            last.after = ""
            target.pieces.append(field)


def _type_name(enum_name: str) -> str | None:
    """Today's name of a V1 type; for the type of a fork, if a fork that reads the current format has both names."""
    if enum_name in V1_TYPES:
        return V1_TYPES[enum_name]
    name = V1_FORK_TYPES.get(enum_name)
    if name is None:
        return None
    known = provenance()
    forks = known.enum_value("V1LayerParameter.LayerType", enum_name) & known.layer_type(name)
    return name if any(known.generation(fork) == _CURRENT for fork in forks) else None
