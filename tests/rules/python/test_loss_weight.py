"""Python layers that may be a loss, in nets of many."""

from __future__ import annotations

from pathlib import Path

import bench_curves

import caffelint
from caffelint.lint.config import Config

MODULE = """import caffe


class Norm(caffe.Layer):
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff
"""
LAYER = (
    'layer {{ name: "{0}" type: "Python" bottom: "{1}" top: "{0}" python_param {{ module: "own" layer: "Norm" }} }}\n'
)


def look(folder: Path, number: int) -> list[str]:
    """The layers that are told of."""
    data = 'layer { name: "n0" type: "Input" top: "n0" input_param { shape { dim: 1 dim: 8 } } }\n'
    layers = "".join(LAYER.format(f"n{one + 1}", f"n{one}") for one in range(number))
    (folder / "net.prototxt").write_text(data + layers)
    (folder / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    (folder / "own.py").write_text(MODULE)
    config = Config()
    config.cache, config.select = False, ["python-loss-weight"]
    return [one.layer for one in caffelint.check(folder, config).findings]


def test_the_net_is_looked_at_once(tmp_path: Path) -> None:
    assert look(tmp_path, 3) == ["n3"]
    small, large = (bench_curves.calls(lambda: look(tmp_path, number)) for number in (50, 200))  # noqa: B023
    assert large < 5 * small


def test_a_weight_for_each_top(tmp_path: Path) -> None:
    """Caffe wants as many as there are tops: layer.hpp, SetLossWeights."""
    data = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 8 } } }\n'
    loss = (
        'layer { name: "l" type: "Python" bottom: "f" top: "l" top: "n" python_param { module: "own" layer: "Norm" } }'
    )
    learns = 'layer { name: "f" type: "InnerProduct" bottom: "d" top: "f" inner_product_param { num_output: 8 } }\n'
    (tmp_path / "net.prototxt").write_text(data + learns + loss)
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    (tmp_path / "own.py").write_text(MODULE)
    config = Config()
    config.cache, config.select = False, ["python-loss-weight"]
    (found,) = caffelint.check(tmp_path, config).findings
    assert found.severity == "error"
    assert found.message.endswith(
        "set loss_weight: 1 for the top that is the loss, and 0 for each other, in the order of the tops"
    )
