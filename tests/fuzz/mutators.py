"""Makes texts that nobody would write out of texts that somebody has written."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

LARGEST = 250_000
_TOKEN = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_]\w*|[-+.\w]+|\s+|#[^\n]*|.", re.DOTALL)
_NUMBER = re.compile(rb"(?<![\w.])-?[0-9][0-9.eE+-]*")
_NAME = re.compile(rb"[A-Za-z_]\w{2,}")
_FIELD = re.compile(rb"\w+[ \t]*:[ \t]*[^\s{}]+|\w+[ \t]*\{[^{}]*\}")
_BLOCK = re.compile(rb"\w+[ \t]*\{(?:[^{}]*\{[^{}]*\}){0,8}[^{}]*\}")
_LONG = (b"9" * 400, b"9" * 5000, b"0." + b"3" * 500, b"1" + b"0" * 50)
NUMBERS = (
    *_LONG,
    *b"inf -inf nan -nan 0 -0 -0.0 1 -1 0.5 1e30 -1e30 1e-45 1e308 1e999 -1e999 2147483647 2147483648 -2147483648"
    b" 4294967295 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616"
    b" 340282356779733661637539395458142568447 0x7fffffff 0xffffffffffffffff 017 08 1. .5 1e 1f 1,000 00 65536"
    b" 46341".split(),
)
JUNK = [
    *(bytes([byte]) for byte in range(256)),
    *b"{ } < > [ ] : ; , # \" ' \\ - + . / // /* */ ${A} {{a}} <<<<<<< ======= >>>>>>> {% %} ?? ...".split(),
    *(char.encode() for char in "\ufeff\u00a0\u200b\u202e\u2028\uff1a\u201c\u201d\u3000é\U0001f600\ud7ff"),
    *(
        b'\\"',
        b"\\",
        b"\\x",
        b"\\u12",
        b"\\ud83d",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b'"a" "b"',
        b"\x1b[31m",
        b"\r\n",
        b"\r",
    ),
    *(b"layer {", b"layers {", b"}\n}", b"name: ", b"# caffelint: ignore", b"# caffelint: ignore-file[all]", b"net: "),
]

Mutator = Callable[[random.Random, bytes, bytes], bytes]


def _span(chance: random.Random, data: bytes) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((0, 1, 1, 2, 5, 30, 200)))


def flip(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Another byte in place of one or a few."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if found:
            found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def junk(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Junk in place of a few bytes, or between two."""
    start, end = _span(chance, data)
    return data[:start] + chance.choice(JUNK) * chance.choice((1, 1, 1, 2, 40)) + data[end:]


def swap(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Two tokens in each other's place."""
    tokens = _TOKEN.findall(data)
    if len(tokens) < 2:
        return data
    first, second = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return b"".join(tokens)


def drop(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Without a few tokens."""
    tokens = _TOKEN.findall(data)
    start = chance.randrange(len(tokens) + 1)
    del tokens[start : start + chance.choice((1, 1, 2, 10))]
    return b"".join(tokens)


def number(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A number that is hard to bear in place of one, or of all."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    if chance.random() < 0.1:
        return _NUMBER.sub(lambda _: chance.choice(NUMBERS), data)
    start, end = chance.choice(found).span()
    return data[:start] + chance.choice(NUMBERS) + data[end:]


def rename(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """One word of another text, or of this one, in place of a word."""
    found, words = list(_NAME.finditer(data)), _NAME.findall(data + b" " + other)
    if not found:
        return data
    start, end = chance.choice(found).span()
    return data[:start] + chance.choice(words) + data[end:]


def repeat(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A field or a block again, now and then very often."""
    found = list((_FIELD if chance.random() < 0.5 else _BLOCK).finditer(data))
    if not found:
        return data
    one = chance.choice(found)
    most = (LARGEST - len(data)) // (len(one[0]) + 1) if chance.random() < 0.003 else 20
    times = max(0, min(most, chance.choice((1, 1, 2, 20, 100_000))))
    return data[: one.end()] + (b"\n" + one[0]) * times + data[one.end() :]


def move(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A field or a block elsewhere."""
    found = list((_FIELD if chance.random() < 0.5 else _BLOCK).finditer(data))
    if not found:
        return data
    start, end = chance.choice(found).span()
    rest = data[:start] + data[end:]
    at = chance.choice(found).start()
    return rest[:at] + b" " + data[start:end] + b" " + rest[at:]


def truncate(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning or the end alone."""
    at = chance.randrange(len(data) + 1)
    return data[:at] if chance.random() < 0.7 else data[at:]


def splice(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A piece of another text in the middle, or its end for the end."""
    start, end = _span(chance, data)
    first, last = sorted((chance.randrange(len(other) + 1), chance.randrange(len(other) + 1)))
    return data[:start] + other[first:last] + (data[end:] if chance.random() < 0.5 else b"")


def graft(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Blocks or fields of another text after one of this."""
    pattern = _FIELD if chance.random() < 0.7 else _BLOCK
    mine, theirs = list(_FIELD.finditer(data)), pattern.findall(other)
    if not mine or not theirs:
        return data
    at = chance.choice(mine).end()
    return data[:at] + b"\n" + b"\n".join(chance.choices(theirs, k=chance.choice((1, 1, 3)))) + b"\n" + data[at:]


def nest(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A block inside of another, now and then of very many."""
    start, end = _span(chance, data)
    name = chance.choice((b"layer", b"a", b"net_param", b"transform_param", b"param", b""))
    depth = chance.choice((1, 1, 2, 2, 30, 120, 3000 if chance.random() < 0.05 else 3))
    opening, closing = chance.choice(((b" {", b"}"), (b":<", b">"), (b": [", b"]"), (b"{", b"")))
    return data[:start] + (name + opening) * depth + data[start:end] + closing * depth + data[end:]


MUTATORS: tuple[Mutator, ...] = (
    flip, junk, swap, drop, number, number, rename, rename, repeat, move, truncate, splice, graft, nest,
)  # fmt: skip


def mutant(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds with a few things done to it, of at most `LARGEST` bytes."""
    data = chance.choice(seeds)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 6))):
        data = chance.choice(MUTATORS)(chance, data, chance.choice(seeds))[:LARGEST]
    return data
