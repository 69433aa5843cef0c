"""What the author of a text writes after what: of blocks of one kind, the fields and values that mostly follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from caffelint.text.tree import LIST, MESSAGE, Field

_MOST_BEFORE, _MOST_AFTER = 60, 30
"""Blocks of the file, the nearest ones, that tell."""


class Habits:
    """`kind` is the name of a block, of a layer with its type: blocks of one kind are filled alike."""

    def __init__(self, root: Field, offset: int):
        self.next: dict[tuple[str, str], Counter[str]] = {}
        self.fields: dict[str, Counter[str]] = {}
        self.values: dict[tuple[str, str], Counter[str]] = {}
        self.types: dict[str, Counter[str]] = {}
        """The types of layers by that of the layer before."""
        self.in_place: Counter[str] = Counter()
        blocks = [field for field in root.fields if field.end < offset][-_MOST_BEFORE:]
        blocks += [field for field in root.fields if field.start > offset][:_MOST_AFTER]
        before = ""
        for field in blocks:
            if field.kind == MESSAGE:
                type_ = _text(field, "type")
                self._see(f"{field.name} {type_}" if type_ else field.name, field)
                if type_:
                    self.types.setdefault(before, Counter())[type_] += 1
                    self.in_place[type_] += _text(field, "bottom") == _text(field, "top") != ""
                    before = type_
        self._count("", [field for field in root.fields if not field.start <= offset <= field.end])

    def _see(self, kind: str, block: Field) -> None:
        pending = [(kind, block)]
        for kind, block in pending:  # which grows: blocks may be nested deeper than Python calls
            self._count(kind, block.fields)
            pending += [(field.name, field) for field in block.fields if field.kind == MESSAGE]

    def _count(self, kind: str, fields: Iterable[Field]) -> None:
        last = ""
        for field in fields:
            self.next.setdefault((kind, last), Counter())[field.name] += 1
            self.fields.setdefault(kind, Counter())[field.name] += 1
            if field.kind not in (MESSAGE, LIST):
                self.values.setdefault((kind, field.name), Counter())[field.text] += 1
            last = field.name


def _text(block: Field, name: str) -> str:
    field = block.first(name)
    return field.text if field else ""
