"""A baseline: read, and held against findings."""

from pathlib import Path

from targets import command

SEEDS = "baseline"


def run(data: bytes) -> None:
    Path("baseline.json").write_bytes(data)
    Path("solver.prototxt").write_text('base_lr: 0.01 lr_policy: "poly" power: 1 net: "net.prototxt"')
    command("check", "--no-cache", "--baseline", "baseline.json", "solver.prototxt")
