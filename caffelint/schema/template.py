"""Blocks that are written alike but for what is in their strings: bound once, and filled in from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from caffelint.text.parser import MOST_BLOCKS
from caffelint.text.tree import STRING

if TYPE_CHECKING:
    from caffelint.schema.tables import MessageType
    from caffelint.text.parser import Block

_MOST_MADE = 64
_OF_LENGTH = 2
"""The wire type of a string: its length comes first, in one byte if it is short."""
_SHORT = 127


class Template:
    """What the blocks of one `Block.frame` come to, if nothing is unusual about them.

    The strings of the block's own fields, mostly names, are put in each time: `own` are their numbers among all strings
    of the block, `inner` those of the strings further inside.
    """

    __slots__ = ("_form", "_made", "_names", "has_fork_fields", "inner", "own")

    def __init__(self, type_: MessageType, block: Block, has_fork_fields: bool):
        self.has_fork_fields = has_fork_fields
        fields = [field for field in block.fields if field.kind == STRING] if block.strings else []
        numbers = {block.string_at(field): type_.made[field.name] for field in fields}
        kept = {number: field_type.name for number, field_type in numbers.items() if field_type.kept}
        self.own = list(kept)
        self.inner = [number for number in range(len(block.strings)) if number not in numbers]
        self._names = set(kept.values())
        self._made: dict[tuple[str, ...], bytes] = {}
        tags = [type_.descriptor.fields_by_name[name].number << 3 | _OF_LENGTH for name in kept.values()]
        self._form = "".join(_varint(tag) + "%c%s" for tag in tags)

    def serialized(self, strings: Sequence[str]) -> bytes | None:
        """The message of a block with these strings; None if the inner ones are not known, or one is long."""
        made = self._made.get(tuple([strings[number] for number in self.inner]))
        if made is None or not self.own:
            return made
        if len(self.own) < len(strings):
            strings = [strings[number] for number in self.own]
        lengths = list(map(len, strings))
        if max(lengths) > _SHORT:
            return None
        values: list[Any] = lengths * 2
        values[::2], values[1::2] = lengths, strings
        return made + (self._form % tuple(values)).encode("latin-1")

    def learn(self, message: Any, strings: Sequence[str]) -> None:
        """Know these inner strings, of which a message was made."""
        if len(self._made) >= _MOST_MADE:
            self._made.clear()
        rest = type(message)()
        rest.CopyFrom(message)
        for name in self._names:
            rest.ClearField(name)
        self._made[tuple([strings[number] for number in self.inner])] = rest.SerializePartialToString()


def learn(message: Any, type_: MessageType, block: Block, has_fork_fields: bool) -> Template:
    """Know a block, of which a message was made with nothing unusual about it."""
    assert block.frame is not None
    template = type_.templates.get(block.frame)
    if template is None:
        if len(type_.templates) >= MOST_BLOCKS:
            type_.templates.clear()
        template = type_.templates[block.frame] = Template(type_, block, has_fork_fields)
    template.learn(message, block.strings)
    return template


def _varint(number: int) -> str:
    """A number as protobuf writes it, one character a byte, escaped for `%`."""
    found = ""
    while number > _SHORT:
        found += chr(number & _SHORT | _SHORT + 1)
        number >>= 7
    return (found + chr(number)).replace("%", "%%")
