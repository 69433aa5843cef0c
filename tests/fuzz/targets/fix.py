"""`caffelint check --fix`: every fix comes to an end, none is broken, and what comes out can be read."""

from caffelint.fix.run import fix
from caffelint.lint.config import Config

SEEDS = "prototxt"


def run(data: bytes) -> None:
    config = Config()
    config.extend_select = ["legacy-format"] if len(data) % 5 == 0 else []
    result = fix([], config, unsafe=len(data) % 3 > 0, write=False, texts={"net.prototxt": data}, alone=True)
    assert not result.report.failures, result.report.failures[0].message
    for note in result.notes:
        assert "please report it" not in note or "was left out: it would cause" in note, note
    assert bool(result.changes) == bool(result.report.applied)
