"""Nets whose branches join again, so that there are more ways through them than anybody could walk."""

from __future__ import annotations

from pathlib import Path

import pytest
from cost import soon

import caffelint
from caffelint.lint.config import Config


@pytest.mark.parametrize("count", [60, 800])
def test_each_layer_is_looked_at_once(tmp_path: Path, count: int) -> None:
    layers = ['layer { name: "b0" type: "Data" top: "b0" top: "label" data_param { source: "s" batch_size: 4 } }']
    layers += ['layer { name: "b1" type: "Power" bottom: "b0" top: "b1" power_param { scale: 1.5 } }']
    for at in range(2, count):
        layers.append(f'layer {{ name: "b{at}" type: "Eltwise" bottom: "b{at - 1}" bottom: "b{at - 2}" top: "b{at}"')
        layers.append("  eltwise_param { operation: PROD } }")
    layers.append(f'layer {{ name: "fc" type: "InnerProduct" bottom: "b{count - 1}" top: "fc"')
    layers.append('  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }')
    layers.append('layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }')
    (tmp_path / "net.prototxt").write_text("\n".join(layers))
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100')
    config = Config()
    config.cache, config.jobs = False, 1
    with soon():
        report = caffelint.check(tmp_path, config)
    assert not report.failures
