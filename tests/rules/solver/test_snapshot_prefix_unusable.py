"""Where the folder of snapshots is asked for, as by `smoke`, data that came with the project lets it be looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config


@pytest.mark.parametrize(("data", "told"), [("train.txt", True), ("elsewhere.txt", False)])
def test_folder(tmp_path: Path, data: str, told: bool) -> None:
    (tmp_path / "README.md").write_text("a net\n")
    (tmp_path / "train.txt").write_text("train.h5\n")
    (tmp_path / "net.prototxt").write_text(
        f'layer {{ name: "data" type: "HDF5Data" top: "data" hdf5_data_param {{ source: "{data}" batch_size: 8 }} }}'
    )
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" snapshot: 100 snapshot_prefix: "models/net"')
    config = Config()
    config.cache, config.rules = False, {"snapshot-prefix-unusable": {"check-folder": True}}
    names = {finding.name for finding in caffelint.check(tmp_path, config).findings}
    assert ("snapshot-prefix-unusable" in names) is told
