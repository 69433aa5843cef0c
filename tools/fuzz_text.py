"""Mutates prototxt and looks for a crash, a hang or a tree that does not hold together: `fuzz_text.py 200000 [SEED]`.

The seeds are texts that this file makes from the schema's own descriptors, so that every field type occurs. The checks
are used by the tests too.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from caffelint.lint.file import load
from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.tables import message_type
from caffelint.text.edits import apply_edits
from caffelint.text.parser import Document, parse
from caffelint.text.tree import BROKEN, LIST, MESSAGE, Field

SLOW_SECONDS = 2.0
TRIVIA = re.compile(r"(?:[ \t\r\n\f\v]|#[^\n]*)*")
BETWEEN_NAME_AND_VALUE = re.compile(r"(?:[ \t\r\n\f\v:]|#[^\n]*)*")
BETWEEN_FIELDS = re.compile(r"(?:[ \t\r\n\f\v;,]|#[^\n]*)*")
SCRAPS = [
    *(bytes([byte]) for byte in range(256)),
    *b"{ } < > [ ] : ; , # \" ' - + . / // /* */ $ ${A} {{a}} <<<<<<< ======= >>>>>>>".split(),
    *b"0x 08 1e 1e400 1.2.3 -inf nan".split(),
    *(char.encode() for char in "\ufeff\u00a0\uff1a\u201c\u201d\u3000é"),
    *(
        b"layer {",
        b"layers {",
        b"}\n}",
        b"name: ",
        b"\r\n",
        b"\r",
        b"\\",
        b"\\x",
        b"\\u12",
        b"'a' \"b\"",
        b"999999999999999999999",
    ),
]


# Texts.


def write(chance: random.Random, descriptor: Any, depth: int = 0) -> str:
    """A valid text of a message, in all the ways that the text format allows."""
    lines: list[str] = []
    done: list[Any] = []
    type_ = message_type(descriptor)
    fields = [field for field in descriptor.fields if depth < 3 or not field.message_type]
    required = [field for field in fields if field.name in type_.required]
    for field in required + chance.sample(fields, min(len(fields), chance.randrange(6))):
        if field in done:
            continue
        done.append(field)
        repeated = type_.fields[field.name].repeated
        values = [value(chance, field, depth) for _ in range(chance.randrange(1, 4) if repeated else 1)]
        lines += written(chance, field, values, repeated)
    return "".join(line + chance.choice(["\n", " ", ";\n", ",", ' # c: { "\n', "\r\n", "\t"]) for line in lines)


def written(chance: random.Random, field: Any, values: list[str], repeated: bool) -> Iterator[str]:
    """The values of a field, each for itself or as a list."""
    colon = chance.choice([":", ": ", " : ", ":\n", ": # why\n "])
    if field.message_type:
        colon = chance.choice([colon, " ", "", "\n"])
    if repeated and chance.random() < 0.3:
        yield f"{field.name}{colon}[{chance.choice([', ', ',', ' , ']).join(values)}]"
    else:
        for one in values:
            yield f"{field.name}{colon}{one}"


def value(chance: random.Random, field: Any, depth: int) -> str:
    """The text of one value of a field."""
    if field.message_type:
        inner = write(chance, field.message_type, depth + 1)
        return chance.choice([f"{{ {inner} }}", f"{{\n{inner}}}", f"< {inner} >"])
    if field.enum_type:
        name = chance.choice(list(field.enum_type.values)).name
        return str(name)
    kind = field.type
    if kind in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return chance.choice(
            ["0", "1", "-1", "0.5", ".5", "5.", "1e3", "-1.5E-3", "2.5f", "1e10F", "inf", "-inf", "nan", "- 2"]
        )
    if kind == field.TYPE_BOOL:
        return chance.choice(["true", "false", "True", "False", "t", "f", "0", "1"])
    if kind in (field.TYPE_STRING, field.TYPE_BYTES):
        return chance.choice(
            ['"a"', "'b c'", '""', '"\\n\\t\\""', "\"a\" 'b'", '"\\x41\\101"', '"#{}"', "'\"'", '"/a/b.txt"']
        )
    if kind in (field.TYPE_UINT32, field.TYPE_UINT64):
        return chance.choice(["0", "1", "42", "4294967295", "0x1F", "017"])
    return chance.choice(["0", "1", "-1", "42", "2147483647", "-2147483648", "0x1F", "-0x10", "017", "- 7"])


def mutate(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """`data` with a few small things done to it."""
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice([0, 1, 1, 2, 5, 30]))
        take = chance.randrange(len(other) + 1)
        piece = chance.choice(
            [b"", chance.choice(SCRAPS), chance.choice(SCRAPS), other[take : take + chance.randrange(20)]]
        )
        data = data[:at] + piece + data[to:]
    return data


# Checks.


def check(data: bytes) -> Document:
    """Read a text and look at all that must hold of its tree and its problems; AssertionError where it does not."""
    document = parse(data)
    text = document.source.text
    assert document.source.data == data
    assert len(text) == len(data)
    assert reprinted(document) == data
    root = document.root
    assert (root.start, root.end) == (0, len(data))
    check_children(root, text, 0, len(data), strictly=not document.problems)
    for problem in document.problems:
        check_problem(problem, data)
        line, column = document.source.position(problem.start)
        assert line >= 1
        assert column >= 1
    return document


def check_children(parent: Field, text: str, start: int, end: int, *, strictly: bool) -> None:
    """Children are in order inside their parent; without problems, only punctuation is between them."""
    pending = [(parent, start, end)]
    while pending:
        parent, position, end = pending.pop()
        for field in parent.fields:
            assert position <= field.start <= field.value_start <= field.end <= end, field
            if field.start != field.value_start:
                assert text.startswith(field.name, field.start), field
            if strictly:
                check_clean(field, parent, text, position)
            if field.kind in (MESSAGE, LIST):
                bracket = text[field.value_start] in "{<["  # a list of `dim: 1, 2` has none
                pending.append((field, field.value_start + bracket, field.end))
            else:
                assert not field.fields
            position = field.end
        if strictly and parent.name:
            assert BETWEEN_FIELDS.fullmatch(text, position, end - 1), parent
            assert text[end - 1] in "}>]", parent


def check_clean(field: Field, parent: Field, text: str, position: int) -> None:
    assert BETWEEN_FIELDS.fullmatch(text, position, field.start), field
    assert field.kind != BROKEN
    if parent.kind == LIST:
        assert field.name == parent.name
        assert field.start == field.value_start
    else:
        assert field.name
        assert BETWEEN_NAME_AND_VALUE.fullmatch(text, field.start + len(field.name), field.value_start), field
    if field.kind not in (MESSAGE, LIST):
        raw = text[field.value_start : field.end]
        assert raw == field.text or (raw[0] == "-" and TRIVIA.sub("", raw) == field.text), field


def check_problem(problem: Any, data: bytes) -> None:
    assert 0 <= problem.start <= problem.end <= len(data), problem
    assert problem.message
    assert "\n" not in problem.message, problem
    if problem.repairs:
        apply_edits(data, problem.repairs)


def reprinted(document: Document) -> bytes:
    """The text put together again from the pieces that the tree cuts it into."""
    cuts = sorted({0, len(document.source.data)} | {at for field in document.root.walk() for at in field.span})
    return b"".join(document.source.data[start:end] for start, end in pairwise(cuts))


def check_reading(data: bytes, kind: str | None, dialect: str | None) -> None:
    """Binding, upgrade and kind detection bring nothing down; spans stay inside of the file."""
    file = load(data, kind=kind, dialect=dialect)
    for problem in file.problems:
        check_problem(problem, data)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    roots = {"net": NetParameter.DESCRIPTOR, "solver": SolverParameter.DESCRIPTOR}
    seeds = [(kind, write(chance, root).encode()) for kind, root in roots.items() for _ in range(300)]
    started, slowest, refused = time.monotonic(), 0.0, 0
    for number in range(count):
        kind, data = chance.choice(seeds)
        data = mutate(chance, data, chance.choice(seeds)[1])
        before = time.process_time()
        try:
            refused += bool(check(data).problems)
            check_reading(data, chance.choice([None, kind]), chance.choice([None, "bvlc", "ssd"]))
        except Exception:
            print(f"input {number}: {data!r}")
            raise
        seconds = time.process_time() - before
        slowest = max(slowest, seconds)
        assert seconds < SLOW_SECONDS, f"input {number} takes {seconds:.1f} s: {data!r}"
    took = time.monotonic() - started
    print(f"{count} texts, {refused} with problems, slowest {slowest * 1000:.0f} ms, {took:.0f} s: nothing found")


if __name__ == "__main__":
    main()
