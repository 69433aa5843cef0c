"""Where pooling windows lie, against the sizes that the built net has, and against what Caffe 1.0 gave."""

from __future__ import annotations

import pytest

import caffelint
from caffelint.caffe.build import build
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.rules.layers._windows import axes, rounds_up

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: %d dim: %d } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool"
  pooling_param { pool: %s kernel_size: %d stride: %d pad: %d round_mode: %s } }
"""


@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
@pytest.mark.parametrize("mode", ["CEIL", "FLOOR"])
def test_number_of_windows(kernel: int, stride: int, mode: str) -> None:
    for pad in range(kernel):
        for size in range(kernel, 13):
            net = load((NET % (size, size, "MAX", kernel, stride, pad, mode)).encode()).net
            assert net
            made = build(net.message, "TRAIN")
            (axis,) = axes(net.layers[1].message.pooling_param)
            shape = made.blobs["pool"].shape
            assert shape
            assert shape[2] == axis.outputs(size, rounds_up(net.layers[1].message.pooling_param))


# Height, and what the last row is, of kernel 3 and stride 5 on Caffe 1.0 (CPU).
SEEN = {7: "right", 8: "right", 9: "0", 10: "nan", 11: "right", 12: "right", 13: "right", 14: "0", 15: "nan"}


@pytest.mark.parametrize("height", SEEN)
def test_last_window(height: int) -> None:
    config = Config()
    config.select = ["empty-pooling-window"]
    for pool, empty in (("AVE", SEEN[height]), ("MAX", "right" if SEEN[height] == "right" else "-3.4e38")):
        text = NET % (height, 8, pool, 3, 5, 0, "CEIL")
        found = caffelint.check_text(text, config=config).findings
        assert [empty in finding.message for finding in found] == [True] * (empty != "right")
