"""`caffelint check --watch`: settings and a net that change while they are watched."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import watchfiles

from targets import command

SEEDS = "config"


def run(data: bytes) -> None:
    settings = Path("caffelint.toml")
    settings.unlink(missing_ok=True)
    Path("solver.prototxt").write_text('base_lr: 0.01 lr_policy: "poly" power: 1 net: "net.prototxt"')

    def changes(*folders: str, watch_filter: Any, **_: Any) -> Iterator[set[Any]]:
        yield set()
        settings.write_bytes(data)
        for name in (settings.name, "solver.prototxt", data[:40].decode("utf-8", "replace")):
            watch_filter(watchfiles.Change.modified, str(Path(name).absolute()))
        yield {(watchfiles.Change.added, str(settings.absolute()))}
        settings.unlink()
        yield {(watchfiles.Change.deleted, str(settings.absolute()))}

    with patch.object(watchfiles, "watch", changes):
        out, err = command("check", "--watch", "--no-cache", "solver.prototxt")
    assert err.count("watching for changes until Ctrl-C") == 3, err[-2000:]
    assert "poly-without-max-iter" in out.rpartition("solver.prototxt:")[2], out[-2000:]
