"""`caffelint report` of a net and of a solver with it, as a page and as a picture, with any JSON beside."""

from pathlib import Path

from targets import command

SEEDS = "prototxt"


def run(data: bytes) -> None:
    Path("net.prototxt").write_bytes(data)
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "step" gamma: 0.1 stepsize: 3')
    Path("given.json").write_bytes(b'{"logs": [' + data[:200] + b"]}")
    if len(data) % 3 == 0:
        command("report", "--isolated", "net.prototxt", "--format", "svg", "--open", "-o", "net.svg")
    elif len(data) % 3 == 1:
        command("report", "--isolated", "solver.prototxt", "-o", "page.html")
    else:
        command("report", "--isolated", "net.prototxt", "--with", "given.json", "-o", "page.html")
