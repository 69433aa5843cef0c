"""The order of a list of images that is there to be read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "data" type: "ImageData" top: "data" top: "label" include { phase: TRAIN }
  image_data_param { source: "SOURCE" batch_size: 8 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
"""
SORTED = [str(number // 20) for number in range(60)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "work"
    (folder / "model").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def severities(source: str = "lists/train.txt") -> list[str]:
    Path("model/net.prototxt").write_text(NET.replace("SOURCE", source))
    Path("model/solver.prototxt").write_text('net: "model/net.prototxt" base_lr: 0.1')
    config = Config()
    config.select = ["data-not-shuffled"]
    return [one.severity for one in caffelint.check(["model"], config).findings]


def write(labels: Sequence[str]) -> None:
    Path("lists").mkdir(exist_ok=True)
    Path("lists/train.txt").write_text("".join(f"a/{number}.jpg {label}\n" for number, label in enumerate(labels)))


def test_the_order_of_the_labels(folder: Path) -> None:
    """Each time, the findings of before are in the cache."""
    assert severities() == ["info"]
    write(SORTED)
    assert severities() == ["warning"]
    assert severities() == ["warning"]
    write(random.Random(1).sample(SORTED, len(SORTED)))
    assert severities() == []
    write(SORTED + SORTED)
    assert severities() == ["info"]


@pytest.mark.parametrize("labels", [["0"] * 60, [f"{number / 20}" for number in range(60)], list(map(str, range(60)))])
def test_values_that_are_no_classes(folder: Path, labels: list[str]) -> None:
    write(labels)
    assert severities() == ["info"]


def test_a_list_outside_is_not_read(folder: Path) -> None:
    write(SORTED)
    (folder / "lists").rename(folder.parent / "lists")
    assert severities("../lists/train.txt") == ["info"]
    assert severities(str(folder.parent / "lists" / "train.txt")) == ["info"]
