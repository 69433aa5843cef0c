"""A place in a file: what a finding points at."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.tree import MESSAGE, Field

if TYPE_CHECKING:
    from caffelint.text.parser import Document

_COMMENTED_OUT = compiled_later(
    r"#[#/ \t]{0,20}(\w{1,100})[ \t]{0,20}:[ \t]{0,20}"
    r"(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[-+\w.]{1,100})[ \t\r]{0,20}(?:#[^\n]*)?"
)

FieldPath = tuple[str | int, ...]
"""The way to a field below a block: `("param", 0, "lr_mult")`; a number takes that item of a repeated field."""


class Given(Enum):
    """What a text gives of a field; an empty string is a value, too."""

    VALUE = "value"
    NOTHING = "nothing"
    UNREADABLE = "unreadable"
    """It is written, but a value could not be read: a placeholder, a number out of range."""


class Place(NamedTuple):
    """A span of a document, with its layer and the names on the way to its field: `("pooling_param", "stride")`."""

    document: Document
    start: int
    end: int
    layer: str = ""
    path: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The path in one word: `pooling_param.stride`."""
        return ".".join(self.path)

    @property
    def line(self) -> int:
        return self.document.source.position(self.start).line

    @property
    def text(self) -> str:
        return self.document.source.slice(self.start, self.end)


def has(message: Any, path: Sequence[str]) -> bool:
    """Is a field below a message set? A repeated one is where it has an item."""
    for name in path[:-1]:
        if not message.HasField(name):
            return False
        message = getattr(message, name)
    value = getattr(message, path[-1])
    return len(value) > 0 if _is_repeated(value) else bool(message.HasField(path[-1]))


def given(message: Any, node: Field | None, path: Sequence[str]) -> Given:
    """What the text of a message gives of a field below it. What Caffe's upgrade moved there is a value, too."""
    written = 0
    for name in path:
        found: Sequence[Field] = node.all(name) if node else ()
        written = len(found)
        node = found[0] if found else None
    if not has(message, path):
        return Given.UNREADABLE if written else Given.NOTHING
    value = message
    for name in path:
        value = getattr(value, name)
    return Given.UNREADABLE if _is_repeated(value) and written > len(value) else Given.VALUE


def is_commented_out(document: Document, node: Field | None, path: Sequence[str]) -> bool:
    """Is a field of a block there in a comment, with a value: `# gamma: 0.1`? Whoever turns it off so means to."""
    for name in path[:-1]:
        node = node.first(name) if node else None
    if node is None:
        return False
    text = document.source.text
    whole = node is document.root
    comments = document.comments() if whole else ((a, b) for a, b in document.comments() if node.start < a < node.end)
    inner = [block for block in node.fields if block.kind == MESSAGE]
    own = (comment for comment in comments if not any(block.start < comment[0] < block.end for block in inner))
    found = (_COMMENTED_OUT.fullmatch(text, start, end) for start, end in own)
    return any(one[1] == path[-1] for one in found if one)


def _is_repeated(value: Any) -> bool:
    # A message takes long to say that it has no such thing.
    return not isinstance(value, Message) and (hasattr(value, "append") or hasattr(value, "add"))


def place(document: Document, node: Field | None, path: FieldPath, layer: str = "") -> Place:
    """The deepest part of `path` that is written below `node`.

    A scalar is its whole field, a block its name alone. A number in the path takes that item of a repeated field.
    Where nothing of the path is written, the place is the name of `node` itself.
    """
    found = node
    names: list[str] = []
    depth = 0
    while found is not None and depth < len(path):
        name = str(path[depth])
        names.append(name)
        index = 0
        if depth + 1 < len(path) and isinstance(path[depth + 1], int):
            index = int(path[depth + 1])
            depth += 1
        items = found.all(name)
        if not items and (misspelt := document.misspelt.get((id(found), name))):
            items = [misspelt]
        if not -len(items) <= index < len(items):
            break
        found = items[index]
        depth += 1
    names += [name for name in path[depth + 1 :] if isinstance(name, str)]
    if found is None:
        return Place(document, 0, 0, layer, tuple(names))
    if found.kind == MESSAGE:
        start, end = (found.start, found.start + len(found.name)) if found.name else _first_line(document)
        return Place(document, start, end, layer, tuple(names))
    return Place(document, found.start, found.end, layer, tuple(names))


def _first_line(document: Document) -> tuple[int, int]:
    """The first field of the file: where a finding about the whole of it is shown."""
    for field in document.root.fields:
        return field.start, field.start + len(field.name) if field.kind == MESSAGE else field.end
    return 0, 0
