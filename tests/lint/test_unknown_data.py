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


MATRICES = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 14 } }
layer { name: "rows" type: "Convolution" bottom: "data" top: "rows"
  convolution_param { num_output: 64 kernel_h: 1 kernel_w: 90 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "rows" top: "rows" }
layer { name: "all" type: "Convolution" bottom: "rows" top: "all"
  convolution_param { num_output: 256 kernel_h: 90 kernel_w: 1 weight_filler { type: "xavier" } } }
layer { name: "out" type: "InnerProduct" bottom: "all" top: "out"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "label" top: "loss" }
"""


def test_kernels_of_one_row_cover_a_matrix(tmp_path: Path) -> None:
    """A real Caffe trains such a net at this rate, on numbers of 0.05 to 0.7; slid over 224 x 224 it would break."""
    (tmp_path / "net.prototxt").write_text(MATRICES)
    (tmp_path / "solver.prototxt").write_text(
        'net: "net.prototxt" base_lr: 0.01 momentum: 0.9 lr_policy: "fixed" max_iter: 100000 snapshot_prefix: "x"'
    )
    assert not [one for one in caffelint.check([str(tmp_path)], Config()).findings if one.code == "N106"]
