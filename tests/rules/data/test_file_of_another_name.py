"""A file that is not there, where one of nearly its name is in the folder that the path leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.project.similar import near_in

DATA = 'layer {{ name: "d" type: "Data" top: "d" data_param {{ source: "x" }} transform_param {{ mean_file: "{}" }} }}'
LIST = 'layer {{ name: "d" type: "ImageData" top: "d" image_data_param {{ source: "{}" batch_size: 1 }} }}'
BOXES = (
    'layer {{ name: "d" type: "DetectionOutput" bottom: "a" bottom: "b" bottom: "c" top: "d"'
    ' detection_output_param {{ num_classes: 2 save_output_param {{ label_map_file: "{}" }} }} }}'
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "data").mkdir()
    return tmp_path


def found(text: str) -> list[tuple[str, str, list[str]]]:
    (Path("models") / "net.prototxt").write_text(text)
    config = Config()
    config.cache, config.select = False, ["source-not-found"]
    report = caffelint.check(["models"], config)
    assert not report.failures
    return [(one.severity, one.message, [fix.title for fix in one.fixes]) for one in report.findings]


@pytest.mark.parametrize(
    ("net", "field", "named", "there"),
    [
        (BOXES, "label_map_file", "data/labelmap_own.prototxt", "labelmap.prototxt"),
        (DATA, "mean_file", "data/mean.binaryproto", "own_mean.binaryproto"),
        (LIST, "source", "data/train_lst.txt", "train_list.txt"),
    ],
)
def test_the_one_beside(repository: Path, net: str, field: str, named: str, there: str) -> None:
    text = net.format(named)
    assert found(text) == []
    (repository / "data" / there).write_text("")
    ((severity, message, fixes),) = found(text)
    assert severity == "warning"
    assert message.endswith(
        f'"d": {field} "{named}" does not exist, so Caffe stops at the start; did you mean "data/{there}"?'
    )
    assert fixes == [f'name "data/{there}"']
    (repository / ".gitignore").write_text(named)
    assert found(text) == [], "it is made in each clone"
    (repository / ".gitignore").unlink()
    (repository / named).write_text("")
    assert found(text) == []


@pytest.mark.parametrize(
    ("names", "near"),
    [
        (["labelmap_voc.p"], "labelmap_voc.p"),
        (["labelmap_voc.p", "labelmap_coco.p"], ""),
        (["labelmap_2.p", "label_map.p"], "label_map.p"),
        (["lablmap.p", "labelmap_voc.p"], "lablmap.p"),
        (["names.p", "labelmap.txt"], ""),
        (["labelmap.p", "labelmap_voc.p"], ""),
    ],
)
def test_which_one_is_near(tmp_path: Path, names: list[str], near: str) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    assert near_in(str(tmp_path / "labelmap.p"), by_words=True) == near


def test_a_number_makes_another_file(tmp_path: Path) -> None:
    (tmp_path / "train_list_2.txt").write_text("")
    (tmp_path / "train_small.txt").write_text("")
    assert near_in(str(tmp_path / "train_list_1.txt")) == near_in(str(tmp_path / "train.txt")) == ""


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("places_challenge_train_list_shuffled.txt", "places_challenge_test_list_shuffled.txt"),
        ("imagenet_ilsvrc_train_list.txt", "imagenet_ilsvrc_val_list.txt"),
        ("nyu_depth_train_image_list.txt", "nyu_depth_train_label_list.txt"),
        ("cls_train_split_a.txt", "cls_train_split_b.txt"),
    ],
)
def test_a_word_makes_another_file(tmp_path: Path, name: str, there: str) -> None:
    (tmp_path / there).write_text("")
    assert near_in(str(tmp_path / name)) == near_in(str(tmp_path / name), by_words=True) == ""


def test_a_stored_result_holds_until_another_file_is_there(repository: Path) -> None:
    (repository / "data" / "labelmap.prototxt").write_text("")
    (repository / "models" / "net.prototxt").write_text(BOXES.format("data/labelmap_own.prototxt"))
    config = Config()
    config.select = ["source-not-found"]

    def count() -> int:
        return len(caffelint.check(["models"], config).findings)

    assert count() == count() == 1
    (repository / "data" / "labelmap_voc.prototxt").write_text("")
    assert count() == 1
    (repository / "data" / "labelmap_own.prototxt").write_text("")
    assert count() == 0
