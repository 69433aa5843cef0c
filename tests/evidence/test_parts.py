"""Parts of a data set that no list names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from data_sets import hdf5_layer, report_of

h5py = pytest.importorskip("h5py")

REST = """layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def told(folder: Path, listed: Sequence[str], there: Sequence[str], rows: int = 30, test: str = "") -> list[str]:
    generator = np.random.default_rng(3)
    for name in {*listed, *there}:
        count = rows if name in there else 30
        labels = np.arange(count, dtype=np.float32) % 3
        with h5py.File(folder / name, "w") as file:
            file["data"], file["label"] = generator.random((count, 4)).astype(np.float32), labels
    (folder / "train.txt").write_text("".join(f"{folder / name}\n" for name in listed))
    net = hdf5_layer(folder / "train.txt", "TRAIN" if test else "")
    if test:
        (folder / "test.txt").write_text(f"{folder / test}\n")
        net += hdf5_layer(folder / "test.txt", "TEST")
    found = report_of(folder, net + REST)["json"]["findings"]
    return [f"{one['severity']}: {one['message']}" for one in found if one["name"] == "files-left-out"]


def test_one_of_three(tmp_path: Path) -> None:
    (said,) = told(tmp_path, ["train_1.h5"], ["train_0.h5", "train_2.h5"])
    assert said.startswith('info: HDF5Data "data": "')
    assert said.endswith(
        ' names 1 of 3 files that look like parts of one data set, so "train_0.h5" and "train_2.h5" are never read; add'
        " them to the list"
    )


def test_more_are_named_than_left_out(tmp_path: Path) -> None:
    (said,) = told(tmp_path, ["train_0.h5", "train_1.h5"], ["train_2.h5"])
    assert said.startswith("info: ")


def test_more_are_left_out_than_named(tmp_path: Path) -> None:
    (said,) = told(tmp_path, ["train_1.h5", "train_2.h5"], ["train_3.h5", "train_4.h5"])
    assert said.startswith("warning: ")


@pytest.mark.parametrize(
    ("listed", "there"),
    [
        ("train_x3.h5", ["train_x2.h5", "train_x4.h5"]),
        ("train-v1.h5", ["train-v2.h5"]),
        ("voc_2007.h5", ["voc_2012.h5"]),
        ("train_32.h5", ["train_64.h5"]),
        ("train_1.h5", ["train_3.h5"]),
    ],
)
def test_numbers_that_do_not_count_parts(tmp_path: Path, listed: str, there: list[str]) -> None:
    assert not told(tmp_path, [listed], there)


def test_other_files(tmp_path: Path) -> None:
    assert not told(tmp_path, ["train_0.h5"], ["test_1.h5", "train_0_mean.h5", "train.h5"])
    assert not told(tmp_path, ["train_0.h5"], ["train_1.h5"], rows=9000), "ten times as large"


def test_files_that_are_for_testing(tmp_path: Path) -> None:
    assert not told(tmp_path, ["part_0.h5"], ["part_1.h5"], test="part_1.h5")


def test_files_of_another_list(tmp_path: Path) -> None:
    (tmp_path / "fold_2.txt").write_text("fold_1.h5 somewhere/fold_2.h5\n")
    assert not told(tmp_path, ["fold_0.h5"], ["fold_1.h5", "fold_2.h5"])
