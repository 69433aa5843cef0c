"""A text as pieces that can be renamed, moved and wrapped: each field with the comments that belong to it.

The comments above a field and the one after it on its line go where the field goes. What is not touched is written
as it was read, byte for byte.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from caffelint.text.comments import find_comments
from caffelint.text.tokens import skip_trivia
from caffelint.text.tree import LIST, MESSAGE, Field

_REST_OF_LINE = re.compile(r"[ \t\f\v]*(?:#[^\n\0]*)?\r?\n")
_SEPARATOR = re.compile(r"[ \t]*[;,]")
_LINE = re.compile(r"(?<=\n)")
_DEPTH = 50
_CLOSING = {"{": "}", "<": ">", "[": "]"}


class Piece:
    """One field as it is written.

    `lead` holds the whole lines above it (comments, blank lines), `indent` the white space before it on its line,
    `middle` what is between name and value, `after` a separator and, where nothing else follows on the line, the
    rest of that. `start` is its offset in the text that was read.
    """

    def __init__(self, name: str, value: str | Block, indent: str = "", after: str = "", middle: str = ": ") -> None:
        self.lead = ""
        self.indent = indent
        self.name = name
        self.middle = middle
        self.value = value
        self.after = after
        self.start = -1
        self.is_list = False

    def write(self) -> str:
        value = self.value if isinstance(self.value, str) else self.value.write()
        return f"{self.lead}{self.indent}{self.name}{self.middle}{value}{self.after}"

    @property
    def block(self) -> Block:
        """The value of a message or a list. Raises `TypeError` for another."""
        if isinstance(self.value, str):
            raise TypeError(f"{self.name} is no block")
        return self.value

    @property
    def ends_line(self) -> bool:
        return self.after.endswith("\n")

    def drop_separator(self) -> None:
        found = _SEPARATOR.match(self.after)
        self.after = self.after[found.end() :] if found else self.after

    def copy(self) -> Piece:
        """Another piece with the same name and value, without comments."""
        new = Piece(self.name, self.value, self.indent, "", self.middle)
        new.start = self.start
        return new


class Block:
    """A message or a list: `head` is the rest of the line after its brace, `tail` what is before its closing one.

    The whole text is a block with no braces.
    """

    def __init__(self, opening: str = "{", pieces: Sequence[Piece] = (), head: str = "", tail: str = "") -> None:
        self.opening = opening
        self.closing = _CLOSING.get(opening, "")
        self.head = head
        self.pieces = list(pieces)
        self.tail = tail

    def write(self) -> str:
        inside = "".join(piece.write() for piece in self.pieces)
        return f"{self.opening}{self.head}{inside}{self.tail}{self.closing}"

    def all(self, *names: str) -> list[Piece]:
        return [piece for piece in self.pieces if piece.name in names]

    def first(self, name: str) -> Piece | None:
        return next((piece for piece in self.pieces if piece.name == name), None)

    def index(self, piece: Piece) -> int:
        return self.pieces.index(piece)

    def starts_line(self, piece: Piece) -> bool:
        index = self.index(piece)
        return self._follows_line(self.pieces[index - 1] if index else None)

    def starting_lines(self) -> Iterator[Piece]:
        """All pieces that start a line."""
        last = None
        for piece in self.pieces:
            if self._follows_line(last):
                yield piece
            last = piece

    def _follows_line(self, last: Piece | None) -> bool:
        """Does a new line begin after a piece, or, after none, at the beginning?"""
        return last.ends_line if last else not self.opening or self.head.endswith("\n")

    def break_line_before(self, piece: Piece, newline: str, indent: str) -> None:
        """Let a piece that follows another one on its line start a new line."""
        if self.starts_line(piece):
            return
        index = self.index(piece)
        if index:
            self.pieces[index - 1].after += newline
        else:
            self.head += newline
        piece.indent = indent

    def take(self, *pieces: Piece) -> None:
        """Remove pieces; a line that one shared with others stays whole and keeps the comment at its end."""
        taken = set(map(id, pieces))
        left: list[Piece] = []
        for number, piece in enumerate(self.pieces):
            if id(piece) not in taken:
                left.append(piece)
                continue
            starts = self._follows_line(left[-1] if left else None)
            piece.drop_separator()
            if starts and not piece.ends_line:
                if number + 1 < len(self.pieces):
                    self.pieces[number + 1].indent = piece.indent
                else:
                    self.tail = piece.indent + self.tail.lstrip(" \t")
            elif piece.ends_line and not starts:
                if left:
                    left[-1].after += piece.after
                else:
                    self.head += piece.after
                piece.after = ""
        self.pieces = left


class Layout:
    """A text as a `Block`, and how it is laid out: its line end, the step of its indentation, its short blocks.

    `one_line`: blocks of few numbers are mostly on one line.
    """

    def __init__(self, text: str, root: Field) -> None:
        self.text = text
        self.newline = "\r\n" if text[max(text.find("\n") - 1, 0) : text.find("\n") + 1] == "\r\n" else "\n"
        self.root = self._read(root, 0, len(text), 0)
        steps: Counter[str] = Counter()
        short: Counter[bool] = Counter()
        self._measure(self.root, "", steps, short)
        self.step = steps.most_common(1)[0][0] if steps else "  "
        self.one_line = short[True] > short[False]

    def write(self) -> str:
        return self.root.write()

    def indent_in(self, block: Block) -> str:
        """The indentation of the lines inside a block."""
        for piece in block.starting_lines():
            return piece.indent
        if "\n" in block.tail:
            return block.tail.rpartition("\n")[2] + self.step
        return ""

    def lines(self, comments: Iterable[str], indent: str) -> str:
        """Comments as separate lines."""
        return "".join(f"{indent}{comment}{self.newline}" for comment in comments)

    def _read(self, field: Field, start: int, end: int, depth: int) -> Block:
        text = self.text
        is_root = depth == 0
        block = Block("" if is_root else text[start - 1])
        at = start
        if not is_root and (found := _REST_OF_LINE.match(text, at, end)):
            at = found.end()
            block.head = found[0]
        for child in field.fields:
            gap = text[at : child.start]
            cut = gap.rfind("\n") + 1
            piece = Piece(child.name, self._value(child, depth), gap[cut:])
            piece.lead = gap[:cut]
            piece.start = child.start
            piece.is_list = child.kind == LIST
            if child.start == child.value_start:
                piece.name = piece.middle = ""
            else:
                piece.middle = text[child.start + len(child.name) : child.value_start]
            at = self._behind(child.end, end)
            piece.after = text[child.end : at]
            block.pieces.append(piece)
        block.tail = text[at:end]
        return block

    def _value(self, field: Field, depth: int) -> str | Block:
        if field.kind in (MESSAGE, LIST) and depth < _DEPTH:
            return self._read(field, field.value_start + 1, field.end - 1, depth + 1)
        return self.text[field.value_start : field.end]

    def _behind(self, at: int, end: int) -> int:
        """The offset after the separator and the rest of the line that belong to the field that ends here."""
        stop = skip_trivia(self.text, at)
        if stop < end and self.text[stop] in ";,":
            at = stop + 1
        found = _REST_OF_LINE.match(self.text, at, end)
        return found.end() if found else at

    def _measure(self, block: Block, indent: str, steps: Counter[str], short: Counter[bool]) -> None:
        starts = not block.opening or block.head.endswith("\n")
        for before, piece in zip([None, *block.pieces], block.pieces, strict=False):
            starts = before.ends_line if before else starts
            if starts and block is not self.root and piece.indent.startswith(indent) and piece.indent != indent:
                steps[piece.indent[len(indent) :]] += 1
            if isinstance(piece.value, str):
                continue
            inside = piece.value.pieces
            if 0 < len(inside) < 4 and all(isinstance(other.value, str) for other in inside):
                short["\n" not in piece.value.write()] += 1
            self._measure(piece.value, piece.indent if starts else indent, steps, short)


def comments_in(text: str) -> list[str]:
    return [text[start:end] for start, end in find_comments(text)]


def comment_lines(text: str) -> str:
    """The lines of a lead that hold comments, without the blank ones."""
    return "".join(line for line in _LINE.split(text) if line.strip(" \t\r\n\f\v"))


def shifted(text: str, old: str, new: str) -> str:
    """A text that starts a line, with the indentation of each line changed as from `old` to `new`.

    What is at the very start of a line, as commented-out fields often do, stays there.
    """
    return "".join(_shifted_line(line, old, new) for line in _LINE.split(text))


def _shifted_line(line: str, old: str, new: str) -> str:
    content = line.lstrip(" \t")
    indent = line[: len(line) - len(content)]
    if not content.strip() or (not indent and old and content[0] == "#"):
        return line
    if indent.startswith(old):
        return new + indent[len(old) :] + content
    if len(new) < len(old):
        return indent[: max(0, len(indent) - len(old) + len(new))] + content
    return indent + new[len(old) :] + content


def shift(piece: Piece, old: str, new: str) -> None:
    """Move a piece that starts a line, and all lines in it, to another indentation."""
    if old == new:
        return
    piece.lead = shifted(piece.lead, old, new)
    piece.indent = shifted(piece.indent + "x", old, new)[:-1]
    _shift_inside(piece, old, new)


def _shift_inside(piece: Piece, old: str, new: str) -> None:
    piece.middle = _shift_behind(piece.middle + "x", old, new)[:-1]
    piece.after = _shift_behind(piece.after, old, new)
    if isinstance(piece.value, str):
        piece.value = _shift_behind(piece.value, old, new)
        return
    block = piece.value
    starts = not block.opening or block.head.endswith("\n")
    for inner in block.pieces:
        inner.lead = shifted(inner.lead, old, new)
        if starts:
            inner.indent = shifted(inner.indent + "x", old, new)[:-1]
        starts = inner.ends_line
    starts = block.pieces[-1].ends_line if block.pieces else block.head.endswith("\n")
    for inner in block.pieces:
        _shift_inside(inner, old, new)
    block.tail = (shifted if starts else _shift_behind)(block.tail + "x", old, new)[:-1]


def _shift_behind(text: str, old: str, new: str) -> str:
    """As `shifted`, for a text whose first line has begun before it."""
    first, end, rest = text.partition("\n")
    return first + end + shifted(rest, old, new)
