"""A block that takes a list in the project's own Caffe: nothing is said that is known of BVLC's layer."""

from __future__ import annotations

import re

import pytest
from own_caffe import Make

import caffelint

NET = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: 8 dim: 8 dim: 8 } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: MAX kernel_size: 2 } }
"""


@pytest.mark.parametrize("takes_a_list", [True, False])
def test_kernel_size_for_each_axis(make: Make, proto: str, takes_a_list: bool) -> None:
    head, rest = proto.split("message PoolingParameter {", 1)
    ours = re.sub(r"optional uint32 kernel_size\b", "repeated uint32 kernel_size", rest, count=1)
    make(NET, text=f"{head}message PoolingParameter {{{ours if takes_a_list else rest}")
    report = caffelint.check("net.prototxt")
    assert not report.failures
    assert bool([one for one in report.findings if one.code.startswith("L")]) is not takes_a_list
