"""Moving fields into a block and out of one, so that comments and layout go with them."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.fix.upgrade.pieces import Block, Layout, Piece, comment_lines, comments_in, shift


def wrap(layout: Layout, block: Block, rows: Sequence[Sequence[Piece]], name: str, short: bool = False) -> None:
    """Put each row of fields of `block` into a separate block called `name`, all in the place of the first field.

    Comments above the field of a row that comes first stay above its block; those of others go into it. `short` allows
    for blocks on one line where the fields had lines of their own.
    """
    row_of = {id(piece): number for number, row in enumerate(rows) for piece in row}
    members = [piece for piece in block.pieces if id(piece) in row_of]
    earliest = {row_of[id(piece)]: piece for piece in reversed(members)}
    first = members[0]
    if any(piece.ends_line for piece in members[:-1]):
        block.break_line_before(first, layout.newline, layout.indent_in(block))
    starting = set(map(id, block.starting_lines()))
    alone = all(id(piece) in starting and piece.ends_line for piece in members)
    last = members[-1]
    own_line = block.starts_line(first) and last.ends_line
    shared = own_line and not block.starts_line(last)
    indent = first.indent if block.starts_line(first) else layout.indent_in(block)
    neighbours = {id(b) for a, b in zip(block.pieces, block.pieces[1:], strict=False) if id(a) in row_of}
    groups = []
    for row in rows:
        group = Piece(name, Block(), indent if own_line else first.indent or " ", layout.newline * own_line, " ")
        group.start = row[0].start
        groups.append(group)
    place = block.index(first)
    block.pieces[place:place] = groups
    block.take(*members)
    if shared:
        groups[-1].after, last.after = last.after, ""
    for number, (group, row) in enumerate(zip(groups, rows, strict=True)):
        top = earliest[number]
        group.lead = top.lead if top is first else comment_lines(top.lead)
        top.lead = ""
        for piece in row:
            if id(piece) not in neighbours or len(rows) > 1:
                piece.lead = comment_lines(piece.lead)
        fill(layout, group.block, row, indent, alone and not short)


def fill(layout: Layout, block: Block, pieces: Sequence[Piece], indent: str, many_lines: bool) -> None:
    """Put fields into a new block that is indented by `indent`; on many lines where they or their comments need it."""
    for piece in pieces:
        piece.after = piece.after if "#" in piece.after else ""
    many_lines = many_lines or any("\n" in piece.write() for piece in pieces)
    if not many_lines:
        for piece in pieces:
            piece.indent, piece.after = " ", ""
        block.tail = " "
    else:
        inner = indent + layout.step
        block.head, block.tail = layout.newline, indent
        for piece in pieces:
            set_on_line(layout, piece, inner)
    block.pieces = list(pieces)


def set_on_line(layout: Layout, piece: Piece, indent: str) -> None:
    """Give a field that was taken from elsewhere a line of its own."""
    if "\n" in piece.write():
        shift(piece, piece.indent, indent)
    piece.indent = indent
    if not piece.ends_line:
        piece.after += layout.newline


def unwrap(layout: Layout, parent: Block, piece: Piece) -> None:
    """Put the fields of a block into `parent` in the place of the block; all its comments stay."""
    inner = piece.block
    index = parent.index(piece)
    outside = layout.indent_in(parent)
    items = inner.pieces
    if index == 0 and not comments_in(parent.head) and parent.starts_line(piece) and not piece.lead:
        parent.head, inner.head = (inner.head, layout.newline) if comments_in(inner.head) else (parent.head, inner.head)
    if inner.head.endswith("\n"):
        parent.break_line_before(piece, layout.newline, outside)
        old = items[0].indent
        for item in items:
            if inner.starts_line(item):
                shift(item, old, piece.indent)
        items[0].lead = piece.lead + layout.lines(comments_in(piece.middle + inner.head), piece.indent) + items[0].lead
    else:
        for item in items[1:]:
            if inner.starts_line(item):
                shift(item, item.indent, outside)
        items[0].lead = piece.lead
        items[0].indent = piece.indent
    last = items[-1]
    piece.drop_separator()
    orphans = comments_in(inner.tail)
    if not last.ends_line and not orphans:
        last.after += piece.after
    else:
        if not last.ends_line:
            last.after += layout.newline
        orphans += comments_in(piece.after)
    following = parent.pieces[index + 1] if index + 1 < len(parent.pieces) else None
    if last.ends_line and not piece.ends_line:
        if following:
            following.indent = outside
        else:
            parent.tail = outside.removesuffix(layout.step) + parent.tail.lstrip(" \t")
    if orphans and following:
        following.lead = layout.lines(orphans, outside) + following.lead
    elif orphans:
        parent.tail = layout.lines(orphans, outside) + parent.tail
    parent.pieces[index : index + 1] = items


def spread_lists(layout: Layout, block: Block, names: Sequence[str]) -> None:
    """Write `dim: [1, 2]` as `dim: 1 dim: 2` for the fields of these names."""
    for piece in [piece for piece in block.all(*names) if piece.is_list]:
        items = []
        comments = [comment for item in piece.block.pieces for comment in comments_in(item.lead + item.after)]
        comments += comments_in(piece.middle + piece.block.head + piece.block.tail)
        for item in piece.block.pieces:
            new = Piece(piece.name, item.value, " ")
            new.start = piece.start
            items.append(new)
        place = block.index(piece)
        if items:
            piece.drop_separator()
            items[0].lead = piece.lead + layout.lines(comments, piece.indent)
            items[0].indent = piece.indent
            items[-1].after = piece.after
            block.pieces[place : place + 1] = items
