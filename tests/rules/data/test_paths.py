"""What a path says of the set that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.rules.data._layers import is_for_training, is_held_out, same_path


@pytest.mark.parametrize("path", ["train.txt", "a/ilsvrc12_train_lmdb", "b/trainset/", "val/train.lst", "Train_DB"])
def test_training_set(path: str) -> None:
    assert is_for_training(path)
    assert not is_held_out(path)


@pytest.mark.parametrize(
    "path", ["val.txt", "a/ilsvrc12_val_lmdb", "cifar10_test_leveldb/", "train/test.txt", "dev_set"]
)
def test_held_out_set(path: str) -> None:
    assert is_held_out(path)
    assert not is_for_training(path)


@pytest.mark.parametrize(
    "path", ["VOC0712_trainval_lmdb", "trn+val_lmdb", "data", "latest", "valley.txt", "train_val_split", "device"]
)
def test_neither(path: str) -> None:
    assert not is_held_out(path)
    assert not is_for_training(path)


@pytest.mark.parametrize("path", ["a/b", "./a/b", "a//b/", "a\\b"])
def test_same_path(path: str) -> None:
    assert same_path(path) == "a/b"


def test_other_paths() -> None:
    assert same_path("/a/b") != same_path("a/b")
    assert same_path("../a") != same_path("a")


def test_a_root_folder_that_is_there_is_meant_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    net = 'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" root_folder: "images" } }'
    (tmp_path / "net.prototxt").write_text(net)

    def severity() -> str:
        (found,) = (one for one in caffelint.check("net.prototxt").findings if one.name == "root-folder-without-slash")
        return found.severity

    assert severity() == "info"
    (tmp_path / "images").mkdir()
    assert severity() == "warning"
