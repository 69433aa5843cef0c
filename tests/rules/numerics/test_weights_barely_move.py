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


@pytest.mark.parametrize(("std", "severity"), [(1e-4, "warning"), (0.01, "info")])
def test_what_no_scale_of_the_data_changes(tmp_path: Path, std: float, severity: str) -> None:
    """On Caffe 1.0, eight layers of 0.0001 learn nothing from data of 1 nor of 60, by SGD nor by Adam."""
    text = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "x" batch_size: 32 } }\n'
    bottom = "data"
    for number in range(8):
        text += (
            f'layer {{ name: "c{number}" type: "Convolution" bottom: "{bottom}" top: "c{number}" convolution_param {{'
            f' num_output: 16 kernel_size: 3 pad: 1 weight_filler {{ type: "gaussian" std: {std} }} }} }}\n'
            f'layer {{ name: "r{number}" type: "ReLU" bottom: "c{number}" top: "c{number}" }}\n'
        )
        bottom = f"c{number}"
    text += NET[NET.index('layer { name: "fc"') :].replace('bottom: "data"', f'bottom: "{bottom}"')
    (tmp_path / "net.prototxt").write_text(
        text.replace('std: 0.0001 } } }\nlayer { name: "loss', 'std: 0.1 } } }\nlayer { name: "loss')
    )
    (tmp_path / "solver.prototxt").write_text(SOLVER % 1e-3)
    found = [one.severity for one in caffelint.check(str(tmp_path)).findings if one.name == "weights-barely-move"]
    assert found == [severity]
