"""`caffelint check --interactive`: offers that are taken or not, by answers that may be anything."""

import io
import random
import sys
from pathlib import Path
from unittest.mock import patch

from targets import command

SEEDS = "prototxt"
ANSWERS = (
    "y\n",
    "n\n",
    "y\n",
    "n\n",
    "YES \n",
    "a\n",
    "q\n",
    "?\n",
    "\n",
    "\x00\n",
    "\x1b[A\n",
    "\ud800\n",
    "no such\n",
    "",
)


def run(data: bytes) -> None:
    Path("net.prototxt").write_bytes(data)
    chance = random.Random(len(data))
    stdin = io.StringIO("".join(chance.choices(ANSWERS, k=chance.choice((0, 1, 3, 20)))))
    with patch.object(sys, "stdin", stdin):
        command("check", "--isolated", "--no-cache", "--jobs", "1", "--interactive", "net.prototxt")
