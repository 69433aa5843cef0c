"""Prototxt text to its tree.

The grammar is that of Caffe's own parser, C++ protobuf 3.12 (io/tokenizer.cc and text_format.cc), which differs from
Python's. One regular expression reads the usual field at a stroke; whatever it does not match goes, one item at a
time, through the slow path in `Recovery`, which knows the whole grammar, says what is wrong, and goes on behind it.
"""

from __future__ import annotations

import re

from caffelint.text.source import UTF8_MARK, Source
from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, LIST, MESSAGE, STRING, Field, Problem

SKIP = r"[ \t\r\n\f\v]*(?:\#[^\n\0]*(?:\n[ \t\r\n\f\v]*|\Z))*"

_ITEM = re.compile(
    SKIP
    + r"""(?:
        ([A-Za-z_]\w*)[ \t]*(?:
            :[ \t]*(?:
                ("[^"\\\n\0]*"|'[^'\\\n\0]*')
              | (-?(?:0|[1-9]\d*)(?![\w./\\:=-]))
              | (-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w./\\:=-]))
              | ([A-Za-z_]\w*)(?![\w./\\:=-])
            )[;,]?
          | :?[ \t]*(\{)
        )
      | (\})[;,]?
      | (\Z)
    )""",
    re.ASCII | re.VERBOSE,
)
_STRING, _INTEGER, _FLOAT, _IDENTIFIER, _OPEN, _CLOSE, _END = range(2, 9)
_KINDS = {_STRING: STRING, _INTEGER: INTEGER, _FLOAT: FLOAT, _IDENTIFIER: IDENTIFIER}


class Document:
    """One file: its source, the tree under `root`, and what is wrong with the text."""

    def __init__(self, source: Source, root: Field, problems: list[Problem]):
        self.source = source
        self.root = root
        self.problems = problems

    @property
    def path(self) -> str:
        return self.source.path

    def comments(self) -> list[tuple[int, int]]:
        """Spans of all comments, `#` included, line end excluded."""
        if "#" not in self.source.text:
            return []
        from caffelint.text.comments import find_comments

        return find_comments(self.source.text)


def parse(data: bytes, path: str = "<text>") -> Document:
    """The tree of a prototxt. Never raises: what cannot be read is a problem of the document, and reading goes on."""
    source = Source(data, path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        from caffelint.text.recovery import refuse_utf16

        return refuse_utf16(source)
    text = source.text
    root = Field("", 0, 0, len(text), MESSAGE, "", [])
    problems: list[Problem] = []
    stack: list[Field] = []
    current, fields = root, root.fields
    recovery = None
    position = 0
    if data.startswith(UTF8_MARK):
        from caffelint.text.recovery import byte_order_mark

        problems.append(byte_order_mark())
        position = len(UTF8_MARK)
    match = _ITEM.match
    kinds = _KINDS
    while True:
        found = match(text, position) if current.kind != LIST else None
        if found is None:
            if recovery is None:
                from caffelint.text.recovery import Recovery

                recovery = Recovery(source, root, stack, problems)
            position = recovery.item(position, current)
            current = stack[-1] if stack else root
            fields = current.fields
            if position < 0:
                break
            continue
        group = found.lastindex
        position = found.end()
        if group in kinds:
            start, end = found.span(group)
            fields.append(Field(found[1], found.start(1), start, end, kinds[group], found[group], []))
        elif group == _OPEN:
            current = Field(found[1], found.start(1), position - 1, position, MESSAGE, "", [])
            fields.append(current)
            stack.append(current)
            fields = current.fields
        elif group == _CLOSE and stack and text[current.value_start] == "{":
            current.end = found.end(group)
            stack.pop()
            current = stack[-1] if stack else root
            fields = current.fields
        elif group == _END and not stack:
            break
        else:
            if recovery is None:
                from caffelint.text.recovery import Recovery

                recovery = Recovery(source, root, stack, problems)
            position = recovery.item(found.start(group), current)
            current = stack[-1] if stack else root
            fields = current.fields
            if position < 0:
                break
    if recovery is not None:
        problems.sort(key=lambda problem: problem.start)
    return Document(source, root, problems)
