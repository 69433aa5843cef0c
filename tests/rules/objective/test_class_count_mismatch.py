"""The number of classes of two layers with a param_str, and of what is trained with the labels of one."""

from __future__ import annotations

from pathlib import Path

import bench_curves
import pytest

import caffelint
from caffelint.lint.config import Config

PYTHON = (
    'layer {{ name: "{name}" type: "Python" {tops} python_param {{ module: "m" layer: "L"'
    " param_str: \"'num_classes': {classes}\" }} }}\n"
)
ROIS = 'top: "rois" top: "labels" top: "bbox_targets"'
FC = (
    'layer {{ name: "{name}" type: "InnerProduct" bottom: "x" top: "{name}"'
    " inner_product_param {{ num_output: {outputs} }} }}\n"
)
LOSSES = (
    'layer { name: "loss_cls" type: "SoftmaxWithLoss" bottom: "cls" bottom: "labels" top: "loss_cls" }\n'
    'layer { name: "loss_bbox" type: "SmoothL1Loss" bottom: "bbox" bottom: "bbox_targets" top: "loss_bbox" }\n'
)


@pytest.mark.parametrize(
    ("first", "labels", "scores", "blamed"),
    [
        (2, 21, 2, ["roi-data"]),
        # Both have a number that the layers lack.
        (21, 21, 3, ["cls", "bbox"]),
        # As many for one as for the other.
        (3, 21, 2, ["cls", "bbox"]),
        (2, 2, 2, []),
    ],
)
def test_the_odd_one_is_blamed(first: int, labels: int, scores: int, blamed: list[str]) -> None:
    text = (
        PYTHON.format(name="input-data", tops='top: "x" top: "gt_boxes"', classes=first)
        + PYTHON.format(name="roi-data", tops=ROIS, classes=labels)
        + FC.format(name="cls", outputs=scores)
        + FC.format(name="bbox", outputs=4 * scores)
        + LOSSES
    )
    report = caffelint.check_text(text)
    assert [one.layer for one in report.findings if one.name == "class-count-mismatch"] == blamed


def test_the_param_str_of_each_layer_is_read_once(tmp_path: Path) -> None:
    def look(number: int) -> None:
        text = FC.format(name="cls", outputs=2)
        for one in range(number):
            text += PYTHON.format(name=f"d{one}", tops='top: "labels"', classes=21)
            text += f'layer {{ name: "l{one}" type: "SoftmaxWithLoss" bottom: "cls" bottom: "labels" top: "l{one}" }}\n'
        (tmp_path / "net.prototxt").write_text(text)
        config = Config()
        config.cache, config.select = False, ["class-count-mismatch"]
        caffelint.check(tmp_path, config)

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (50, 200))  # noqa: B023
    assert large < 5 * small
