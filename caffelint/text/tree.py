"""The lossless tree of a prototxt file.

Every node is a `Field`: a scalar (`stride: 2`), a message (`layer { ... }`) or a list (`dim: [1, 3]`). Nodes hold
offsets into the text and never a copy of their surroundings, so comments and layout are kept by not touching them.
Offsets count bytes: the text is the file decoded as latin-1, one character a byte (see `caffelint.text.source`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.text.edits import Edit
from caffelint.text.records import NamedTuple

STRING, INTEGER, FLOAT, IDENTIFIER, MESSAGE, LIST, BROKEN = range(7)
"""Kinds of value. BROKEN is where no value could be read: a problem is reported there."""

_WIDE = 32
"""Fields of a block; from here on it pays to remember which have which name."""

NO_FIELDS: list[Field] = []
"""What scalars hold; nothing is ever put into it."""


class Span(NamedTuple):
    """Byte offsets into the file, `end` exclusive."""

    start: int
    end: int


class Field:
    """A named value as it is written.

    `text` is the raw text of a scalar (`"conv1"`, quotes included; `-0.1`, without a space after the sign)
    and empty for messages and lists; where a problem was mended on the way (`"conv1` without its second quote), it is
    the mended text. `fields` holds the fields of a message or the items of a list, which have the list's name. `end`
    excludes a separator after the value. Items of a list start at their value.
    """

    __slots__ = ("_named", "end", "fields", "kind", "name", "start", "text", "value_start")

    def __init__(self, name: str, start: int, value_start: int, end: int, kind: int, text: str, fields: list[Field]):
        self.name = name
        self.start = start
        self.value_start = value_start
        self.end = end
        self.kind = kind
        self.text = text
        self.fields = fields

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def name_span(self) -> Span:
        """Where the name is; for an item of a list, which has none of its own, the value."""
        if self.start == self.value_start:
            return Span(self.start, self.end)
        return Span(self.start, self.start + len(self.name))

    @property
    def value_span(self) -> Span:
        return Span(self.value_start, self.end)

    @property
    def blocks(self) -> tuple[str, ...]:
        """The names of the blocks in it."""
        return tuple([field.name for field in self.fields if field.kind == MESSAGE])

    def first(self, name: str) -> Field | None:
        """The first field of that name, or None."""
        if len(self.fields) > _WIDE:
            named = self._by_name().get(name)
            return named[0] if named else None
        for field in self.fields:
            if field.name == name:
                return field
        return None

    def all(self, name: str) -> Sequence[Field]:
        """The fields of that name, a list's items each on its own."""
        if len(self.fields) > _WIDE:
            named = self._by_name().get(name)
            return named[1] if named else ()
        found: Sequence[Field] = ()
        for field in self.fields:
            if field.name == name:
                items = _items(field)
                if len(found) + len(items) > _WIDE and found:
                    return self._by_name()[name][1]
                found = [*found, *items] if found else items
        return found

    def _by_name(self) -> dict[str, tuple[Field, list[Field]]]:
        """The first field of each name, and all of them, for a block so wide that nobody should look at all of it."""
        try:
            size, names = self._named
        except AttributeError:
            size = -1
        if size != len(self.fields):  # the parser may not be done yet
            names = {}
            for field in self.fields:
                if field.name not in names:
                    names[field.name] = field, []
                names[field.name][1].extend(_items(field))
            self._named: tuple[int, dict[str, tuple[Field, list[Field]]]] = len(self.fields), names
        return names

    def walk(self) -> Iterator[Field]:
        """This field and all below it, in the order of the text."""
        pending = [self]
        while pending:
            field = pending.pop()
            yield field
            pending += reversed(field.fields)

    def __repr__(self) -> str:
        value = self.text or f"<{len(self.fields)} fields>"
        return f"{self.name}: {value} at {self.start}"


def _items(field: Field) -> Sequence[Field]:
    return field.fields if field.kind == LIST else (field,)


class Problem(NamedTuple):
    """Something in the text or against the schema that keeps Caffe from reading the file as meant.

    `kind` is the name of the rule that reports it, `certain` whether Caffe surely refuses the file for it, `repairs`
    what would mend it, `own` whether a Caffe that nobody knows may well have the name, `is_open_string` whether it is a
    string that has no closing quote.
    """

    kind: str
    start: int
    end: int
    message: str
    certain: bool = True
    evidence: str = ""
    repairs: tuple[Edit, ...] = ()
    repair_is_safe: bool = False
    field: str = ""
    own: bool = False
    is_open_string: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        return (self.field,) if self.field else ()
