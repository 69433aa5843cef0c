"""`input` and `input_dim` of a net to a layer of type Input: UpgradeNetInput in Caffe's util/upgrade_proto.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.fix.upgrade.pieces import Block, Layout, Piece, comment_lines, comments_in
from caffelint.fix.upgrade.wrap import set_on_line, spread_lists

FIELDS = ("input", "input_dim", "input_shape", "shape")
"""The last one is what some forks call input_shape."""
_RANK = 4


def upgrade_net(layout: Layout) -> None:
    """Put one layer in the place of the inputs, or before the first layer if that comes sooner.

    Each input has its shape (`caffelint.caffe.upgrade` has seen to it); shapes in excess are left out, as Caffe does.
    """
    root = layout.root
    spread_lists(layout, root, FIELDS)
    fields = root.all(*FIELDS)
    first, inputs = fields[0], root.all("input")
    _leave_comments(root)
    layout.step = _step(layout, fields)
    if any(piece.ends_line for piece in fields[:-1]):
        root.break_line_before(first, layout.newline, "")
    before = next((piece for piece in root.pieces if piece.name in ("layer", "layers")), first)
    if root.index(before) > root.index(first):
        before = first
    own_line = root.starts_line(before) and (before is not first or any(piece.ends_line for piece in fields))
    layer = Piece("layer", Block(), before.indent, layout.newline * own_line, " ")
    if not own_line and root.index(before):
        layer.indent = before.indent or " "
    elif before is not first and not own_line:
        before.indent = before.indent or " "
    root.pieces.insert(root.index(before), layer)
    root.take(*fields)
    layer.lead = first.lead if before is first else comment_lines(first.lead)
    first.lead = ""
    shapes, extra = _shapes(layout, fields, len(inputs), own_line)
    for piece in inputs:
        piece.name = "top"
    inner = [Piece("name", '"input"', " "), Piece("type", '"Input"', " "), *inputs, _input_param(layout, shapes)]
    comments = [comment for piece in extra for comment in comments_in(piece.write())]
    _fill(layout, layer.block, inner, layer.indent, own_line)
    if comments:
        inner[-1].lead = layout.lines(comments, layer.indent + layout.step) + inner[-1].lead
    following = root.index(layer) + 1
    if not own_line and following < len(root.pieces) and not layer.ends_line:
        root.pieces[following].indent = root.pieces[following].indent or " "


def _leave_comments(root: Block) -> None:
    """Keep comments above an input that comes after layers in place: they may be about those."""
    for index, piece in reversed(list(enumerate(root.pieces))):
        if index and piece.name in FIELDS and root.pieces[index - 1].name in ("layer", "layers"):
            following = next((other for other in root.pieces[index:] if other.name not in FIELDS), None)
            if following:
                ends_blank = piece.lead.endswith(("\n\n", "\n\r\n"))
                following.lead = piece.lead + (following.lead.lstrip("\r\n") if ends_blank else following.lead)
            else:
                root.tail = piece.lead + root.tail
            piece.lead = ""


def _step(layout: Layout, fields: Sequence[Piece]) -> str:
    """The indentation of the shapes that are there, which may not be that of the layers."""
    for piece in fields:
        if not isinstance(piece.value, str) and piece.block.pieces and piece.block.head.endswith("\n"):
            indent = piece.block.pieces[0].indent.removeprefix(piece.indent)
            if indent:
                return indent
    return layout.step


def _shapes(layout: Layout, fields: Sequence[Piece], count: int, own_line: bool) -> tuple[list[Piece], list[Piece]]:
    """The shape of each input, and the fields that stay unused."""
    dims = [piece for piece in fields if piece.name == "input_dim"]
    given = [piece for piece in fields if piece.name in ("input_shape", "shape")]
    if given:
        for piece in given[:count]:
            piece.name = "shape"
        return given[:count], given[count:] + dims
    shapes = []
    for index in range(count):
        own = dims[_RANK * index : _RANK * index + _RANK]
        shape = Piece("shape", Block(), middle=" ")
        shape.lead = comment_lines(own[0].lead)
        own[0].lead = ""
        for piece in own:
            piece.name = "dim"
        _fill(layout, shape.block, own, "", False)
        shapes.append(shape)
    return shapes, dims[_RANK * count :]


def _input_param(layout: Layout, shapes: list[Piece]) -> Piece:
    param = Piece("input_param", Block(), middle=" ")
    if len(shapes) == 1:
        param.lead, shapes[0].lead = comment_lines(shapes[0].lead), ""
    _fill(layout, param.block, shapes, "", len(shapes) > 1)
    return param


def _fill(layout: Layout, block: Block, pieces: Sequence[Piece], indent: str, many_lines: bool) -> None:
    """Put fields into a new block, on one line if they may and have neither comments nor lines of their own."""
    for piece in pieces:
        piece.lead = comment_lines(piece.lead)
        piece.drop_separator()
        if "#" not in piece.after:
            piece.after = ""
    many_lines = many_lines or any("\n" in piece.write() for piece in pieces)
    if many_lines:
        block.head, block.tail = layout.newline, indent
        for piece in pieces:
            set_on_line(layout, piece, indent + layout.step)
    else:
        for piece in pieces:
            piece.indent = " "
        block.tail = " "
    block.pieces = list(pieces)
