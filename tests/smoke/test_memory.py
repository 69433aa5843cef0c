"""What a run needs of memory, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from project_files import write

from caffelint.caffe.build import build
from caffelint.cli.main import main
from caffelint.schema import NetParameter
from caffelint.smoke.memory import OVERWRITES, Needs, needs

NET = """layer { name: "data" type: "Input" top: "data" top: "label"
  input_param { shape { dim: 2 dim: 10 } shape { dim: 2 } } }
layer { name: "fc1" type: "InnerProduct" bottom: "data" top: "fc1" inner_product_param { num_output: 100 } }
layer { name: "relu" type: "ReLU" bottom: "fc1" top: "fc1" }
layer { name: "sigmoid" type: "Sigmoid" bottom: "fc1" top: "fc1" }
layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }
"""
DATA = 2 * 10 + 2 + 2 * 100 + 2 * 3 + 1
"""Of the blobs, each once."""
PARAMETERS = 10 * 100 + 100 + 100 * 3 + 3


@pytest.mark.parametrize(
    ("kind", "caffe", "copies"),
    [("SGD", True, 3), ("Adam", True, 4), ("SGD", False, 3), ("Adam", False, 6), ("AdaDelta", False, 6)],
)
def test_counted_by_hand(kind: str, caffe: bool, copies: int) -> None:
    message: Any = text_format.Parse(NET, NetParameter())
    train, test = build(message, "TRAIN"), build(message, "TEST")
    found = needs([train, test], kind, caffe)
    # The Sigmoid leaves the ReLU's top to nothing in Caffe, and to its own backward pass in torch.
    assert found.blobs == 2 * 4 * (DATA + (0 if caffe else 2 * 100))
    assert found.gradients == 4 * (2 * 100 + 2 * 3 + 1 if caffe else 2 * 2 * 100)
    assert found.weights == 4 * PARAMETERS * copies
    assert found.total == found.blobs + found.gradients + found.weights


def test_torch_overwrites_what_is_counted_so() -> None:
    pytest.importorskip("torch")
    from caffelint.smoke.torch.types import REGISTRY

    assert {name for name, kind in REGISTRY.items() if kind.overwrites} == OVERWRITES


@pytest.mark.parametrize("more", [[], ["--gradcheck", "all"], ["--compare", "caffe,caffe:cpu"]])
def test_it_is_counted_for_the_engine_that_runs(tmp_path: Path, monkeypatch: Any, capsys: Any, more: list[str]) -> None:
    asked = []

    def endless(nets: Any, solver_type: str, caffe: bool) -> Needs:
        asked.append(caffe)
        return Needs(1 << 60, 0, 0)

    monkeypatch.setattr("caffelint.smoke.execute.needs", endless)
    assert main(["smoke", str(write(tmp_path)), "--caffe-python", "/no/such/python", *more]) == 1
    assert "the blobs take 1073741824 GiB" in capsys.readouterr().out
    assert asked == [True]


def test_the_buffer_of_a_convolution_is_that_of_one_item() -> None:
    """base_conv_layer.cpp, Reshape: col_buffer_shape_ is kernel values by outputs, and has no axis of items."""
    text = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 8 dim: 3 dim: 10 dim: 12 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 7 kernel_size: 3 } }
layer { name: "one" type: "Convolution" bottom: "conv" top: "one" convolution_param { num_output: 5 kernel_size: 1 } }
layer { name: "up" type: "Deconvolution" bottom: "one" top: "up" convolution_param { num_output: 2 kernel_size: 4 } }
"""
    message: Any = text_format.Parse(text, NetParameter())
    found = needs([build(message, "TRAIN")], "SGD", caffe=True)
    assert found.buffers == 4 * (3 * 9 * 8 * 10 + 2 * 16 * 8 * 10)
    assert needs([build(message, "TRAIN")], "SGD", caffe=False).buffers == 0


def test_what_caffe_says_and_what_it_needs(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    """A Caffe that gets no more memory, as in a container or a job of a cluster."""
    limited = tmp_path / "limited"
    limited.write_text(f'#!/bin/sh\nulimit -v 900000\nexec {caffe_python} "$@"\n')
    limited.chmod(0o755)
    net = """layer { name: "data" type: "Input" top: "data" top: "label"
  input_param { shape { dim: 64 dim: 3 dim: 224 dim: 224 } shape { dim: 64 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 64 kernel_size: 3 pad: 1 weight_filler { type: "msra" } } }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { pool: AVE global_pooling: true } }
layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
    solver = write(tmp_path, net, 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 100\n')
    assert main(["smoke", str(solver), "--caffe-python", str(limited), "--iterations", "1", "--quiet"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "host allocation of size 822083584 failed; it needs at least 1.6 GiB, of which" in out
