"""A net that reads the data of another one beside it, by the numbers in their names."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer {{ name: "data" type: "Data" top: "data" data_param {{ source: "{}" batch_size: 8 }} }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "data" top: "loss" }}
"""


@pytest.mark.parametrize(
    ("name", "source", "meant"),
    [
        ("train_10k", "data1k/train_lmdb", "data10k/train_lmdb"),
        ("train_10k", "/home/me/set_1k/train_lmdb", "/home/me/set_10k/train_lmdb"),
        ("train_10k", "data10k/train_lmdb", ""),
        ("train_10k", "data/train_lmdb", ""),
        # No net is named after it.
        ("train_10k", "data5k/train_lmdb", ""),
        # A bare number may count anything.
        ("train_2", "data_1/train_lmdb", ""),
    ],
)
def test_source_of_another_net(tmp_path: Path, name: str, source: str, meant: str) -> None:
    for other in ("train_1k", "train_1"):
        (tmp_path / f"{other}.prototxt").write_text(NET.format("data1k/train_lmdb"))
    (tmp_path / f"{name}.prototxt").write_text(NET.format(source))
    config = Config()
    config.cache = False
    found = [one.message for one in caffelint.check(tmp_path, config).findings if one.code == "D027"]
    assert [one.partition("did you mean ")[2] for one in found] == [f'"{meant}"?'] * bool(meant)
