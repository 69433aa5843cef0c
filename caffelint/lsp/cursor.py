"""Where in a half-typed text the cursor is: in which blocks, and before which name or value.

Read token by token from the block of the file that it is in, since the tree of a broken text says what the text would
be once it was mended, and not what is being typed.
"""

from __future__ import annotations

from typing import NamedTuple

from caffelint.lint.file import File
from caffelint.lsp.spot import root_type
from caffelint.schema.tables import MessageType
from caffelint.text.tokens import END, SYMBOL, Token, next_token
from caffelint.text.tree import IDENTIFIER, STRING

_MOST_AFTER = 400
"""Tokens that are read after the cursor, to see what its block has there."""


class Frame:
    """A block that is open at the cursor. `written`: its fields before the cursor, each with the text of its value."""

    def __init__(self, name: str, message: MessageType | None):
        self.name = name
        self.message = message
        self.written: list[tuple[str, str]] = []


class Cursor(NamedTuple):
    """`frames` from the root in. `field`: whose value is typed; empty where the name of a field is.

    `start` and `end`: what is being typed, quotes excluded; `in_string`: it is within quotes. `after`: the fields that
    its block has after it, each with its value.
    """

    frames: tuple[Frame, ...]
    field: str
    start: int
    end: int
    in_string: bool
    after: tuple[tuple[str, str], ...]

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def value(self, field: str) -> str:
        """The text of the first such field of the block, before or after the cursor; empty if there is none."""
        return next((text for name, text in (*self.frame.written, *self.after) if name == field), "")


def cursor(file: File, offset: int) -> Cursor | None:
    """What is being typed at a byte; None in a comment, and where neither a name nor a value can be."""
    text = file.document.source.text
    reading = _Reading(root_type(file))
    position = 0
    for field in file.document.root.fields:
        if field.start >= offset:
            break
        position = field.start
    for field in file.document.root.fields:
        if field.start >= position:
            break
        reading.frames[0].written.append((field.name, field.text))
    while True:
        token = next_token(text, position)
        if token.kind == END or token.start >= offset or _holds(token, offset, text):
            break
        reading.take(token, text)
        position = token.end
    comment = text.rfind("#", max(text.rfind("\n", 0, offset) + 1, position), offset)
    if comment >= 0 and token.start >= offset:
        return None
    typed = token.start < offset and token.kind != END
    if token.kind == SYMBOL and typed:
        return None
    start, end, in_string = offset, offset, False
    if typed:
        start, end = token.start, token.end
        if token.kind == STRING:
            in_string = True
            closed = token.wrong is None and end - start > 1
            start, end = start + 1, end - closed
    if not reading.expects_value and in_string:
        return None
    valued = reading.name if reading.expects_value else ""
    return Cursor(
        tuple(reading.frames), valued, start, end, in_string, tuple(_after(text, max(end, offset) + in_string))
    )


def _holds(token: Token, offset: int, text: str) -> bool:
    """Is the cursor in a token, or right after one that may go on?"""
    if token.kind == STRING:
        closed = token.wrong is None
        return token.start < offset < token.end or (not closed and offset == token.end)
    return token.kind != SYMBOL and token.start < offset <= token.end


class _Reading:
    def __init__(self, root: MessageType | None):
        self.frames = [Frame("", root)]
        self.name = ""
        self.expects_value = False
        self.in_list = False

    def take(self, token: Token, text: str) -> None:
        said = text[token.start : token.end]
        frame = self.frames[-1]
        if token.kind == SYMBOL:
            if said == ":":
                self.expects_value = bool(self.name)
            elif said in "{<":
                self._open()
            elif said in "}>":
                if len(self.frames) > 1:
                    self.frames.pop()
                self._done()
            elif said == "[":
                self.in_list = True
            elif said == "]":
                self._done()
        elif self.expects_value:
            frame.written.append((self.name, said))
            if not self.in_list:
                self._done()
        elif token.kind == IDENTIFIER:
            self.name = said

    def _open(self) -> None:
        root, frame = self.frames[0], self.frames[-1]
        known = frame.message.field(self.name) if frame.message and self.name else None
        if known is None and root.message and len(self.frames) > 1 and self.name in ("layer", "layers"):
            if root.message.field(self.name):  # a brace is missing above: a layer is in no layer
                del self.frames[1:]
                frame, known = root, root.message.field(self.name)
        frame.written.append((self.name, ""))
        self.frames.append(Frame(self.name, known.message if known else None))
        self._done()

    def _done(self) -> None:
        self.name, self.expects_value, self.in_list = "", False, False


def _after(text: str, position: int) -> list[tuple[str, str]]:
    """The fields of the block that is open here, up to its end."""
    found: list[tuple[str, str]] = []
    depth, name, has_colon = 0, "", False
    for _ in range(_MOST_AFTER):
        token = next_token(text, position)
        said = text[token.start : token.end]
        position = token.end
        if token.kind == END:
            break
        if said in ("{", "<"):
            if depth == 0 and name:
                found.append((name, ""))
            depth += 1
        elif said in ("}", ">"):
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and said == ":":
            has_colon = True
        elif depth == 0 and token.kind != SYMBOL:
            if has_colon and name:
                found.append((name, said))
                name, has_colon = "", False
            elif token.kind == IDENTIFIER:
                if name in ("layer", "layers"):
                    break
                name, has_colon = said, False
    return found
