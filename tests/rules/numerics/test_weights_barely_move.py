"""What is advised for weights that barely move, and what is left to other rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer { name: "data" type: "ImageData" top: "data" top: "label" transform_param { scale: 0.0039 mean_value: 115 }'
    ' image_data_param { batch_size: 32 new_height: 28 new_width: 28 source: "list" } }\n'
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
    ' inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)


def advice(folder: Path, solver: str) -> list[str]:
    (folder / "n.prototxt").write_text(NET)
    (folder / "s.prototxt").write_text(f'net: "n.prototxt" max_iter: 1000 {solver}\n')
    config = Config()
    config.cache, config.select = False, ["weights-barely-move"]
    return [one.message.rpartition("; ")[2] for one in caffelint.check([str(folder / "s.prototxt")], config).findings]


def test_a_clip_that_is_too_small(tmp_path: Path) -> None:
    [said] = advice(tmp_path, 'base_lr: 0.01 lr_policy: "fixed" clip_gradients: 1e-6')
    assert said == "raise it"


def test_none_at_all_would_be_too_much(tmp_path: Path) -> None:
    [said] = advice(tmp_path, 'base_lr: 50 lr_policy: "fixed" clip_gradients: 1e-7')
    assert said.startswith("set clip_gradients: ")
    assert 1e-7 < float(said.rpartition(" ")[2]) < 1


@pytest.mark.parametrize(
    "solver",
    [
        'base_lr: 0.05 lr_policy: "step" gamma: 0.001 stepsize: 5',  # learning-rate-vanishes tells
        'type: "AdaDelta" momentum: 0.9 delta: 1e-6 base_lr: 1e-5 lr_policy: "fixed"',
    ],
)
def test_what_other_rules_tell(tmp_path: Path, solver: str) -> None:
    assert advice(tmp_path, solver) == []


MAPS = """layer { name: "d" type: "Data" top: "d" transform_param { scale: 0.0039 }
  data_param { source: "a" batch_size: 8 } }
layer { name: "t" type: "Data" top: "t" data_param { source: "b" batch_size: 8 } }
layer { name: "c" type: "Convolution" bottom: "d" top: "c"
  convolution_param { num_output: 16 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }
layer { name: "s" type: "Convolution" bottom: "c" top: "s"
  convolution_param { num_output: 2 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "s" bottom: "t" top: "loss" loss_param { normalize: false } }
"""


@pytest.mark.parametrize(("rate", "severity"), [("1e-12", "warning"), ("1e-10", "info")])
def test_maps_of_any_size(tmp_path: Path, rate: str, severity: str) -> None:
    """A rate for maps of 500 x 500 whose loss is summed: no image of 224 x 224 moves the weights by it either."""
    (tmp_path / "n.prototxt").write_text(MAPS)
    (tmp_path / "s.prototxt").write_text(
        f'net: "n.prototxt" base_lr: {rate} lr_policy: "fixed" momentum: 0.9 max_iter: 10000 snapshot_prefix: "x"'
    )
    found = [one for one in caffelint.check([str(tmp_path)], Config()).findings if one.name == "weights-barely-move"]
    assert [one.severity for one in found] == [severity]
