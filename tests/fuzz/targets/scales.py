"""`caffelint scales`, and the rates that `caffelint lr --suggest` names."""

import json
from pathlib import Path

from targets import command

SEEDS = "prototxt"


def run(data: bytes) -> None:
    Path("net.prototxt").write_bytes(data)
    if len(data) % 2:
        command("scales", "--isolated", "net.prototxt")
        return
    out, _ = command("scales", "--isolated", "--format", "json", "net.prototxt")
    if out:
        json.loads(out)
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9 momentum: 0.9')
    command("lr", "--suggest", "solver.prototxt")
