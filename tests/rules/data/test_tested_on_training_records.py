"""Training and testing read the same records by lists, or by what scripts make of lists."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

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
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "tested-on-training-records"]
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
