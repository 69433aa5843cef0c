"""What a text is in Caffe's schema: a message whose parts know where they are in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from caffelint.text.records import NamedTuple
from caffelint.text.tree import IDENTIFIER, Field, Problem, Span

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from caffelint.schema.project import ProjectCaffe
    from caffelint.text.parser import Document

NET, LAYERS = "NetParameter", ("LayerParameter", "V1LayerParameter")
BVLC = ("bvlc", "bvlc-1.0")
"""Dialects that read and build as Caffe 1.0 does."""


class ForkUse(NamedTuple):
    """A field or enum value of the text that BVLC's Caffe does not know, or knows with another label or type."""

    field: Field
    forks: frozenset[str]
    name: str
    is_value: bool = False


class Bound:
    """A document as a message of Caffe's schema, with the way back to the text.

    It was held against a dialect, against the Caffe of its project, or, if neither is known, against all that are.
    """

    def __init__(self, document: Document, message: Message, dialect: str | None, caffe: ProjectCaffe | None = None):
        self.document = document
        self.message: Any = message
        self.dialect = dialect
        self.caffe = caffe
        self.problems: list[Problem] = []
        self.fork_uses: list[ForkUse] = []
        self._nodes: dict[int, Field] = {id(message): document.root}
        self._kept: list[Message] = [message]
        self.folded: list[tuple[Message, Field]] = []
        """Messages that were made at a stroke, so that nobody knows yet where their parts are."""
        self._linked: list[tuple[Message, Message]] = []
        self._linked_folded: list[tuple[Message, Message]] = []

    @property
    def knows_caffe(self) -> bool:
        """Is it known which Caffe is to read the text?"""
        return self.dialect is not None or self.caffe is not None

    @property
    def has_bvlc_dialect(self) -> bool:
        """Is it checked against BVLC's Caffe, or, with no dialect, any? Only then its layers' ways hold."""
        return self.dialect is None or self.dialect in BVLC

    @property
    def is_plain(self) -> bool:
        """Is it for BVLC's Caffe, by its dialect and by its fields?"""
        return self.has_bvlc_dialect and not self.fork_uses

    @property
    def placeholders(self) -> list[Problem]:
        """What a script fills in before Caffe reads the text: `$BATCH`, `{{ name }}`, a name instead of a number."""
        return [problem for problem in (*self.document.problems, *self.problems) if problem.kind == "unfilled-template"]

    def link(self, new: Message, old: Message) -> None:
        """Let `new`, which Caffe's upgrade made of `old`, point to where `old` is, and its parts likewise."""
        node = self._nodes.get(id(old))
        if node is not None:
            self.place(new, node)
            self._linked.append((new, old))
        elif self.folded:
            self._linked_folded.append((new, old))

    def place(self, message: Message, node: Field) -> None:
        """Let a message point to a block of the text."""
        # The message is kept so that its id stays its own.
        self._nodes[id(message)] = node
        self._kept.append(message)

    def node(self, message: Message) -> Field | None:
        """The block of the text that a message stems from; None for one that nobody wrote."""
        found = self._nodes.get(id(message))
        if found is None and self.folded:
            self._unfold()
            found = self._nodes.get(id(message))
        while found is None and self._linked:
            # Few ask for the parts of an upgraded message, so they are linked, level by level, when somebody does.
            linked, self._linked = self._linked, []
            for new, old in linked:
                self._link_parts(new, old)
            found = self._nodes.get(id(message))
        return found

    def word(self, message: Message, field: str) -> str:
        """The identifier that the text gives a field, also one that the merged schema has no value for; or empty."""
        node = self.node(message)
        found = node.first(field) if node is not None else None
        return found.text if found is not None and found.kind == IDENTIFIER else ""

    def _unfold(self) -> None:
        """Place the parts of folded messages, which few ask for, and link what was made of them."""
        folded, self.folded = self.folded, []
        while folded:
            message, node = folded.pop()
            for name, parts in _parts(message):
                for part, block in zip(parts, node.all(name), strict=False):
                    self.place(part, block)
                    folded.append((part, block))
        linked, self._linked_folded = self._linked_folded, []
        for new, old in linked:
            self.link(new, old)

    def _link_parts(self, new: Any, old: Any) -> None:
        for name, old_parts in _parts(old):
            if name in new.DESCRIPTOR.fields_by_name:
                present = getattr(new, name)
                new_parts = [present] if hasattr(present, "CopyFrom") else present
                for new_part, old_part in zip(new_parts, old_parts, strict=False):
                    if id(new_part) not in self._nodes:
                        self.link(new_part, old_part)

    def origin(self, message: Message, field: str = "", index: int = 0) -> Span | None:
        """Where a message, or its field (of a repeated one, the item `index`), is in the text."""
        node = self.node(message)
        if node is None or not field:
            return node.span if node else None
        found = node.all(field)
        return found[index].span if index < len(found) else None


def _parts(message: Any) -> Iterator[tuple[str, Sequence[Message]]]:
    """The messages in a message, by the field that they are in."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            yield field.name, [value] if hasattr(value, "CopyFrom") else value
