"""Where pooling windows lie, against what Caffe 1.0 gave."""

from __future__ import annotations

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: %d dim: %d } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool"
  pooling_param { pool: %s kernel_size: %d stride: %d pad: %d round_mode: %s } }
"""


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
