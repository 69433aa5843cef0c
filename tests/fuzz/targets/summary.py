"""`caffelint summary`."""

import json
from pathlib import Path

from targets import command

SEEDS = "prototxt"


def run(data: bytes) -> None:
    Path("net.prototxt").write_bytes(data)
    if len(data) % 2:
        command("summary", "--jobs", "1", "net.prototxt")
    else:
        out, _ = command("summary", "--jobs", "1", "--format", "json", "net.prototxt")
        for line in out.splitlines():
            json.loads(line)
