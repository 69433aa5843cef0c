"""Settings: read, shown, and used in a check."""

from pathlib import Path

from targets import command

SEEDS = "config"
NAMES = ("caffelint.toml", "pyproject.toml", "setup.cfg")


def run(data: bytes) -> None:
    name = NAMES[len(data) % 3]
    if name == "pyproject.toml":
        data = b"[tool.caffelint]\n" + data
    elif name == "setup.cfg":
        data = b"[caffelint]\n" + data
    for other in NAMES:
        Path(other).unlink(missing_ok=True)
    Path(name).write_bytes(data)
    Path("solver.prototxt").write_text('base_lr: 0.01 lr_policy: "poly" power: 1 net: "net.prototxt"')
    command("config")
    command("check", "--no-cache", "solver.prototxt")
