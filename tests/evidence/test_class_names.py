"""Classes that differ in their side, by their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_sets import data_layer, datum, images, list_layer, report_of, rest, write_list, write_lmdb

from caffelint.evidence.data.class_names import sides_of

MIRROR = "transform_param { mirror: true }"


@pytest.mark.parametrize(
    ("names", "sides"),
    [
        (["turn left", "turn right"], ("turn left", "turn right")),
        (["left_hand/003.png", "cat/1.png", "right_hand/1.png"], ("left_hand/003.png", "right_hand/1.png")),
        (["left", "up", "down"], ("", "")),
        (["cleft", "cright"], ("", "")),
        (["00012", "00013"], ("", "")),
        ([], ("", "")),
    ],
)
def test_sides(names: list[str], sides: tuple[str, str]) -> None:
    assert sides_of(names) == sides


def messages(folder: Path, net: str) -> list[str]:
    found = report_of(folder, net)["json"]["findings"]
    return [one["message"] for one in found if one["name"] == "mirrored-sides"]


def test_a_text_with_a_line_for_each_class(tmp_path: Path) -> None:
    values = [datum(image, number % 3) for number, image in enumerate(images(30, (3, 8, 8)))]
    (tmp_path / "data").mkdir()
    source = write_lmdb(tmp_path / "data/train_lmdb", values)
    (tmp_path / "data/classes.txt").write_text("looks left\nlooks ahead\nlooks right\n")
    net = data_layer(source, MIRROR) + rest(3)
    (said,) = messages(tmp_path, net)
    assert '"looks left" and "looks right" differ in the side only' in said
    assert not messages(tmp_path, data_layer(source) + rest(3))
    (tmp_path / "data/classes.txt").write_text("looks left\nlooks ahead\nlooks right\nsleeps\n")
    assert not messages(tmp_path, net), "of other classes"


def test_a_list_of_files(tmp_path: Path) -> None:
    values = [datum(image, number % 2) for number, image in enumerate(images(30, (3, 8, 8)))]
    source = write_lmdb(tmp_path / "train_lmdb", values)
    for lines in ("camera_left.avi\ncamera_right.avi\n", "data/left\ndata/right\n", "left.PNG 0\nright.PNG 1\n"):
        (tmp_path / "videos.txt").write_text(lines)
        assert not messages(tmp_path, data_layer(source, MIRROR) + rest(2))


def test_a_second_source_of_other_classes(tmp_path: Path) -> None:
    values = [datum(image, number % 2) for number, image in enumerate(images(30, (3, 8, 8)))]
    (tmp_path / "sides").mkdir()
    (tmp_path / "sides/labels.txt").write_text("left\nright\n")
    first = write_lmdb(tmp_path / "sides/train_lmdb", values)
    (tmp_path / "pets").mkdir()
    second = write_lmdb(tmp_path / "pets/train_lmdb", values)
    net = data_layer(first, MIRROR) + rest(2)
    other = net.replace(str(first), str(second))
    for name in ("data", "label", "fc", "loss"):
        other = other.replace(f'"{name}"', f'"pet_{name}"')
    (said,) = messages(tmp_path, net + other)
    assert '"left" and "right" differ' in said


def test_a_folder_for_each_class(tmp_path: Path) -> None:
    source = write_list(tmp_path / "list", images(2, (3, 8, 8)), [0, 1])
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
    (tmp_path / "list_0.png").rename(tmp_path / "left/12.png")
    (tmp_path / "list_1.png").rename(tmp_path / "right/7.png")
    source.write_text(f"{tmp_path}/left/12.png 0\n{tmp_path}/right/7.png 1\n")
    (said,) = messages(tmp_path, list_layer(source, MIRROR) + rest(2))
    assert 'left/12.png" and "...' in said
    (tmp_path / "left/13.png").write_bytes((tmp_path / "left/12.png").read_bytes())
    source.write_text(f"{source.read_text()}{tmp_path}/left/13.png 2\n")
    assert not messages(tmp_path, list_layer(source, MIRROR) + rest(3)), "two classes have images of that camera"
