"""Blocks that hold scalars alone: `param { lr_mult: 1 }`. Nets repeat a few of them thousands of times.

From its second time on, such a text is not read again; a block of it makes its fields when somebody looks at them.
"""

from __future__ import annotations

from typing import Any

from caffelint.text.tree import MESSAGE, NO_FIELDS, Field

LONGEST = 300
"""Characters between the braces; longer blocks seldom come again."""
_MOST = 10_000
"""Texts that are remembered, so that they take some megabytes at most."""


Item = tuple[str, int, int, int, int, str]
"""Name, start, start of the value, end, kind and text of a field; offsets count from the opening brace."""


class Body:
    """The text between two braces. `made` is for whoever reads the tree: what the text comes to, by its own keys."""

    __slots__ = ("items", "made")

    def __init__(self, items: list[Item]):
        self.items = items
        self.made: dict[Any, Any] = {}


class Leaf(Field):
    """A block with a remembered body."""

    __slots__ = ("body",)

    def __init__(self, name: str, start: int, value_start: int, end: int, body: Body):
        self.name = name
        self.start = start
        self.value_start = value_start
        self.end = end
        self.kind = MESSAGE
        self.text = ""
        self.body = body

    def __getattr__(self, name: str) -> Any:
        """`fields`, which is not there until it is asked for."""
        if name != "fields":
            raise AttributeError(name)
        at = self.value_start
        self.fields = [
            Field(name, at + start, at + value_start, at + end, kind, text, NO_FIELDS)
            for name, start, value_start, end, kind, text in self.body.items
        ]
        return self.fields


ONCE = Body([])
"""What a text comes to that was met once. Most never come again, such as those of whole layers."""

bodies: dict[str, Body | None] = {}
"""By the text between the braces; None where it is not as usual."""


def remember(text: str, body: Body | None) -> None:
    if len(bodies) >= _MOST:
        bodies.clear()
    bodies[text] = body
