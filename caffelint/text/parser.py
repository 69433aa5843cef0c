"""Prototxt text to its tree.

The grammar is that of Caffe's own parser, C++ protobuf 3.12 (io/tokenizer.cc and text_format.cc), which differs from
Python's. One regular expression reads the usual field at a stroke; whatever it does not match goes, one item at a
time, through the slow path in `Recovery`, which knows the whole grammar, says what is wrong, and goes on after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from caffelint.text.source import UTF8_MARK, UTF16_MARKS, Source
from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, NO_FIELDS, STRING, Field, Problem

MOST_PROBLEMS = 500
"""No person goes through more."""
_LONGEST = 1000
"""Characters of a block that is remembered; longer ones seldom come again."""
_NEAR = 40
"""Characters from the end of a layer to the brace of the next, mostly."""
_BLANKS = " \t\r\n\f\v"
MOST_BLOCKS = 40_000
"""Texts that are remembered, so that they take some megabytes at most."""

_ITEM = re.compile(
    r"""
    [ \t\r\n\f\v]*(?:\#[^\n\0]*(?:\n[ \t\r\n\f\v]*|(?=\0)|\Z))*
    (?:
        ([A-Za-z_]\w*)(?:
            [ \t]*:[ \t]*(?:
                ("[^"\\\n\0]*"(?!["'])|'[^'\\\n\0]*'(?!["']))
              | (-?(?:0|[1-9]\d*)(?![\w./\\:='"-]))
              | (-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w./\\:='"-]))
              | ([A-Za-z_]\w*)(?![\w./\\:='"+@%~&!$-])
            )[;,]?
          | [ \t\r\n]*(?::[ \t\r\n]*)?(\{)(?![{%])
        )
      | (\})[;,]?
      | (\Z)
      | (?:\w+|.|\n)
    )""",
    re.ASCII | re.VERBOSE,
)
_BLOCK = re.compile(r"[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}")
"""The rest of a block as deep as a layer is. Where a string or a comment holds a brace, it is no text that is known."""
_STRING, _INTEGER, _FLOAT, _IDENTIFIER, _OPEN, _CLOSE, _END = range(2, 9)
_KINDS = {_STRING: STRING, _INTEGER: INTEGER, _FLOAT: FLOAT, _IDENTIFIER: IDENTIFIER}


class Document:
    """One file: its source, the tree under `root`, and what is wrong with the text.

    `misspelt` holds the fields that are read under another name than theirs, by their block's id and that name.
    Of what the text says against the schema, at most `most_problems` are reported.
    """

    def __init__(self, source: Source, root: Field, problems: list[Problem], most_problems: int):
        self.source = source
        self.root = root
        self.problems = problems
        self.most_problems = most_problems
        self.misspelt: dict[tuple[int, str], Field] = {}

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def breaks_off(self) -> Field | None:
        """The outermost block that is still open at the end of the text; None in a text that is whole."""
        last = self.root.fields[-1] if self.root.fields else None
        if last is None or last.end < len(self.source.text):
            return None
        is_told = any(problem.start == last.start and problem.kind == "syntax-error" for problem in self.problems)
        return last if is_told else None

    @property
    def is_damaged(self) -> bool:
        """Whether parts of the text may be missing: what can be repaired was read as if it were repaired."""
        return any(problem.certain and not problem.repairs for problem in self.problems)

    def comments(self) -> list[tuple[int, int]]:
        """Spans of all comments, `#` included, line end excluded."""
        if "#" not in self.source.text:
            return []
        from caffelint.text.comments import find_comments

        return find_comments(self.source.text)


class Block(Field):
    """A block that is written as usual. One whose text is known is read when somebody looks at its fields.

    `frame` is that text without what is in its strings, from the opening brace to the closing one, which it includes;
    None where it is not remembered. `strings` are its strings, without their quotes.
    """

    __slots__ = ("_source", "blocks", "frame", "strings")
    blocks: tuple[str, ...]

    def __init__(
        self,
        name: str,
        start: int,
        value_start: int,
        end: int,
        source: str,
        frame: str | None = None,
        strings: Sequence[str] = (),
    ):
        self.name = name
        self.start = start
        self.value_start = value_start
        self.end = end
        self.kind = MESSAGE
        self.text = ""
        self._source = source
        self.frame = frame
        self.strings = strings

    def string_at(self, field: Field) -> int:
        """Which of `strings` a field's value is."""
        return self._source.count('"', self.value_start, field.value_start) // 2

    def __getattr__(self, name: str) -> Any:
        """`fields` and, where the text is not remembered, `blocks`: they are not there until they are asked for."""
        if name == "fields":
            self.fields = []
            _read_usual(self._source, self.value_start + 1, self, [])
        elif name == "blocks":
            self.blocks = _blocks(self.fields)
        else:
            raise AttributeError(name)
        return getattr(self, name)


def _blocks(fields: list[Field]) -> tuple[str, ...]:
    return tuple([field.name for field in fields if field.kind == MESSAGE])


_known: dict[str, tuple[str, tuple[str, ...]]] = {}
"""`Block.frame`, the one for all blocks that are alike, and `Block.blocks`, by the frame.

Nets repeat their layers and the parts of them but for their names, and the nets of a folder share most of theirs. Such
a text means the same wherever it is: it was read to its last brace, with nothing in it that is not as usual.
"""


def _frame(body: str) -> tuple[str, Sequence[str]]:
    """A block's text without what is in its strings, and these; the whole where more than ASCII in quotes is in it.

    Two quotes are left of a string.
    """
    if '"' not in body or "'" in body or "#" in body or "\\" in body or "\0" in body or not body.isascii():
        return body, ()
    parts = body.split('"')
    strings = parts[1::2]
    if "\n" in "".join(strings) or not len(parts) % 2:  # a string that nothing closes
        return body, ()
    return '""'.join(parts[::2]), strings


def _remember(block: Block) -> None:
    if len(_known) >= MOST_BLOCKS:
        _known.clear()
    block.frame, block.strings = _frame(block._source[block.value_start + 1 : block.end])
    block.blocks = _blocks(block.fields)
    _known[block.frame] = block.frame, block.blocks


def parse(data: bytes, path: str = "<text>", most_problems: int = MOST_PROBLEMS) -> Document:
    """The tree of a prototxt. Never raises: what cannot be read is a problem of the document, and reading goes on."""
    source = Source(data, path)
    root = Field("", 0, 0, len(data), MESSAGE, "", [])
    stack: list[Field] = []
    problems: list[Problem] = []
    position = 0
    if data.startswith((UTF8_MARK, *UTF16_MARKS)) or b"\0" in data:
        from caffelint.text.encodings import object_to

        position = object_to(source, problems)
        if position < 0:
            return Document(source, root, problems, most_problems)
    position = _read_usual(source.text, position, root, stack)
    if position >= 0:
        from caffelint.text.recovery import Recovery
        from caffelint.text.strangers import stranger

        if not root.fields and (problem := stranger(source.text, position)):
            problems.append(problem)
            return Document(source, root, problems, most_problems)

        recovery = Recovery(source, root, stack, problems)
        while position >= 0:
            position = recovery.item(position)
            if position >= 0 and not (stack and stack[-1].kind == LIST):
                position = _read_usual(source.text, position, root, stack)
        recovery.mistakes.repair_repeated()
        problems.sort(key=lambda problem: problem.start)
    if "$" in source.text or "{{" in source.text or "@" in source.text:
        from caffelint.text.strangers import unfilled_in_strings

        problems += unfilled_in_strings(source.text)
    return Document(source, root, problems, most_problems)


def _read_known(text: str, position: int, name: str, fields: list[Field]) -> int:
    """Read the blocks of that name that come next, are known, and end at the start of a line; where the rest begins."""
    known = _known
    while True:
        brace = text.find("{", position, position + _NEAR)
        if brace < 0:
            return position
        head = text[position:brace].lstrip(_BLANKS)
        if head.rstrip(_BLANKS) != name:
            return position
        end = text.find("\n}", brace, brace + _LONGEST) + 2
        frame, strings = _frame(text[brace + 1 : end])
        alike = known.get(frame)
        if alike is None:
            return position
        block = Block(name, brace - len(head), brace, end, text, alike[0], strings)
        block.blocks = alike[1]
        fields.append(block)
        position = end + text.startswith((";", ","), end)


def _read_usual(text: str, position: int, root: Field, stack: list[Field]) -> int:
    """Read items that are written as usual; the position of the first that is not, -1 at the end of it all."""
    kinds = _KINDS
    known: dict[str, str] = {}  # names and values come again and again; each is kept once
    same = known.setdefault
    begun = len(stack)  # a block of these holds what is not as usual
    current = stack[-1] if stack else root
    fields = current.fields
    while True:
        for found in _ITEM.finditer(text, position):
            group = found.lastindex
            if group is None:
                return found.start()
            if group in kinds:
                start, end = found.span(group)
                name, value = found.group(1, group)
                field = Field(same(name, name), found.start(1), start, end, kinds[group], same(value, value), NO_FIELDS)
                fields.append(field)
            elif group == _OPEN:
                end = found.end()
                name = found[1]
                rest = _BLOCK.match(text, end, end + _LONGEST)
                if rest:
                    frame, strings = _frame(rest[0])
                    if (alike := _known.get(frame)) is not None:
                        position = rest.end()
                        block = Block(same(name, name), found.start(1), end - 1, position, text, alike[0], strings)
                        block.blocks = alike[1]
                        fields.append(block)
                        if text.startswith((";", ","), position):
                            position += 1
                        if not stack:
                            position = _read_known(text, position, block.name, fields)
                        break
                current = Block(same(name, name), found.start(1), end - 1, end, text)
                current.fields = []
                fields.append(current)
                stack.append(current)
                fields = current.fields
            elif group == _CLOSE and stack and text[current.value_start] == "{":
                current.end = end = found.end(group)
                stack.pop()
                if len(stack) >= begun and isinstance(current, Block) and end - current.value_start <= _LONGEST:
                    _remember(current)
                current = stack[-1] if stack else root
                if current.kind == LIST:
                    return end
                fields = current.fields
            elif group == _END and not stack:
                return -1
            else:
                return found.start()
        else:
            return -1
