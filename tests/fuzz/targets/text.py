"""Bytes to a tree that is lossless, and to a message."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "tools"))
from fuzz_text import check, check_reading

SEEDS = "prototxt"


def run(data: bytes) -> None:
    check(data)
    check_reading(data, None, None)
    check_reading(data, "solver" if len(data) % 2 else "net", "ssd")
