"""What Caffe refuses about an empty blob is said whichever other rules are asked."""

from __future__ import annotations

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 4 dim: 9 } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 5 } }
layer { name: "unread" type: "Pooling" bottom: "data" top: "unread" pooling_param { kernel_size: 5 } }
layer { name: "ip" type: "InnerProduct" bottom: "pool" top: "ip"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
"""
REFUSED = (
    'InnerProduct "ip": the parameter blob to fill has no elements (2x0); Pooling "pool" makes an empty blob, since'
    " kernel 5 is larger than the height of 4 (padding included); use a larger input, a smaller kernel or padding"
)


@pytest.mark.parametrize("ignored", [[], ["map-shrinks-to-nothing"]])
def test_it_names_both_layers(ignored: list[str]) -> None:
    config = Config()
    config.cache, config.select, config.ignore = False, ["refused-by-caffe", "map-shrinks-to-nothing"], ignored
    found = caffelint.check_text(NET, config=config).findings
    assert [one.message for one in found if one.severity == "error"] == [REFUSED]
    assert [one.layer for one in found if one.severity == "warning"] == ["unread"] * (not ignored)
