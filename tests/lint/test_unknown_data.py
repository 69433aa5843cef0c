"""Numerics where nothing tells the shape of the data: what holds for small ones and for large ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "data" type: "Data" top: "data" top: "label" transform_param { scale: 0.00390625 }
  data_param { source: "train_lmdb" batch_size: 64 backend: LMDB } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def _told(folder: Path, rate: str, more: str = "") -> list[str]:
    (folder / "net.prototxt").write_text(NET)
    solver = folder / "solver.prototxt"
    solver.write_text(f'net: "net.prototxt" base_lr: {rate} lr_policy: "fixed" {more}')
    return [
        one.message
        for one in caffelint.check([str(solver)], Config()).findings
        if one.name in ("first-updates-too-large", "high-base-lr")
    ]


def test_a_rate_that_breaks_whatever_the_data_is_told_with_figures(tmp_path: Path) -> None:
    (message,) = _told(tmp_path, "20")
    assert "at least" in message


@pytest.mark.parametrize(("rate", "more"), [("0.01", "momentum: 0.9"), ("20", "max_iter: 10")])
def test_nothing_is_said_of_a_usual_rate_or_of_a_run_that_only_measures(tmp_path: Path, rate: str, more: str) -> None:
    assert not [message for message in _told(tmp_path, rate, more) if "first updates" in message]
