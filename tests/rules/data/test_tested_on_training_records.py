"""Training and testing read the same records by lists, or by what scripts make of lists."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

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
