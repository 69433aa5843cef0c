"""Of nets by one name with versions, a solver names the one that is used."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TRAIN } }\n'
    'layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TEST } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" top: "loss" }\n'
)
MIRRORED = "include { phase: TEST } transform_param { mirror: true }"


@pytest.mark.parametrize(
    ("solved", "other", "is_lowered"),
    [
        ("net_v3", "net_v2", True),
        ("net_v2", "net_v3", False),  # perhaps the one of today
        ("net_101", "net_50", False),  # another net
        ("net_v3", "other_v2", False),
    ],
)
def test_an_earlier_version_is_superseded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solved: str, other: str, is_lowered: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "solver.prototxt").write_text(f'net: "{solved}.prototxt"\nbase_lr: 0.1\n')
    (tmp_path / f"{solved}.prototxt").write_text(NET)
    (tmp_path / f"{other}.prototxt").write_text(NET.replace("include { phase: TEST }", MIRRORED))
    config = Config()
    config.cache, config.select = False, ["augmentation-in-testing"]
    [one] = caffelint.check(["."], config).findings
    assert one.file == f"{other}.prototxt"
    assert ("a later version" in one.evidence) == is_lowered
