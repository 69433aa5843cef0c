"""`caffelint log` and `caffelint check` of what is packed with gzip, as a file and on stdin, whole or damaged."""

import gzip
import sys
from pathlib import Path
from unittest.mock import patch

from targets import command

SEEDS = "packed"


def run(data: bytes) -> None:
    path = Path("train.log.gz")
    path.write_bytes(data if data.startswith(b"\x1f\x8b") else gzip.compress(data))
    command("log", "--isolated", str(path))
    for arguments in (("log", "--follow", "-"), ("check", "-")):
        with path.open(encoding="utf-8") as stdin, patch.object(sys, "stdin", stdin), patch("time.sleep", _end):
            command(*arguments, "--isolated")


def _end(_: float) -> None:
    """Of a file that nobody writes to, nothing is waited for: it becomes shorter."""
    Path("train.log.gz").write_bytes(b"")
