"""A block that a layer does not read."""

from __future__ import annotations

import pytest

import caffelint

DATA = """layer {{ name: "data" type: "Data" top: "data" top: "label" hdf5_data_param {{ source: "x"{} }} }}
layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 2 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}
"""


@pytest.mark.parametrize(("more", "titles"), [(" batch_size: 4", ["rename it to data_param"]), ("", [])])
def test_no_block_is_renamed_to_one_that_caffe_refuses(more: str, titles: list[str]) -> None:
    report = caffelint.check_text(DATA.format(more).encode(), path="net.prototxt")
    [found] = [one for one in report.findings if one.name == "unused-parameter-block"]
    assert [one.title for one in found.fixes] == titles
