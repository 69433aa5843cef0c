"""Who sees the accuracy of a test that reads what training reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

_DATA = """layer {{ name: "data" type: "Data" top: "data" top: "label"
    data_param {{ source: "a" }} include {{ phase: {} }} }}\n"""
_REST = """layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 9 } }
layer { name: "ip2" type: "InnerProduct" bottom: "ip" top: "ip2" inner_product_param { num_output: 9 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip2" bottom: "label" top: "loss" }"""


@pytest.mark.parametrize(
    ("solver", "severity"),
    [
        ("max_iter: 100 test_interval: 1000 snapshot: 1000", "info"),
        ("max_iter: 5000 test_interval: 1000 snapshot: 1000", "warning"),
        ("max_iter: 100 test_interval: 1000", "warning"),
    ],
)
def test_a_run_that_only_measures_the_time(tmp_path: Path, solver: str, severity: str) -> None:
    (tmp_path / "net.prototxt").write_text(_DATA.format("TRAIN") + _DATA.format("TEST") + _REST)
    (tmp_path / "solver.prototxt").write_text(
        f'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" test_iter: 1 {solver}'
    )
    found = {one.name: one.severity for one in caffelint.check(tmp_path).findings}
    assert found["train-and-test-share-data"] == found["missing-weight-filler"] == severity


@pytest.mark.parametrize(("folder", "told"), [("val/", 0), ("train", 1)])
def test_names_of_a_list_below_two_folders_are_other_images(folder: str, told: int) -> None:
    """image_data_layer.cpp, load_batch: root_folder + name."""
    text = "".join(
        f'layer {{ name: "{phase}" type: "ImageData" top: "data" top: "label" include {{ phase: {phase} }}'
        f' image_data_param {{ source: "list.txt" root_folder: "{root}" batch_size: 4 }} }}\n'
        for phase, root in (("TRAIN", "train/"), ("TEST", folder))
    )
    loss = (
        'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    )
    found = caffelint.check_text(text + loss, kind="net").findings
    assert sum(one.name == "train-and-test-share-data" for one in found) == told
