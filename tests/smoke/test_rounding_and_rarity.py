"""Differences that float32 rounds away, and targets of which nearly all are 0, are named with what cures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.smoke.diagnosis.outputs import rare_targets
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100 snapshot_prefix: "s"'
_SHARES = """
layer { name: "data" type: "DummyData" top: "data" top: "many" top: "few"
  dummy_data_param { shape { dim: 8 dim: 6 } shape { dim: 8 dim: 19 } shape { dim: 8 dim: 1 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: MANY }
    data_filler { type: "constant" value: FEW } } }
layer { name: "label" type: "Concat" bottom: "many" bottom: "few" top: "label" }
layer { name: "score" type: "InnerProduct" bottom: "data" top: "score"
  inner_product_param { num_output: 20 weight_filler { type: "xavier" } } }
layer { name: "share" type: "Sigmoid" bottom: "score" top: "share" }
layer { name: "loss" type: "EuclideanLoss" bottom: "share" bottom: "label" top: "loss" }
"""
_VARIANCE = """
layer { name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param { shape { dim: 8 dim: 64 } shape { dim: 8 dim: 1 }
    data_filler { type: "gaussian" mean: OFFSET std: 2 } data_filler { type: "constant" value: 1 } } }
layer { name: "mean" type: "Reduction" bottom: "data" top: "mean" reduction_param { operation: MEAN axis: 1 } }
layer { name: "square" type: "Power" bottom: "mean" top: "square" power_param { power: 2 } }
layer { name: "squares" type: "Reduction" bottom: "data" top: "squares"
  reduction_param { operation: SUMSQ axis: 1 coeff: 0.015625 } }
layer { name: "var" type: "Eltwise" bottom: "squares" bottom: "square" top: "var"
  eltwise_param { operation: SUM coeff: 1 coeff: -1 } }
layer { name: "inverse" type: "Power" bottom: "var" top: "inverse" power_param { power: -0.5 } }
layer { name: "flat" type: "Reshape" bottom: "inverse" top: "flat" reshape_param { shape { dim: 8 dim: 1 } } }
layer { name: "score" type: "InnerProduct" bottom: "flat" top: "score"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "score" bottom: "label" top: "loss" }
"""


def project(folder: Path, net: str) -> Path:
    (folder / "net.prototxt").write_text(net)
    (folder / "solver.prototxt").write_text(_SOLVER)
    return folder / "solver.prototxt"


@pytest.mark.parametrize(("many", "few", "bias"), [(0, 1, "-2.9"), (1, 0, "2.9"), (0.05, 0.05, ""), (0.4, 1, "")])
def test_targets_that_are_nearly_all_the_same(
    many: float, few: float, bias: str, in_caffe: Callable[..., Session], tmp_path: Path
) -> None:
    net = _SHARES.replace("MANY", f"{many}").replace("FEW", f"{few}")
    run = in_caffe(project(tmp_path, net), iterations=5).run
    assert run is not None
    texts = [change.text for one in rare_targets(run) for change in one.changes]
    assert texts == (['no Sigmoid "share"', f'bias_filler {{ type: "constant" value: {bias} }}'] if bias else []) or (
        bias and texts[0] == 'no Sigmoid "share"' and bias in texts[1]
    )


@pytest.mark.parametrize(("mean", "told"), [(100_000, True), (10, False)])
def test_a_variance_of_large_numbers(mean: int, told: bool, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    session = in_caffe(project(tmp_path, _VARIANCE.replace("OFFSET", f"{mean}")), iterations=5)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ('Eltwise "var" takes numbers of 1e+10 from each other, which float32 tells apart by 1024' in said) is told


def test_a_loss_that_compares_with_nothing(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    penalty = 'layer { name: "kl" type: "Reduction" bottom: "score" top: "kl" loss_weight: 0.1 }'
    net = _SHARES.replace("MANY", "0").replace("FEW", "1") + penalty
    run = in_caffe(project(tmp_path, net), iterations=5).run
    assert run is not None
    assert [one.layers[1].name for one in rare_targets(run)] == ["loss"]
