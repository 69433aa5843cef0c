"""`caffelint lr`."""

from pathlib import Path

from targets import command

SEEDS = "solver"


def run(data: bytes) -> None:
    Path("solver.prototxt").write_bytes(data)
    command("lr", "solver.prototxt")
