"""Whose training moves the weights too little, and where it may go on from weights that another one has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

NET = (
    'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { batch_size: 32 new_height: 28'
    ' new_width: 28 source: "list" } transform_param { scale: 0.00390625 mean_value: 115 } }\n'
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
    ' inner_product_param { num_output: 10 weight_filler { type: "gaussian" std: 0.0001 } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)
SOLVER = 'net: "net.prototxt" base_lr: %g lr_policy: "fixed" momentum: 0.9 max_iter: 1000\n'
COPIES = "solver = caffe.SGDSolver('other.prototxt')\nsolver.net.copy_from('a.caffemodel')\nsolver.step(9)\n"
STEPS = "solver = caffe.get_solver('other.prototxt')\nsolver.step(9)\n"


@pytest.mark.parametrize(
    ("files", "severity", "why"),
    [
        ({}, "warning", ""),
        ({"first.prototxt": SOLVER % 1e-2}, "info", '"first.prototxt" trains the net at base_lr 0.01'),
        ({"tune.py": COPIES}, "info", "no script trains without"),
        ({"tune.py": COPIES, "train.py": STEPS}, "warning", ""),
    ],
)
def test_a_solver_that_may_go_on(tmp_path: Path, files: dict[str, str], severity: str, why: str) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in {"net.prototxt": NET, "last.prototxt": SOLVER % 1e-9, **files}.items():
        (tmp_path / name).write_text(text)
    (one,) = [one for one in caffelint.check(str(tmp_path)).findings if one.name == "weights-barely-move"]
    assert one.severity == severity
    assert why in one.evidence
    assert ('of "last.prototxt"' in one.message) == ("first.prototxt" in files)
