"""`layers { layer { type: "conv" } }` to `layers { type: CONVOLUTION }`.

UpgradeV0PaddingLayers and UpgradeV0Net in Caffe's util/upgrade_proto.cpp.
"""

from __future__ import annotations

from caffelint.caffe.old_formats import (
    NET_FIELDS_KEPT_FROM_V0,
    V0_FIELDS,
    V0_KEPT_FIELDS,
    V0_TRANSFORM_FIELDS,
    V0_TYPES,
)
from caffelint.fix.upgrade.left import CannotUpgrade
from caffelint.fix.upgrade.pieces import Block, Layout, Piece, comment_lines, comments_in
from caffelint.fix.upgrade.wrap import set_on_line, unwrap, wrap
from caffelint.text.scalars import string_value

_PADDING = "padding"


def upgrade_net(layout: Layout) -> int:
    """Write the layers of the oldest format in the next one; the number of padding layers that were merged."""
    root = layout.root
    for piece in root.pieces:
        if piece.name not in ("layers", *NET_FIELDS_KEPT_FROM_V0):
            raise CannotUpgrade(
                piece.start, f"Caffe drops {piece.name} in a net with layers {{ layer {{ ... }} }}; remove it"
            )
    merged = _merge_padding(layout)
    for _, connection in connections(root):
        _upgrade_layer(layout, connection)
    return merged


def connections(root: Block) -> list[tuple[Piece, Block]]:
    """The blocks of layers, each with the piece that holds it at the top of the net."""
    found = []
    for piece in root.all("layers"):
        blocks = [item.block for item in piece.block.pieces] if piece.is_list else [piece.block]
        found += [(piece, block) for block in blocks]
    return found


def _upgrade_layer(layout: Layout, connection: Block) -> None:
    layer = connection.first("layer")
    for piece in connection.pieces:
        if piece.name not in ("layer", "bottom", "top"):
            raise CannotUpgrade(piece.start, f"Caffe drops {piece.name} next to layer {{ ... }}; remove it")
    if layer is None or not layer.block.pieces:
        return
    inner = layer.block
    type_piece = inner.first("type")
    old_type = string_value(str(type_piece.value)) if type_piece else ""
    if type_piece:
        type_piece.value = V0_TYPES[old_type]
    groups: dict[str, list[Piece]] = {}
    for piece in inner.pieces:
        if piece.name in ("type", *V0_KEPT_FIELDS):
            continue
        if piece.name in V0_TRANSFORM_FIELDS:
            block, piece.name = "transform_param", V0_TRANSFORM_FIELDS[piece.name]
        elif old_type in V0_FIELDS.get(piece.name, ()):
            block, piece.name = V0_FIELDS[piece.name][old_type]
        else:
            raise CannotUpgrade(piece.start, f'Caffe drops {piece.name} in a layer of type "{old_type}"; remove it')
        if block:
            groups.setdefault(block, []).append(piece)
    for block, members in groups.items():
        wrap(layout, inner, [members], block)
    unwrap(layout, connection, layer)


def _merge_padding(layout: Layout) -> int:
    """UpgradeV0PaddingLayers: a padding layer becomes `pad` of the layers that it feeds."""
    root = layout.root
    producers: dict[str, tuple[Piece, Block]] = {}
    paddings = []
    for piece, connection in connections(root):
        if _type_of(connection) == _PADDING:
            if piece.is_list:
                raise CannotUpgrade(piece.start, "a padding layer is in a list; write each layer as a block")
            paddings.append(piece)
        else:
            for bottom in connection.all("bottom"):
                producer = producers.get(string_value(str(bottom.value)))
                if producer and _type_of(producer[1]) == _PADDING:
                    _merge(layout, producer, piece, connection, bottom)
        for top in connection.all("top"):
            producers[string_value(str(top.value))] = piece, connection
    for padding in paddings:
        _remove(layout, padding)
    return len(paddings)


def _type_of(connection: Block) -> str:
    layer = connection.first("layer")
    found = layer.block.first("type") if layer else None
    return string_value(str(found.value)) if found else ""


def _merge(layout: Layout, producer: tuple[Piece, Block], consumer: Piece, connection: Block, bottom: Piece) -> None:
    """Move padding into a layer; comments on the padding go above the layer."""
    padding, padding_block = producer
    source, target = padding_block.first("bottom"), connection.first("layer")
    padding_layer = padding_block.first("layer")
    if source is None or target is None or padding_layer is None:
        raise CannotUpgrade(padding.start, "a padding layer without bottom or layer block")
    bottom.value = source.value
    given = padding_layer.block.first("pad")
    pad = given.copy() if given else Piece("pad", "0")
    inner = target.block
    present = inner.first("pad")
    if present:
        present.value = pad.value
    else:
        before = inner.first("kernelsize") or inner.pieces[-1]
        place = inner.index(before) + 1
        inner.pieces.insert(place, pad)
        if inner.starts_line(before) and before.ends_line:
            pad.middle = ": "
            set_on_line(layout, pad, before.indent)
        else:
            pad.indent, pad.after = " ", before.after
            before.after = ""
    _move_comments(layout, padding, consumer)


def _move_comments(layout: Layout, padding: Piece, consumer: Piece) -> None:
    root = layout.root
    beside = root.index(consumer) == root.index(padding) + 1
    above = padding.lead if beside else comment_lines(padding.lead)
    padding.lead = ""
    inside = comments_in(padding.write())
    padding.value = ""
    padding.after = padding.middle = ""
    below = consumer.lead.lstrip(" \t\r\n")
    cut = consumer.lead.rfind("\n", 0, len(consumer.lead) - len(below)) + 1
    blank, below = consumer.lead[:cut], consumer.lead[cut:]
    consumer.lead = (above or blank) + layout.lines(inside, consumer.indent) + below


def _remove(layout: Layout, padding: Piece) -> None:
    """Take out a padding layer; of one that feeds nothing the comments go to what follows."""
    root = layout.root
    place = root.index(padding)
    following = root.pieces[place + 1] if place + 1 < len(root.pieces) else None
    if padding.value != "" and following:
        _move_comments(layout, padding, following)
    root.take(padding)
    if not following:
        root.tail = layout.lines(comments_in(padding.write()), "") + root.tail
