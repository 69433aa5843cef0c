"""Training and testing read the same records by lists, or by what scripts make of lists."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import Any

import pytest

import caffelint
from caffelint.lint import disk
from caffelint.lint.project.listed import lines_in

DATA = """layer {{ name: "{0}" type: "Data" top: "data" top: "label" include {{ phase: {1} }}
  data_param {{ source: "{0}_lmdb" batch_size: 4 }} }}
"""
NET = DATA.format("train", "TRAIN") + DATA.format("val", "TEST")
NET += 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }'
SOLVER = 'net: "net.prototxt" test_iter: 9 test_interval: 100 base_lr: 0.1 lr_policy: "fixed" max_iter: 900'
COMMAND = "convert_imageset --shuffle data/ {} {}_lmdb\n"


@pytest.mark.parametrize(
    ("lists", "more", "told"),
    [
        (("$DATA/train.txt", "$DATA/train.txt"), "", True),
        (("train.txt", "val.txt"), "", False),
        # Written anew in between.
        (("list.txt", "list.txt"), "ls train > list.txt\n", False),
    ],
)
def test_two_data_bases_of_one_list(tmp_path: Path, lists: tuple[str, str], more: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    (tmp_path / "make.sh").write_text(more + COMMAND.format(lists[0], "train") + COMMAND.format(lists[1], "val"))
    found = _found(tmp_path)
    assert [(one.line, '"val_lmdb" of "train.txt"' in one.message) for one in found] == [(4, True)] * told


def test_of_many_layers_few_lists_are_compared_and_each_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = []
    for number in range(8):
        for phase in ("TRAIN", "TEST"):
            name = f"{phase.lower()}{number}"
            (tmp_path / f"{name}.txt").write_text(f"{name}.h5\n")
            layers.append(
                f'layer {{ name: "{name}" type: "HDF5Data" top: "d" hdf5_data_param {{ source: "{name}.txt" }}'
                f" include {{ phase: {phase} }} }}\n"
            )
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "d" bottom: "d" }'
    (tmp_path / "net.prototxt").write_text("".join(layers) + loss)
    digested: list[object] = []
    digest = disk._digest

    def counted(told: tuple[str, ...]) -> str:
        digested.append(told)
        return digest(told)

    monkeypatch.setattr(disk, "_digest", counted)
    caffelint.check([str(tmp_path)])
    lists = [
        told for told in digested if told in {(f"{phase}{n}.h5",) for phase in ("train", "test") for n in range(8)}
    ]
    assert len(lists) == len(set(lists)) == 1 + 4


def test_whether_a_list_has_a_line_is_found_as_in_a_set(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("b.h5  1\na.h5\nb.h5 1\n")
    lines = lines_in(str(tmp_path / "list.txt"))
    assert (list(lines), isinstance(lines, Set)) == (["b.h5 1", "a.h5"], True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("convert_imageset data labels.txt train_lmdb\nconvert_imageset data/ labels.txt val_lmdb\n", True),
        ("convert_imageset data/train/ labels.txt train_lmdb\nconvert_imageset data/val/ labels.txt val_lmdb\n", False),
        ("D=a\nconvert_imageset $D/ labels.txt train_lmdb\nconvert_imageset $D/ labels.txt val_lmdb\n", True),
        ("D=a\nconvert_imageset $D/ labels.txt train_lmdb\nD=b\nconvert_imageset $D/ labels.txt val_lmdb\n", False),
    ],
)
def test_names_of_a_list_below_a_folder(tmp_path: Path, text: str, told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    (tmp_path / "make.sh").write_text(text)
    assert len(_found(tmp_path)) == told


def _lists(kind: str, block: str, folders: tuple[str, str]) -> str:
    layers = (
        f'layer {{ name: "{name}" type: "{kind}" top: "data" top: "label" include {{ phase: {name.upper()} }}'
        f' {block} {{ source: "{name}.txt" root_folder: "{folder}" batch_size: 4 }}'
        " transform_param { crop_size: 9 } }"
        for name, folder in zip(("train", "test"), folders, strict=True)
    )
    return "\n".join(layers) + 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }'


IMAGES, WINDOWS = ("ImageData", "image_data_param"), ("WindowData", "window_data_param")


@pytest.mark.parametrize(
    ("kind", "folders", "lines", "told"),
    [
        (IMAGES, ("train/", "train/"), ("a.jpg 0\n", "a.jpg 0\n"), True),
        (IMAGES, ("", "train/"), ("train/a.jpg 0\n", "a.jpg 0\n"), True),
        (IMAGES, ("train/", ""), ("a.jpg 0\n", "train/a.jpg 0\n"), True),
        (IMAGES, ("a/", "b/"), ("b/x.jpg 0\n", "a/x.jpg 0\n"), False),
        (IMAGES, ("train/", "val/"), ("a.jpg 0\n", "a.jpg 0\n"), False),
        (WINDOWS, ("", ""), ("# 0\na.jpg\n3\n500\n500\n0\n", "# 0\nb.jpg\n3\n500\n500\n0\n"), False),
    ],
)
def test_lists_of_images(
    tmp_path: Path, kind: tuple[str, str], folders: tuple[str, str], lines: tuple[str, str], told: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(_lists(*kind, folders))
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    for name, text in zip(("train", "test"), lines, strict=True):
        (tmp_path / f"{name}.txt").write_text(text)
    assert len(_found(tmp_path)) == told


def _found(folder: Path) -> list[Any]:
    return [one for one in caffelint.check([str(folder)]).findings if one.name == "tested-on-training-records"]
