"""`caffelint deploy`: the net that it makes differs in nothing that matters from the net that it is held against."""

from pathlib import Path

from caffelint.fix.deploy import DeployError, compare, deploy
from targets import command

SEEDS = "prototxt"


def run(data: bytes) -> None:
    if len(data) % 4 == 0:
        Path("net.prototxt").write_bytes(data)
        for name in ("card.json", "deploy.prototxt"):
            Path(name).unlink(missing_ok=True)
        command("deploy", "--isolated", "--card", "card.json", "-o", "deploy.prototxt", "net.prototxt")
        return
    try:
        made = deploy(data, "net.prototxt")
    except DeployError:
        return
    assert not any("\n" in note for note in made.notes), made.notes
    if not any(note.startswith("Caffe will not load it") for note in made.notes):
        wrong = [one.message for one in compare(data, made.data, "net.prototxt", "deploy.prototxt") if one.matters]
        assert not wrong, wrong
