"""A mean file that is to blame for what a net reads is tried to be left out."""

from __future__ import annotations

import pytest

from caffelint.smoke.diagnosis.inputs import input_scale
from caffelint.smoke.events import BLOB, DATA, Iteration, Statistics, to_line
from caffelint.smoke.run import run_of

_NET = """layer { name: "data" type: "MemoryData" top: "data" top: "label" include { phase: TRAIN }
  transform_param { mean_file: "mean.binaryproto" } memory_data_param { batch_size: 8 channels: 3 height: 4 width: 4 } }
layer { name: "data" type: "MemoryData" top: "data" top: "label" include { phase: TEST }
  transform_param { mean_file: "mean.binaryproto" } memory_data_param { batch_size: 8 channels: 3 height: 4 width: 4 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
_SOLVER = 'net: "n.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 9'


@pytest.mark.parametrize(("low", "high", "is_tried"), [(-780.0, -170.0, True), (-120.0, 150.0, False)])
def test_a_mean_that_leaves_all_on_one_side(low: float, high: float, is_tried: bool) -> None:
    middle, spread = (low + high) / 2, (high - low) / 4
    read = Statistics(-1, "data", BLOB, "data", DATA, low, high, middle, spread, 0.0)
    events = [Iteration(-1, 0, 60.0, {"loss": 60.0}), Iteration(0, 0.01, 60.0, {"loss": 60.0}), read]
    run = run_of({"s.prototxt": _SOLVER, "n.prototxt": _NET, "events": "\n".join(map(to_line, events))})
    found = [one for one in input_scale(run) if one.field == "mean"]
    assert bool(found) == is_tried
    if found:
        (change,) = found[0].changes
        assert change.text == "no mean_file"
        assert len(change.edits) == 2
