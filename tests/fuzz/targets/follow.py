"""`caffelint log --follow`: a log that comes in pieces of any size."""

import random
from collections.abc import Iterator
from unittest.mock import patch

from caffelint.cli import logged
from targets import command

SEEDS = "log"


def run(data: bytes) -> None:
    chance = random.Random(len(data))
    with patch.object(logged, "chunks", lambda path, more: _pieces(data, chance)):
        command("log", "--isolated", "--follow", "--until", chance.choice(("nan", "stuck", "nan,stuck")), "train.log")


def _pieces(data: bytes, chance: random.Random) -> Iterator[bytes]:
    largest, at = chance.choice((20, 200, 2000, 1 << 16)), 0
    while at < len(data):
        size = chance.randrange(1, largest)
        yield data[at : at + size]
        at += size
