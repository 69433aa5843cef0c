"""Which losses say nothing of a rate."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer { name: "data" type: "Data" top: "data" top: "label" }\n'
    + "".join(
        f'layer {{ name: "fc{i}" type: "InnerProduct" bottom: "{f"fc{i - 1}" if i else "data"}" top: "fc{i}"'
        ' inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }\n'
        for i in range(4)
    )
    + 'layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc3" bottom: "label" top: "loss" }\n'
)


@pytest.mark.parametrize(("solver", "is_told"), [('type: "Adam" base_lr: 0.05', True), ("base_lr: 5", False)])
def test_a_sum_over_the_values(tmp_path: Path, solver: str, is_told: bool) -> None:
    """Adam divides by the size of the gradient, whatever that is."""
    (tmp_path / "n.prototxt").write_text(NET)
    (tmp_path / "s.prototxt").write_text(f'net: "n.prototxt" lr_policy: "fixed" {solver}\n')
    config = Config()
    config.cache, config.select = False, ["high-base-lr"]
    assert bool(caffelint.check([str(tmp_path / "s.prototxt")], config).findings) is is_told
